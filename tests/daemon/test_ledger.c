/*
 * The ledger of legacy clients compared with a simple model, a list: after each random report the
 * totals must be the sum of the list.
 */
#include "daemon/account.h"
#include "daemon/ledger.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define NO_LIMIT UINT32_MAX

static void the_same_id_in_other_pools_and_devices_is_another_allocation(void **state)
{
	struct ledger ledger = { 0 };

	(void)state;
	assert_int_equal(ledger_hold(&ledger, 0, POOL_DRAM, 7, 100, 1, 1, NO_LIMIT), 1);
	assert_int_equal(ledger_hold(&ledger, 0, POOL_L1, 7, 200, 1, 1, NO_LIMIT), 1);
	assert_int_equal(ledger_hold(&ledger, 1, POOL_DRAM, 7, 300, 1, 1, NO_LIMIT), 1);
	assert_int_equal(ledger_count(&ledger), 3);
	assert_int_equal(ledger.devices[0]->pool[POOL_DRAM].now_bytes, 100);
	assert_int_equal(ledger_release(&ledger, 0, POOL_L1, 7, 2), 1);
	assert_int_equal(ledger.devices[0]->pool[POOL_L1].now_bytes, 0);
	assert_int_equal(ledger.devices[1]->pool[POOL_DRAM].now_bytes, 300);
	ledger_done(&ledger);
}

static void a_reference_more_takes_a_free_more(void **state)
{
	struct ledger ledger = { 0 };

	(void)state;
	assert_int_equal(ledger_hold(&ledger, 0, POOL_DRAM, 7, 100, 1, 1, NO_LIMIT), 1);
	assert_int_equal(ledger_hold(&ledger, 0, POOL_DRAM, 7, 150, 1, 1, NO_LIMIT), 0);
	assert_int_equal(ledger.devices[0]->pool[POOL_DRAM].now_bytes, 150);
	assert_int_equal(ledger.devices[0]->pool[POOL_DRAM].allocs, 1);
	assert_int_equal(ledger_release(&ledger, 0, POOL_DRAM, 7, 2), 0);
	assert_int_equal(ledger.devices[0]->pool[POOL_DRAM].now_bytes, 150);
	assert_int_equal(ledger_release(&ledger, 0, POOL_DRAM, 7, 2), 1);
	assert_int_equal(ledger.devices[0]->pool[POOL_DRAM].now_bytes, 0);
	assert_int_equal(ledger_release(&ledger, 0, POOL_DRAM, 7, 2), -ENOENT);
	assert_int_equal(ledger.misuse[TABLE_UNKNOWN_FREE], 1);
	ledger_done(&ledger);
}

static void no_total_exceeds_what_a_pool_can_have(void **state)
{
	struct ledger ledger = { 0 };

	(void)state;
	assert_int_equal(ledger_hold(&ledger, 0, POOL_DRAM, 1, TABLE_BYTES_MAX - 1, 1, 1, NO_LIMIT),
			 1);
	assert_int_equal(ledger_hold(&ledger, 0, POOL_DRAM, 2, 2, 1, 1, NO_LIMIT), -EOVERFLOW);
	assert_int_equal(ledger_hold(&ledger, 0, POOL_DRAM, 1, TABLE_BYTES_MAX + 1, 1, 1, NO_LIMIT),
			 -EOVERFLOW);
	assert_int_equal(ledger_hold(&ledger, 0, POOL_DRAM, 3, 1, 1, 1, NO_LIMIT), 1);
	assert_int_equal(ledger.devices[0]->pool[POOL_DRAM].now_bytes, TABLE_BYTES_MAX);
	assert_int_equal(ledger.misuse[TABLE_OVERFLOW], 2);
	ledger_done(&ledger);
}

static void what_exceeds_the_limit_is_counted_as_lost(void **state)
{
	struct ledger ledger = { 0 };

	(void)state;
	assert_int_equal(ledger_hold(&ledger, 0, POOL_DRAM, 1, 1, 1, 1, 2), 1);
	assert_int_equal(ledger_hold(&ledger, 0, POOL_DRAM, 2, 1, 1, 1, 2), 1);
	assert_int_equal(ledger_hold(&ledger, 0, POOL_DRAM, 3, 1, 1, 1, 2), -ENOSPC);
	assert_int_equal(ledger_hold(&ledger, 0, POOL_DRAM, 2, 5, 1, 1, 2), 0);
	assert_int_equal(ledger.misuse[TABLE_LOST], 1);
	assert_int_equal(ledger.devices[0]->pool[POOL_DRAM].now_bytes, 6);
	ledger_done(&ledger);
}

/* ---- against a model ---- */

enum { IDS = 200, DEVICES = 3, POOLS = 3, CONNECTIONS = 3, STEPS = 200000 };

struct model {
	uint64_t size[DEVICES][POOLS][IDS];
	uint32_t references[DEVICES][POOLS][IDS], through[DEVICES][POOLS][IDS];
};

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void model_forget(struct model *model, uint32_t through)
{
	for (int d = 0; d < DEVICES; d++) {
		for (int p = 0; p < POOLS; p++) {
			for (int i = 0; i < IDS; i++) {
				if (model->through[d][p][i] != through)
					continue;
				model->size[d][p][i] = model->references[d][p][i] = 0;
			}
		}
	}
}

static void compare(const struct model *model, const struct ledger *ledger)
{
	uint32_t count = 0;

	for (int d = 0; d < DEVICES; d++) {
		for (int p = 0; p < POOLS; p++) {
			uint64_t sum = 0;

			for (int i = 0; i < IDS; i++) {
				sum += model->size[d][p][i];
				count += model->size[d][p][i] > 0;
			}
			if (ledger->devices[d])
				assert_int_equal(ledger->devices[d]->pool[p].now_bytes, sum);
			else
				assert_int_equal(sum, 0);
		}
	}
	assert_int_equal(ledger_count(ledger), count);
}

static void random_reports_agree_with_a_model(void **state)
{
	static struct model model;
	struct ledger ledger = { 0 };
	uint64_t seed = 20251103;

	(void)state;
	for (int n = 0; n < STEPS; n++) {
		uint64_t x = random_next(&seed);
		uint32_t d = x % DEVICES, p = x / 8 % POOLS, i = x / 64 % IDS;
		uint32_t through = (uint32_t)(x >> 32) % CONNECTIONS + 1;
		uint64_t id = (uint64_t)i << 20; /* as addresses are */

		if (x >> 40 & 1) {
			uint64_t size = (x >> 44) + 1;
			int r = ledger_hold(&ledger, d, (enum pool)p, id, size, 1, through,
					    NO_LIMIT);

			assert_int_equal(r, model.size[d][p][i] == 0);
			if (r)
				model.through[d][p][i] = through;
			model.size[d][p][i] = size;
			model.references[d][p][i]++;
		} else {
			int r = ledger_release(&ledger, d, (enum pool)p, id, 1);

			if (!model.size[d][p][i]) {
				assert_int_equal(r, -ENOENT);
			} else if (--model.references[d][p][i] == 0) {
				assert_int_equal(r, 1);
				model.size[d][p][i] = 0;
			} else {
				assert_int_equal(r, 0);
			}
		}
		if (n % 5000 == 4999) {
			ledger_forget(&ledger, through, 1);
			model_forget(&model, through);
		}
		if (n % 97 == 0)
			compare(&model, &ledger);
	}
	compare(&model, &ledger);
	ledger_done(&ledger);
}

/* ---- accounts ---- */

struct book {
	struct limits limits;
	struct users users;
	struct accounts accounts;
};

static void book_begin(struct book *book, uint32_t finished, uint32_t share)
{
	limits_init(&book->limits);
	book->limits.value[LIMIT_FINISHED] = finished;
	book->limits.share[LIMIT_FINISHED] = share;
	users_init(&book->users, &book->limits);
	accounts_init(&book->accounts, &book->users);
}

static void book_end(struct book *book)
{
	accounts_done(&book->accounts);
	users_done(&book->users);
}

static uint32_t book_count(const struct book *book, uint32_t uid)
{
	uint32_t count = 0;

	for (LIST_EACH(at, &book->accounts.list))
		count += accounts_entry_of(at)->process.uid == uid;
	return count;
}

static void the_last_accounts_are_kept_in_order(void **state)
{
	struct image_usage usage = { .peak_bytes = 1 };
	uint64_t serials[11] = { 0 };
	uint32_t pid = 7;
	struct book book;

	(void)state;
	book_begin(&book, 4, 4);
	for (uint32_t i = 1; i <= 10; i++)
		serials[i] = accounts_add(&book.accounts, &(struct image_process){ .pid = i },
					  &usage, 1);
	assert_int_equal(book.accounts.count, 4);
	assert_int_equal(book.accounts.total, 10);
	for (LIST_EACH(at, &book.accounts.list))
		assert_int_equal(accounts_entry_of(at)->process.pid, pid++);
	assert_int_equal(accounts_find(&book.accounts, serials[8])->process.pid, 8);
	assert_null(accounts_find(&book.accounts, serials[6]));
	assert_null(accounts_find(&book.accounts, serials[10] + 1));
	book_end(&book);
}

static void a_user_pushes_out_its_own_accounts_only(void **state)
{
	struct book book;

	(void)state;
	book_begin(&book, 100, 40);
	accounts_add(&book.accounts, &(struct image_process){ .uid = 70001 }, NULL, 0);
	for (int i = 0; i < 500; i++)
		accounts_add(&book.accounts, &(struct image_process){ .uid = 70002 }, NULL, 0);
	assert_int_equal(book_count(&book, 70001), 1);
	assert_int_equal(book_count(&book, 70002), 40);
	/* If there are more users than shares, the user with the most accounts loses one. */
	for (uint32_t uid = 70003; uid < 70010; uid++)
		for (int i = 0; i < 500; i++)
			accounts_add(&book.accounts, &(struct image_process){ .uid = uid }, NULL,
				     0);
	assert_int_equal(book.accounts.count, 100);
	assert_int_equal(book_count(&book, 70001), 1);
	for (uint32_t uid = 70002; uid < 70010; uid++)
		assert_in_range(book_count(&book, uid), 10, 16);
	book_end(&book);
}

static void accounts_never_keep_more_usages_than_they_may(void **state)
{
	static struct image_usage usages[448];
	struct book book;
	uint64_t last = 0;

	(void)state;
	book_begin(&book, 4096, 1024);
	for (uint32_t i = 1; i <= 200; i++)
		accounts_add(&book.accounts, &(struct image_process){ .uid = 70001 }, usages, 448);
	assert_in_range(book.accounts.usages, ACCOUNT_USAGES_USER_MAX - 447,
			ACCOUNT_USAGES_USER_MAX);
	for (uint32_t i = 1; i <= 1000; i++)
		last = accounts_add(&book.accounts, &(struct image_process){ .pid = i }, usages,
				    448);
	assert_in_range(book.accounts.usages, ACCOUNT_USAGES_MAX - 447, ACCOUNT_USAGES_MAX);
	assert_int_equal(accounts_find(&book.accounts, last)->process.pid, 1000);
	assert_true(book_count(&book, 70001) > 0);
	book_end(&book);
}

/* ---- shares ---- */

static void a_part_is_left_for_the_next_user(void **state)
{
	struct limits limits;
	struct users users;
	struct user *of[6];

	(void)state;
	limits_init(&limits);
	limits.value[LIMIT_CLIENTS] = 800;
	limits.share[LIMIT_CLIENTS] = 300;
	users_init(&users, &limits);
	for (uint32_t i = 0; i < 6; i++)
		of[i] = users_get(&users, i ? 70000 + i : 0);
	for (int round = 0; round < 1000; round++)
		for (int i = 1; i < 6; i++)
			(void)!user_take(of[i], LIMIT_CLIENTS);
	for (int i = 1; i < 6;
	     i++) /* of the 700 that are not reserved for root, a sixth stays free */
		assert_in_range(of[i]->used[LIMIT_CLIENTS], 116, 117);
	assert_in_range(user_room(of[0], LIMIT_CLIENTS), 215, 220);
	user_give_back(of[2], LIMIT_CLIENTS, of[2]->used[LIMIT_CLIENTS]);
	assert_true(user_room(of[3], LIMIT_CLIENTS) > 0);
	for (int i = 1; i < 6; i++)
		user_give_back(of[i], LIMIT_CLIENTS, of[i]->used[LIMIT_CLIENTS]);
	for (int i = 0; i < 400; i++)
		(void)!user_take(of[1], LIMIT_CLIENTS);
	assert_int_equal(of[1]->used[LIMIT_CLIENTS], 300);
	for (int i = 0; i < 6; i++)
		user_unref(of[i]);
	users_done(&users);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_id_in_other_pools_and_devices_is_another_allocation),
		cmocka_unit_test(a_reference_more_takes_a_free_more),
		cmocka_unit_test(no_total_exceeds_what_a_pool_can_have),
		cmocka_unit_test(what_exceeds_the_limit_is_counted_as_lost),
		cmocka_unit_test(random_reports_agree_with_a_model),
		cmocka_unit_test(the_last_accounts_are_kept_in_order),
		cmocka_unit_test(a_user_pushes_out_its_own_accounts_only),
		cmocka_unit_test(accounts_never_keep_more_usages_than_they_may),
		cmocka_unit_test(a_part_is_left_for_the_next_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
