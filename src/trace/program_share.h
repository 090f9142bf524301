/*
 * What the processes of one user may take from the tracer when it samples programs: places, chips,
 * and work, counted in bytes that are read. Each user has the same share, so a user with many
 * processes, or with false rings, is left out with the rest of them, and delays no other user.
 */
#pragma once

#include "basic/macros.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SHARE_PROCESSES = 128, /* that are sampled */
	SHARE_LINES = 1024,    /* processes that have at least a line with a reason */
	SHARE_CHIPS = 128,     /* of all its processes; each may have a ring of 2 MiB */
	SHARE_WORK = 32 << 20, /* in each sample; 50,000 programs a second on 32 chips take 25 MB */
	SHARE_CALL = 4096,     /* a call that reads memory counts like these bytes */
};

struct program_share {
	struct program_share *next;
	uint32_t uid;
	size_t references;
	size_t n_processes;    /* counted in this sample */
	atomic_size_t n_chips; /* jobs add chips too */
	int64_t work;	       /* left in this sample; below 0: owed by the next ones */
};

/* The share of a user, made if it is missing. NULL: no memory. */
struct program_share *program_share_get(struct program_share **all, uint32_t uid);

/* Ends a use of it, and frees it after the last one. Returns NULL. */
struct program_share *program_share_put(struct program_share **all, struct program_share *share);

/* Begins a sample. */
void program_shares_renew(struct program_share *all);

/* Counts a process. Returns how many of the user came before it in this sample. */
size_t program_share_count(struct program_share *share);

/* Pays for work. False: there is none left in this sample, and nothing was paid. */
bool program_share_pay(struct program_share *share, int64_t work);

/* False: the user has no more chips. */
bool program_share_take_chip(struct program_share *share);
void program_share_return_chips(struct program_share *share, size_t count);
