/*
 * Constants of a board: names, chips, capacities. They follow from the type code in its serial
 * number; the values are from tt-kmd's names and TT-Metal's SoC descriptors.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum arch {
	ARCH_UNKNOWN,
	ARCH_GRAYSKULL,
	ARCH_WORMHOLE,
	ARCH_BLACKHOLE,
	ARCH_N,
};

struct board {
	const char *name;   /* tt_card_type */
	const char *vendor; /* its name in the vendor's tool */
	uint32_t code;	    /* board id >> 36 */
	enum arch arch;
	unsigned chips;	     /* per board; they share its serial number */
	unsigned cores;	     /* enabled Tensix cores per chip; 0: unknown */
	unsigned dram_banks; /* per chip; 0: unknown */
	bool galaxy;	     /* tray and chip follow from the PCI bus number */
};

extern const char *const arch_names[ARCH_N];	   /* "Wormhole_B0" */
extern const char *const arch_identifiers[ARCH_N]; /* "wormhole_b0" */

enum arch arch_of_pci(uint32_t device_id);

/* NULL if it is not in the table. */
const struct board *board_by_name(const char *name);
const struct board *board_by_code(uint64_t code);

/*
 * Tray 1-4 and chip 1-8 in a Galaxy, from the PCI bus number. False if the number is not one of a
 * Galaxy.
 */
bool board_place(const struct board *board, unsigned bus, int *ret_tray, int *ret_chip);

/* PCIe lanes wired to the chip; 0: as many as both ends of its link support. */
unsigned board_lanes(const struct board *board, unsigned bus);

/*
 * Bytes that programs can use. 0: unknown, because the board is unknown or because it depends on
 * the firmware, whose version is unknown (bundle 0).
 */
uint64_t board_dram(const struct board *board);
uint64_t board_l1(const struct board *board, uint32_t bundle);

/* Bytes of L1 per Tensix core, the same for all firmware. 0: unknown. */
uint64_t arch_l1_per_core(enum arch arch);
