/*
 * One card: its files, and what was read from them.
 *
 * Constants are read once. All reads of a card are one job, since they can block during a reset:
 * only that card's row is delayed.
 *
 * A card can disappear between two reads and return with another hwmon number, as another card with
 * the same index, or with new firmware. After ENODEV on an open descriptor everything is discarded
 * and looked up again.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/root.h"
#include "model/device.h"
#include "source/attribute.h"
#include "source/card_files.h"

/* Results of the reads of one sample. */
struct card_tally {
	unsigned known, dead, resetting, gone, absent;
};

struct card {
	uint32_t index;
	struct job job;
	bool present;	  /* found by the last scan */
	bool was_present; /* found by the one before */
	struct fieldset want;
	struct fieldset asked;		      /* as passed to card_ask(); want may have more */
	uint64_t asked_files[READ_INTERVALS]; /* those of asked: bits, as in attribute_at() */
	bool low_rate;
	int64_t read_ns[READ_INTERVALS]; /* when those of an interval were last read; 0: to be read
					  */
	struct card_files files;
	struct card_tally tally;
	uint32_t heartbeat;	    /* the last one read; a lower one shows a reset */
	enum device_field constant; /* that card_read_constant() reads */
	struct device device;	    /* what is known; owned by the job while it runs */
	struct device last;	    /* as the last finished job left it; never used by a job */
};

struct card *card_new(uint32_t index, const struct root *root);
struct card *card_free(struct card *card);

/* Sets what the next job reads. Must not be called while one runs. */
void card_ask(struct card *card, const struct fieldset *want, bool low_rate);

/* The job; its argument is the card. */
void card_sample(void *arg);

/* A second job for the same sample: reads the constant of card->constant, too. */
void card_read_constant(void *arg);

/*
 * When that job is done: takes what it can read, for the device of this card, or for a chip without
 * PCIe of which it is the gateway.
 */
void card_take_constants(struct card *card, struct device *ret);

/* The chip does not respond: keeps its identity and discards its readings. */
void card_lose(struct device *dev, const struct fieldset *want, enum device_state condition,
	       enum reason why);
