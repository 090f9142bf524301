/*
 * The board types, and the devices that a list of boards creates.
 *
 * A board is the product; a device is one PCIe endpoint, as the driver sees it. An n300 has two
 * chips and one endpoint, a p300 two of each, a Galaxy thirty-two.
 */
#pragma once

#include "basic/macros.h"
#include "version.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_DEVICES 64

enum sim_arch { WORMHOLE, BLACKHOLE };

struct sim_board {
	const char *name;
	enum sim_arch arch;
	unsigned code;	    /* board type: bits 36 and up of the serial number */
	unsigned endpoints; /* devices that the driver sees */
	unsigned hidden;    /* chips behind each of them, reached over Ethernet */
	unsigned idle_watts;
	unsigned max_watts; /* limits published by firmware */
	unsigned max_amperes;
	unsigned max_celsius;
	unsigned max_millivolts;
	bool has_fan;
	const char *link_speed; /* "16.0" */
	unsigned link_width;
	unsigned tensix; /* cores of one chip */
	unsigned dram_gib;
};

/* Location and numbers of a device; its other properties are in machine.h. */
struct slot {
	const struct sim_board *board;
	unsigned number; /* N of tenstorrent!N */
	unsigned hwmon;	 /* K of hwmonK */
	unsigned bus;
	unsigned root_bus; /* of the host bridge */
	unsigned port;	   /* device and function of the root port: dddddfff */
	unsigned width;	   /* PCIe lanes */
	unsigned logical;  /* index in the order of buses: TT-Metal's device id */
	uint64_t serial;
	uint64_t asic_id;
};

/*
 * The id of the chip in UMD and in the name of TT-Metal's file: on a board with Ethernet links
 * between its chips, Ethernet firmware derives it from the serial number.
 */
uint64_t slot_umd_id(const struct slot *slot, bool hidden);

/* Bytes per chip that programs can use: a Blackhole reserves 16 MiB of each bank's 4 GiB. */
uint64_t board_dram(const struct sim_board *board);

/* NULL if there is no such board. */
const struct sim_board *board_find(const char *name, size_t length);

/* The driver's name for a board code, "unknown" if it has none. */
const char *board_card_type(unsigned code);

/*
 * Creates the devices of a list such as "n300,2xp150a,-,p300@41". Returns their number, or -EINVAL
 * and a message in `error`.
 */
MUST_CHECK int board_list_parse(const char *list, const struct version *driver, uint64_t seed,
				struct slot ret[static MAX_DEVICES], char error[static 128]);
