#include "model/board.h"

#include "basic/macros.h"

#include <string.h>

const char *const arch_names[ARCH_N] = {
	[ARCH_UNKNOWN] = "Unknown",
	[ARCH_GRAYSKULL] = "Grayskull",
	[ARCH_WORMHOLE] = "Wormhole_B0",
	[ARCH_BLACKHOLE] = "Blackhole",
};

const char *const arch_identifiers[ARCH_N] = {
	[ARCH_UNKNOWN] = "unknown",
	[ARCH_GRAYSKULL] = "grayskull",
	[ARCH_WORMHOLE] = "wormhole_b0",
	[ARCH_BLACKHOLE] = "blackhole",
};

/* Bytes per core and per bank as TT-Metal counts them: a Blackhole bank is 4 GiB less 16 MiB. */
static const uint64_t l1_per_core[ARCH_N] = {
	[ARCH_GRAYSKULL] = 1048576,
	[ARCH_WORMHOLE] = 1499136,
	[ARCH_BLACKHOLE] = 1572864,
};

static const uint64_t dram_per_bank[ARCH_N] = {
	[ARCH_GRAYSKULL] = 1073741824,
	[ARCH_WORMHOLE] = 1073741824,
	[ARCH_BLACKHOLE] = 4278190080,
};

static const struct board boards[] = {
	/* clang-format off */
	{ "e150",             "e150",         0x03, ARCH_GRAYSKULL, 1,   0,  8, false },
	{ "e75",              "e75",          0x07, ARCH_GRAYSKULL, 1,   0,  8, false },
	{ "e300",             "e300",         0x0A, ARCH_GRAYSKULL, 1,   0,  8, false },
	{ "nb_cb",            "nb_cb",        0x08, ARCH_WORMHOLE,  1,   0, 12, false },
	{ "wh_4u",            "wh_4u",        0x0B, ARCH_WORMHOLE,  1,   0, 12, false },
	{ "n300",             "n300",         0x14, ARCH_WORMHOLE,  2,  64, 12, false },
	{ "n150",             "n150",         0x18, ARCH_WORMHOLE,  1,  72, 12, false },
	{ "galaxy-wormhole",  "tt-galaxy-wh", 0x35, ARCH_WORMHOLE, 32,  80, 12, true  },
	{ "p100",             "bh-scrappy",   0x36, ARCH_BLACKHOLE, 1,   0,  0, false },
	{ "p150a",            "p150a",        0x40, ARCH_BLACKHOLE, 1, 120,  8, false },
	{ "p150b",            "p150b",        0x41, ARCH_BLACKHOLE, 1, 120,  8, false },
	{ "p150c",            "p150c",        0x42, ARCH_BLACKHOLE, 1, 120,  8, false },
	{ "p100a",            "p100a",        0x43, ARCH_BLACKHOLE, 1, 120,  7, false },
	{ "p300b",            "p300b",        0x44, ARCH_BLACKHOLE, 2, 120,  8, false },
	{ "p300a",            "p300a",        0x45, ARCH_BLACKHOLE, 2, 120,  8, false },
	{ "p300c",            "p300c",        0x46, ARCH_BLACKHOLE, 2, 120,  8, false },
	{ "galaxy-blackhole", "tt-galaxy-bh", 0x47, ARCH_BLACKHOLE, 32, 130, 8, true  },
	/* clang-format on */
};

enum arch arch_of_pci(uint32_t device_id)
{
	switch (device_id) {
	case 0xFACA: return ARCH_GRAYSKULL;
	case 0x401E: return ARCH_WORMHOLE;
	case 0xB140: return ARCH_BLACKHOLE;
	default: return ARCH_UNKNOWN;
	}
}

const struct board *board_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(boards); i++)
		if (strcmp(boards[i].name, name) == 0)
			return &boards[i];
	return NULL;
}

const struct board *board_by_code(uint64_t code)
{
	for (size_t i = 0; i < ARRAY_SIZE(boards); i++)
		if (boards[i].code == code)
			return &boards[i];
	return NULL;
}

bool board_place(const struct board *board, unsigned bus, int *ret_tray, int *ret_chip)
{
	static const unsigned char trays[ARCH_N][4] = {
		[ARCH_WORMHOLE] = { 0xC, 0x8, 0x0, 0x4 },
		[ARCH_BLACKHOLE] = { 0x0, 0x4, 0xC, 0x8 },
	};
	unsigned high = bus >> 4, low = bus & 0xF;

	if (!board->galaxy || low < 1 || low > 8)
		return false;
	for (int tray = 0; tray < 4; tray++) {
		if (trays[board->arch][tray] == high) {
			*ret_tray = tray + 1;
			*ret_chip = (int)low;
			return true;
		}
	}
	return false;
}

uint64_t arch_l1_per_core(enum arch arch)
{
	return l1_per_core[arch];
}

/* One chip of each tray of a Galaxy has eight lanes, the others have one. */
unsigned board_lanes(const struct board *board, unsigned bus)
{
	if (!board->galaxy)
		return 0;
	return (bus & 0xF) == 6 ? 8 : 1;
}

uint64_t board_dram(const struct board *board)
{
	return board->dram_banks * dram_per_bank[board->arch];
}

/*
 * p150a and p150b had 140 cores until bundle 19.5 disabled 20 of them. Bundles 80.x are
 * pre-releases and older than 18.
 */
uint64_t board_l1(const struct board *board, uint32_t bundle)
{
	unsigned cores = board->cores;

	if (board->code == 0x40 || board->code == 0x41) {
		if (bundle == 0)
			return 0;
		if (bundle < 0x13050000 || bundle >= 0x50000000)
			cores = 140;
	}
	return cores * arch_l1_per_core(board->arch);
}
