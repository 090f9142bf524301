/*
 * Claims on devices: which of them keep a device from a run, for how long, and how they are written
 * as ranges.
 */
#include "model/claim.h"
#include "unit.h"

#define S INT64_C(1000000)

enum { US = 100, ALICE = 1000, BOB = 1001 };

static bool is_unused(uint32_t device, void *arg)
{
	(void)device;
	return *(bool *)arg;
}

struct scene {
	struct claims claims;
	struct claim_watch watch;
	struct claim_asker asker;
	bool unused;
};

static struct scene scene_new(int64_t arrival_us)
{
	return (struct scene){ .asker = { US, ALICE, arrival_us }, .unused = true };
}

static void scene_done(struct scene *scene)
{
	claims_done(&scene->claims);
	claim_watch_done(&scene->watch);
}

static void add(struct scene *scene, struct claim claim)
{
	assert_int_equal(claims_add(&scene->claims, &claim), 0);
}

/* The pid of the process whose claim keeps device 0 from us at this time; 0: none. */
static int32_t look(struct scene *scene, int64_t now_us)
{
	const struct claim *claim;

	assert_int_equal(claim_watch_update(&scene->watch, &scene->claims, &scene->asker, is_unused,
					    &scene->unused, now_us),
			 0);
	claim = claim_find_obstacle(&scene->claims, &scene->watch, &scene->asker, 0, now_us);
	return claim ? claim->pid : 0;
}

static void a_range_is_a_claim(void **state)
{
	struct claim claim = { 0 };

	(void)state;
	for (int stage = CLAIM_ASKING; stage <= CLAIM_TAKEN; stage++) {
		int64_t start = claim_start(123456789);

		assert_true(claim_parse_range(start, start + stage - 1, &claim));
		assert_int_equal(claim.stage, stage);
		assert_int_equal(claim.time_us, 123456789);
	}
	assert_true(claim_start(2) > claim_start(1) + CLAIM_STAGES);
	assert_false(claim_parse_range(1, 1, &claim));
	assert_false(claim_parse_range(0, CLAIM_STAGES, &claim));
	assert_false(claim_parse_range(0, INT64_MAX, &claim));
	assert_false(claim_parse_range(-4, -4, &claim));
	assert_false(claim_parse_range(4, 3, &claim));
}

static void earlier_runs_come_first(void **state)
{
	struct scene scene = scene_new(50 * S);

	(void)state;
	add(&scene, (struct claim){ 0, US, ALICE, CLAIM_TAKEN, 60 * S });
	add(&scene, (struct claim){ 1, 7, BOB, CLAIM_TAKEN, 60 * S });
	add(&scene, (struct claim){ 0, 8, BOB, CLAIM_WAITING, 51 * S });
	add(&scene, (struct claim){ 0, US + 1, BOB, CLAIM_WAITING, 50 * S });
	assert_int_equal(look(&scene, 60 * S), 0);
	add(&scene, (struct claim){ 0, US - 1, BOB, CLAIM_ASKING, 50 * S });
	assert_int_equal(look(&scene, 60 * S), US - 1);
	add(&scene, (struct claim){ 0, 9, BOB, CLAIM_TAKEN, 59 * S });
	assert_int_equal(look(&scene, 60 * S), 9);
	scene_done(&scene);
}

static void outside_the_queue_only_taken_devices_count(void **state)
{
	struct scene scene = scene_new(0);

	(void)state;
	add(&scene, (struct claim){ 0, 8, BOB, CLAIM_WAITING, 1 });
	assert_int_equal(look(&scene, 60 * S), 0);
	add(&scene, (struct claim){ 0, 9, BOB, CLAIM_TAKEN, 59 * S });
	assert_int_equal(look(&scene, 60 * S), 9);
	scene_done(&scene);
}

static void a_claim_ends_by_its_own_word(void **state)
{
	struct scene scene = scene_new(50 * S);

	(void)state;
	add(&scene, (struct claim){ 0, 9, BOB, CLAIM_TAKEN, 40 * S });
	assert_int_equal(look(&scene, (40 + CLAIM_UNUSED_S) * S), 9);
	assert_int_equal(look(&scene, (40 + CLAIM_UNUSED_S) * S + 1), 0);
	scene_done(&scene);
}

/* A user's processes claim the device again and again, and none opens it. */
static void an_unused_device_is_not_kept_by_renewed_claims(void **state)
{
	struct scene scene = scene_new(50 * S);
	int64_t t;

	(void)state;
	add(&scene, (struct claim){ 0, 9, BOB, CLAIM_TAKEN, 0 });
	for (t = 50; t <= 50 + CLAIM_UNUSED_S; t++) {
		scene.claims.list[0].time_us = t * S;
		scene.claims.list[0].pid++;
		assert_int_equal(look(&scene, t * S), scene.claims.list[0].pid);
	}
	assert_int_equal(look(&scene, t * S), 0);
	/* After the user has used it, a claim counts for a minute again. */
	scene.unused = false;
	(void)look(&scene, t * S);
	scene.unused = true;
	assert_int_equal(look(&scene, ++t * S), scene.claims.list[0].pid);
	scene_done(&scene);
}

/* A run that does not use its device does not invalidate claims of other runs of our own user. */
static void runs_of_our_user_are_told_apart(void **state)
{
	struct scene scene = scene_new(50 * S);

	(void)state;
	add(&scene, (struct claim){ 0, 9, ALICE, CLAIM_TAKEN, INT64_MAX / 8 });
	assert_int_equal(look(&scene, 50 * S), 9);
	assert_int_equal(look(&scene, 111 * S), 0);
	add(&scene, (struct claim){ 0, 10, ALICE, CLAIM_TAKEN, 111 * S });
	assert_int_equal(look(&scene, 112 * S), 10);
	scene_done(&scene);
}

static void an_earlier_run_of_another_user_waits_at_our_expense_for_a_time(void **state)
{
	struct scene scene = scene_new(50 * S);

	(void)state;
	add(&scene, (struct claim){ 0, 9, BOB, CLAIM_WAITING, 1 });
	assert_int_equal(look(&scene, 50 * S), 9);
	assert_int_equal(look(&scene, (50 + CLAIM_UNUSED_S) * S), 9);
	assert_int_equal(look(&scene, (50 + CLAIM_UNUSED_S) * S + 1), 0);
	scene_done(&scene);
	/* Runs of one user never overtake each other. */
	scene = scene_new(50 * S);
	add(&scene, (struct claim){ 0, 9, ALICE, CLAIM_WAITING, 1 });
	assert_int_equal(look(&scene, 50 * S), 9);
	assert_int_equal(look(&scene, 5000 * S), 9);
	scene_done(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_is_a_claim),
		cmocka_unit_test(earlier_runs_come_first),
		cmocka_unit_test(outside_the_queue_only_taken_devices_count),
		cmocka_unit_test(a_claim_ends_by_its_own_word),
		cmocka_unit_test(an_unused_device_is_not_kept_by_renewed_claims),
		cmocka_unit_test(runs_of_our_user_are_told_apart),
		cmocka_unit_test(an_earlier_run_of_another_user_waits_at_our_expense_for_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
