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

/* Enough for five hundred addresses. Further bytes are not read. */
#define VISIBLE_LENGTH_MAX 8192

/* Limit for numbers; no position and no node is above it. */
#define VISIBLE_NUMBERS 1024

/* Limit for distinct parts of addresses. */
#define VISIBLE_PATTERNS 64

/* Maximum number of devices: bits of a mask. */
#define VISIBLE_CARDS 64

enum visible_status {
	VISIBLE_UNSET, /* sees every device */
	VISIBLE_LIST,
	VISIBLE_MALFORMED,  /* every release rejects it */
	VISIBLE_TOO_LONG,   /* longer than what is stored */
	VISIBLE_UNREADABLE, /* set by a caller that could not read the environment */
};

struct visible_devices {
	uint32_t status; /* enum visible_status */
	uint32_t n_patterns;
	uint64_t numbers[VISIBLE_NUMBERS / 64]; /* one bit per number */
	char patterns[VISIBLE_PATTERNS][PCI_ADDRESS_SIZE];
};

/* The meaning of a number, as bits. Both of the first two if the release of TT-Metal is unknown. */
enum visible_meaning {
	VISIBLE_BY_POSITION = 1, /* v0.68 and later */
	VISIBLE_BY_NODE = 2,	 /* older releases */
	VISIBLE_BY_EITHER = 3,
	/* In addition: the process may number its visible devices by UMD's unique ids. */
	VISIBLE_ORDER_BY_ID = 4,
};

/* A PCIe device of the machine. */
struct visible_card {
	uint64_t bdf; /* as in pci_address_parse() */
	uint32_t node;
};

/* value: of the variable; NULL if it is unset. */
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

/*
 * The position in cards of the device that the process calls id. -ENODEV: it sees no such
 * device. -ENOTUNIQ: that depends on the release, or on unique ids. -EINVAL, -E2BIG, -EACCES: the
 * value is malformed, too long, not readable.
 */
MUST_CHECK int visible_find(const struct visible_devices *visible, enum visible_meaning meaning,
			    const struct visible_card *cards, size_t count, uint64_t id);
