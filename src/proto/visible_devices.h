/*
 * TT_VISIBLE_DEVICES: which PCIe devices a process sees, and in which order.
 *
 * The rules are those of tt-umd, the driver library inside TT-Metal:
 *
 *   - Not set: all devices. Set, but without a token: none.
 *   - Tokens are separated by commas. Blanks around a token are ignored, empty tokens
 *     are skipped.
 *   - Decimal digits only: since TT-Metal v0.68 a position in the order of PCI addresses,
 *     counted from 0; in older releases the N of /dev/tenstorrent/N.
 *   - Hexadecimal digits with at least one ':' or '.': since v0.68 every device whose
 *     address contains the token ("0000:c" selects a tray of a Galaxy); in older releases
 *     the device with this address. The comparison is by characters and addresses are lower
 *     case, so a token with an upper-case digit matches nothing.
 *   - Any other token, and one that matches no device, makes tt-umd throw: the process
 *     gets no device at all.
 *
 * The order of tokens and repeated tokens have no effect: a process numbers the devices it
 * sees by their PCI addresses, or, in some releases before v0.68, by UMD's unique ids, which are
 * not known here (source/identity.h). Chips without PCIe come after them and are not dealt with
 * here.
 *
 * A value is parsed once into a struct of fixed size. How much of it is read and kept is
 * bounded, whatever the process put into its environment.
 */
#pragma once

#include "basic/macros.h"
#include "basic/pci_address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Five hundred addresses fit. Nothing behind this many bytes is read. */
#define VISIBLE_LENGTH_MAX 8192

/* Numbers are below this; there is no such position and no such node above it. */
#define VISIBLE_NUMBERS 1024

/* Distinct parts of addresses that are kept. */
#define VISIBLE_PATTERNS 64

/* Devices of a machine: bits of a mask. */
#define VISIBLE_CARDS 64

enum visible_status {
	VISIBLE_UNSET, /* sees every device */
	VISIBLE_LIST,
	VISIBLE_MALFORMED,  /* every release refuses it */
	VISIBLE_TOO_LONG,   /* more than is kept of it */
	VISIBLE_UNREADABLE, /* set by a caller that could not read the environment */
};

struct visible_devices {
	uint32_t status; /* enum visible_status */
	uint32_t n_patterns;
	uint64_t numbers[VISIBLE_NUMBERS / 64]; /* bit per number */
	char patterns[VISIBLE_PATTERNS][PCI_ADDRESS_SIZE];
};

/* What a number means: bits. Both of the first two if the release of TT-Metal is not known. */
enum visible_meaning {
	VISIBLE_BY_POSITION = 1, /* v0.68 and later */
	VISIBLE_BY_NODE = 2,	 /* before */
	VISIBLE_BY_EITHER = 3,
	/* In addition: the process may number what it sees by UMD's unique ids. */
	VISIBLE_ORDER_BY_ID = 4,
};

/* A PCIe device of the machine. */
struct visible_card {
	uint64_t bdf; /* as in pci_address_parse() */
	uint32_t node;
};

/* value: of the variable, NULL if it is not set. */
void visible_parse(const char *value, struct visible_devices *ret);

/* The meaning for a release of TT-Metal with these properties (metal/shape.h). */
enum visible_meaning visible_meaning_of(bool positions, bool order_by_id);

/*
 * The devices that the process sees, bit i for cards[i]; the cards are in the order of their
 * addresses, at most VISIBLE_CARDS. Returns the number of different answers: 1, or 2 if the
 * two meanings differ.
 */
unsigned visible_resolve(const struct visible_devices *visible, enum visible_meaning meaning,
			 const struct visible_card *cards, size_t count, uint64_t ret_masks[2]);

/* The position of the set bit with this many set bits below it; -1 if there is none. */
int visible_nth(uint64_t mask, uint64_t n);

/*
 * The position in cards of the device that the process calls id. -ENODEV: it sees no such
 * device. -ENOTUNIQ: that depends on the release, or on unique ids. -EINVAL, -E2BIG, -EACCES: the
 * value is malformed, too long, not readable.
 */
MUST_CHECK int visible_find(const struct visible_devices *visible, enum visible_meaning meaning,
			    const struct visible_card *cards, size_t count, uint64_t id);
