/*
 * Which devices wait, select and run --devices may choose: options, and the devices that fit them.
 */
#pragma once

#include "cli/common_options.h"
#include "cli/session.h"
#include "proto/visible_devices.h"

/* What a device must have. */
struct device_request {
	const char *root;
	struct selection selection;
	const char *board; /* NULL: any */
	uint64_t memory;   /* bytes of DRAM, at least; 0: any */
};

struct device_request device_request_default(void);
void device_request_done(struct device_request *request);

/* Rows of options; the argument is the offset of the struct. */
/* clang-format off */
#define OPTIONS_DEVICE_REQUEST(offset) \
	OPTION_DEVICES((offset) + offsetof(struct device_request, selection)), \
	{ "--memory", ARGUMENT, "SIZE", "only those with at least this much DRAM, e.g. 8G", \
		option_bytes, (offset) + offsetof(struct device_request, memory) }, \
	{ "--board", ARGUMENT, "BOARD", "only those of this board, e.g. p150a", \
		option_text, (offset) + offsetof(struct device_request, board) }
/* clang-format on */

/* A setter: bytes, e.g. 8G. */
int option_bytes(const struct option_given *given, void *member);

/* Adds the fields that device_request_select() needs. */
void device_request_wants(const struct device_request *request, struct want *want);

/*
 * Sets keep[] for the devices of the last snapshot that fit the request, and that our own
 * TT_VISIBLE_DEVICES includes. Returns an exit code, as session_select().
 */
MUST_CHECK int device_request_select(const struct device_request *request,
				     const struct visible_devices *visible, struct session *session,
				     bool *keep);
