/*
 * The cards of this machine, as the observer has last seen them, and what is counted of programs
 * that do not report: by the tracer, and by TT-Metal.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/list.h"
#include "daemon/loop.h"
#include "model/merge.h"
#include "proto/table.h"
#include "proto/visible_devices.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct observer;
struct observed_link;
struct observation;

struct known_card {
	struct table_device identity;
	char name[32];
	enum arch arch;
	uint64_t memory[POOL_COUNT]; /* capacity of DRAM and L1; 0 unknown */
	uint32_t channels;	     /* 0 unknown */
};

/* Waits for what the observer sees; member of the object that does. */
struct cards_wait {
	struct list member;
	void (*done)(struct cards_wait *wait);
};

/* Gives the links that the observer checks with each sample. To be freed; NULL: none. */
typedef struct observed_link *cards_links(void *arg, size_t *ret_count);

struct cards {
	struct known_card list[TABLE_DEVICES]; /* by PCI address: TT-Metal's order */
	size_t count;
	struct loop *loop;
	struct observer *observer;
	cards_links *links;
	void *arg;
	struct list waiting;		 /* struct cards_wait */
	struct timer overdue;		 /* they wait no longer than this */
	struct observation *observation; /* the last; NULL: none yet */
	bool asked;			 /* one is under way */
	int64_t stale_ns;		 /* CLOCK_MONOTONIC: one that began before will not do */
	struct timer settle;		 /* asks again if a card did not answer */
	unsigned retries;		 /* left */
};

void cards_init(struct cards *cards, struct loop *loop, struct observer *observer,
		cards_links *links, void *arg);
void cards_done(struct cards *cards);

/* Is what is known not older than a moment? */
bool cards_are_fresh(const struct cards *cards);

/* Asks the observer, unless what is known is fresh or a sample is under way. */
void cards_refresh(struct cards *cards);

/* The same, and done() is called once it is known, or takes too long. */
void cards_wait_start(struct cards *cards, struct cards_wait *wait);
void cards_wait_stop(struct cards_wait *wait);

/* Takes what the observer has seen; then cards_wake() ends the waits. */
void cards_take(struct cards *cards, struct observation *observation);
void cards_wake(struct cards *cards);

/* Ends them all, whatever is known. */
void cards_wake_all(struct cards *cards);

/* What is known has changed. */
void cards_expire(struct cards *cards);

/*
 * The card that a process with this list means by a logical id. NULL: none, or it is not
 * known.
 */
const struct known_card *cards_logical(const struct cards *cards,
				       const struct visible_devices *visible,
				       enum visible_meaning meaning, uint32_t id);

/* How many it sees; 0 also if that is not known. */
size_t cards_count_visible(const struct cards *cards, const struct visible_devices *visible,
			   enum visible_meaning meaning);

/*
 * What the tracer and TT-Metal's own counters say of processes, one report per card of each.
 * The reports' devices are places in the snapshot, NULL if there is none. Valid until the next
 * cards_take().
 */
size_t cards_counts(const struct cards *cards, const struct memory_report **ret_reports,
		    const struct snapshot **ret_snapshot);

/* The snapshot alone. */
const struct snapshot *cards_snapshot(const struct cards *cards);

/* Identity of a device of such a snapshot. */
void card_identify(const struct device *device, struct table_device *ret);
