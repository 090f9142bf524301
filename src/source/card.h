/*
 * One card: its files, and what was read from them.
 *
 * What does not change is read once. All of a card's reads are one job: they can
 * wait for a reset, and only that card's row waits.
 *
 * Nothing here lasts: a card can vanish between two reads and return with another
 * hwmon number, another card behind its index, or new firmware. ENODEV on a kept
 * descriptor means: forget everything, look again.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/root.h"
#include "model/device.h"
#include "source/attribute.h"
#include "source/card_files.h"

/* How the reads of one sample went. */
struct card_tally {
	unsigned known, dead, resetting, gone, absent;
};

struct card {
	uint32_t index;
	struct job job;
	bool present;	  /* found by the last scan */
	bool was_present; /* by the one before */
	struct fieldset want;
	struct fieldset asked; /* as card_ask() was told; want may have more */
	bool low_rate;
	int64_t read_ns[PACE_N]; /* when those of a pace were last read; 0: to be read */
	struct card_files files;
	struct card_tally tally;
	uint32_t heartbeat;   /* the last that could be read: a lower one tells of a reset */
	struct device device; /* what is known of it; the job's alone while it runs */
	struct device last;   /* as the last finished job left it; never the job's */
};

struct card *card_new(uint32_t index, const struct root *root);
struct card *card_free(struct card *card);

/* What the next job reads. Not while one runs. */
void card_ask(struct card *card, const struct fieldset *want, bool low_rate);

/* The job, with the card as argument. */
void card_sample(void *arg);

/* No answer: what the chip is stays known, what it does is not. */
void card_lose(struct device *dev, const struct fieldset *want, enum device_state condition,
	       enum reason why);
