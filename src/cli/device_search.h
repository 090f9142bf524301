/*
 * Looks for free devices, for wait, select and run --devices: those that fit a request, that no job
 * has open and that no other run has claimed.
 */
#pragma once

#include "cli/device_request.h"
#include "model/claim.h"
#include "source/claim_files.h"

enum candidate_state {
	CANDIDATE_FREE,
	CANDIDATE_FAILING,  /* the device does not work now */
	CANDIDATE_OCCUPIED, /* by a process */
	CANDIDATE_CLAIMED,  /* by another run */
};

/* A device that fits the request. */
struct candidate {
	size_t device; /* in the snapshot */
	uint32_t index;
	enum candidate_state state;
	const struct claim *claim; /* CANDIDATE_CLAIMED */
};

struct device_search {
	const struct device_request *request;
	struct session session;
	struct visible_devices visible; /* our TT_VISIBLE_DEVICES */
	struct claim_files files;
	struct claims claims; /* of the last look */
	struct claim_watch watch;
	struct claim_asker asker;
	/* our ancestors: devices that one of them has taken are free for us */
	int32_t ancestors[32];
	unsigned n_ancestors;
	struct candidate *candidates; /* in the order of devices */
	size_t count;
};

/* Both print errors and return an exit code. */
MUST_CHECK int device_search_open(struct device_search *search,
				  const struct device_request *request);
MUST_CHECK int device_search_first(struct device_search *search);
void device_search_close(struct device_search *search);

/* Opens the session again, which may be closed meanwhile. Returns an exit code. */
MUST_CHECK int device_search_resume(struct device_search *search);
void device_search_suspend(struct device_search *search);

/* Looks again. Returns an exit code; if it is not 0, session.problem has the reason. */
MUST_CHECK int device_search_look(struct device_search *search);

unsigned device_search_free(const struct device_search *search);

/* Is a device unavailable only because another run is looking for devices at this moment? */
bool device_search_is_undecided(const struct device_search *search);

/* "0: python3 (pid 4711, alice); 1: taken by pid 4712 (uid 1000)": why the others are not free. */
void device_search_explain(const struct device_search *search, struct buf *out);

/* Prints that fewer devices are free than requested, and why. Returns EXIT_TOO_FEW. */
int device_search_too_few(const struct device_search *search, unsigned wanted);

/* The value of TT_VISIBLE_DEVICES for these devices. */
void device_search_put_value(const struct device_search *search, const uint32_t *devices,
			     size_t count, struct buf *out);

/* CLOCK_BOOTTIME in microseconds, the time of claims. */
int64_t claim_now(void);
