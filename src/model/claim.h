/*
 * Claims: how concurrent runs of tt_smi share the devices of a machine without a server.
 *
 * A run publishes for each device whether it asks for it, waits for it or has taken it. The claim
 * is a shared lock (source/claim_files.h): no user can prevent it, the kernel shows it to all users
 * with the process that made it, and removes it when that process ends. Shared locks are not
 * mutually exclusive: each run reads the claims of the others after making its own, and if two take
 * the same device at the same moment, at least one of them sees the other and withdraws.
 *
 * A run takes a device if no other run has taken it and none that arrived earlier wants it. A claim
 * no longer counts if the device stays unused for long. The time in a claim is written by the
 * claiming process and may be false, so each run also measures for how long it has seen an unused
 * device being claimed, and by which process or user.
 *
 * Pure functions; times are those of CLOCK_BOOTTIME in microseconds.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A taken device is given back if no process has it open for this time. For the same time at most,
 * a run that waits for more devices keeps an unused one from runs of other users.
 */
enum { CLAIM_UNUSED_S = 60 };

enum claim_stage {
	CLAIM_ASKING = 1, /* looks for free devices now, and will take some or give up */
	CLAIM_WAITING,
	CLAIM_TAKEN,
	CLAIM_STAGES = CLAIM_TAKEN,
};

#define CLAIM_NO_USER UINT32_MAX /* the user of a process that is hidden from us */

struct claim {
	uint32_t device; /* the N of /dev/tenstorrent/N */
	int32_t pid;	 /* 0: of a process that is not visible in our pid namespace */
	uint32_t uid;
	enum claim_stage stage;
	int64_t time_us; /* of arrival; if taken: when it was, or when the device was last used */
};

struct claims {
	struct claim *list;
	size_t count, room;
};

MUST_CHECK int claims_add(struct claims *claims, const struct claim *claim);
void claims_done(struct claims *claims);

/* ---- claims as ranges of bytes, which is what a lock can express ---- */

int64_t claim_start(int64_t time_us);

/* False: the range, whose last byte is included, is no claim. */
bool claim_parse_range(int64_t start, int64_t last, struct claim *ret);

/* ---- judging ---- */

/*
 * The run that asks: its own claims do not count. time_us: its arrival; 0: it is not in the queue.
 */
struct claim_asker {
	int32_t pid;
	uint32_t uid;
	int64_t time_us;
};

/* An unused device that others have kept from an observer since then, without interruption. */
struct claim_delay {
	uint32_t device;
	bool taken;   /* else waited for */
	uint32_t uid; /* of the other one */
	int32_t pid;  /* for processes of the observer's own user; 0: any process of that user */
	int64_t since_us;
	bool seen; /* in the last look */
};

/* The memory of an observer. */
struct claim_watch {
	struct claim_delay *list;
	size_t count, room;
};

/*
 * Records the claims that are obstacles now. unused(): does no process have the device open?
 */
MUST_CHECK int claim_watch_update(struct claim_watch *watch, const struct claims *claims,
				  const struct claim_asker *asker,
				  bool (*unused)(uint32_t device, void *arg), void *arg,
				  int64_t now_us);
void claim_watch_done(struct claim_watch *watch);

/* The claim that keeps the device from the asker; NULL: none. A taken one comes first. */
const struct claim *claim_find_obstacle(const struct claims *claims,
					const struct claim_watch *watch,
					const struct claim_asker *asker, uint32_t device,
					int64_t now_us);
