/*
 * Devices taken for a run: waiting for them in order of arrival, keeping them while a command uses
 * them, giving them back.
 */
#pragma once

#include "cli/deadline.h"
#include "cli/device_search.h"

struct reserved_device {
	uint32_t index;
	bool kept;	 /* false: given up, since it was not used */
	int64_t time_us; /* of our claim: when it was last known to be used */
};

struct reservation {
	struct device_search search;
	struct reserved_device *devices;
	unsigned count;
	struct buf value; /* of TT_VISIBLE_DEVICES */
};

struct reservation_options {
	struct device_request request;
	unsigned count;
	bool wait, quiet;
	struct timeout timeout; /* of waiting */
};

/* Takes devices. Prints errors; returns an exit code. */
MUST_CHECK int reservation_make(struct reservation *reservation,
				const struct reservation_options *options);
void reservation_done(struct reservation *reservation);

/*
 * In a child process, before it executes the command: claims the devices for it as well, so that
 * they stay claimed for it if its parent is killed. -errno.
 */
MUST_CHECK int reservation_share(const struct reservation *reservation);

/*
 * Renews the claims on devices that are used, and gives up those that no process has used for a
 * minute. To be called every few seconds.
 */
void reservation_renew(struct reservation *reservation, bool quiet);
