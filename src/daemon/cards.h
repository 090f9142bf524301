/*
 * The cards of this machine from the observer's latest sample, and the memory figures of programs
 * that do not report themselves (from the tracer and from TT-Metal's counters).
 */
#pragma once

#include "basic/macros.h"
#include "daemon/list.h"
#include "daemon/loop.h"
#include "model/merge.h"
#include "proto/snapshot_image.h"
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
	uint64_t memory[POOL_COUNT]; /* capacity of DRAM and L1; 0: unknown */
	uint32_t channels;	     /* 0: unknown */
};

/* A wait for the observer's next sample; embedded in the waiting object. */
struct cards_wait {
	struct list member;
	void (*done)(struct cards_wait *wait);
};

/*
 * Returns the links that the observer checks with each sample. The caller frees them; NULL: none.
 */
typedef struct observed_link *cards_links(void *arg, size_t *ret_count);

struct cards {
	struct known_card list[TABLE_DEVICES]; /* sorted by PCI address, as in TT-Metal */
	size_t count;
	struct image_device activity[TABLE_DEVICES]; /* when they last showed work */
	size_t n_activity;
	struct loop *loop;
	struct observer *observer;
	cards_links *links;
	void *arg;
	struct list waiting;		 /* struct cards_wait */
	struct timer overdue;		 /* limits their wait */
	struct observation *observation; /* the latest; NULL: none yet */
	bool asked;			 /* a sample is being taken */
	int64_t stale_ns;		 /* CLOCK_MONOTONIC: samples that began earlier are stale */
	struct timer settle;		 /* retries while a card cannot be read */
	unsigned retries;		 /* number of retries left */
};

void cards_init(struct cards *cards, struct loop *loop, struct observer *observer,
		cards_links *links, void *arg);
void cards_done(struct cards *cards);

/* Is the latest sample recent enough? */
bool cards_are_fresh(const struct cards *cards);

/* Requests a sample, unless the latest is fresh or one is being taken. */
void cards_refresh(struct cards *cards);

/* The same; done() is called when the sample arrives or takes too long. */
void cards_wait_start(struct cards *cards, struct cards_wait *wait);
void cards_wait_stop(struct cards_wait *wait);

/* Takes ownership of the observer's sample. Call cards_wake() afterwards. */
void cards_take(struct cards *cards, struct observation *observation);
void cards_wake(struct cards *cards);

/* Takes the latest list of when cards showed work. */
void cards_take_activity(struct cards *cards, const struct image_device *list, size_t count);

/* Ends all waits, with or without a new sample. */
void cards_wake_all(struct cards *cards);

/* Marks the latest sample as stale. */
void cards_expire(struct cards *cards);

/*
 * The card that a process with this TT_VISIBLE_DEVICES addresses by a logical id. NULL: none, or
 * unknown.
 */
const struct known_card *cards_logical(const struct cards *cards,
				       const struct visible_devices *visible,
				       enum visible_meaning meaning, uint32_t id);

/* Number of cards that it sees; 0 also if that is unknown. */
size_t cards_count_visible(const struct cards *cards, const struct visible_devices *visible,
			   enum visible_meaning meaning);

/*
 * Memory reports of the tracer and of TT-Metal's counters, one per process and card. Their devices
 * are indices into *ret_snapshot, which is NULL if there is none. Valid until the next
 * cards_take().
 */
size_t cards_counts(const struct cards *cards, const struct memory_report **ret_reports,
		    const struct snapshot **ret_snapshot);

/* The snapshot of the latest sample; NULL: none. */
const struct snapshot *cards_snapshot(const struct cards *cards);
