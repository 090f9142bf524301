/*
 * The processor time that costly answers may take: half of it in all and a quarter for one client
 * address, with a burst, so that they delay other answers by at most a part of a second. Pure, no
 * clock.
 */
#pragma once

#include "serve/address.h"

#include <stdint.h>

enum { BUDGET_ADDRESSES = 64 };

/* All zero: nothing was spent yet. */
struct budget {
	int64_t paid_ns; /* when all that was spent will have been made up for */
	struct {
		struct address_key key;
		int64_t paid_ns;
	} addresses[BUDGET_ADDRESSES]; /* those that were charged last */
};

enum budget_answer { BUDGET_ALLOWED, BUDGET_OF_ADDRESS_SPENT, BUDGET_SPENT };

enum budget_answer budget_ask(const struct budget *budget, const struct address_key *key,
			      int64_t now_ns);

/* Adds what an answer cost. */
void budget_charge(struct budget *budget, const struct address_key *key, int64_t now_ns,
		   int64_t cost_ns);
