/* Utilisation that a collector publishes in shared memory: fresh, stale, and found again. */
#include "sampler_tree.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static atomic_bool stop; /* ends the thread of the collector */

static const uint64_t asic_id = 0x2F9C2B4A51D01A2B, board_id = 0x010001851170C06C;

/* One core, half busy, written at the given age, in a file with this id in its name. */
static void publish_as(uint64_t id, int64_t age_ms)
{
	unsigned char file[72 + 40] = "TTUT";
	uint64_t updated = (uint64_t)(clock_now(CLOCK_MONOTONIC) / 1000 - age_ms * 1000);
	uint32_t cores = 1, both = 3, pid = 4242;
	uint16_t version = 2, entry = 40, busy = 500;
	char path[64];

	memcpy(file + 4, &version, 2);
	memcpy(file + 6, &entry, 2);
	memcpy(file + 8, &id, 8);
	memcpy(file + 20, &both, 4);
	memcpy(file + 32, &updated, 8);
	memcpy(file + 40, &cores, 4);
	memcpy(file + 48, &pid, 4);
	memcpy(file + 72 + 10, &busy, 2);
	snprintf(path, sizeof(path), "dev/shm/tt_device_%llu_util", (unsigned long long)id);
	put_bytes(path, file, sizeof(file));
}

static void publish(int64_t age_ms)
{
	publish_as(asic_id, age_ms);
}

TEST(published_utilisation_is_shown_while_fresh)
{
	make_folders("proc/4242/");
	publish(0);
	assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	assert_near(now->devices[0].compute, 0.5);
	publish(1500);
	assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	publish(3000);
	assert_int_equal(sample()->why[DEV_COMPUTE], STALE);
}

/* A collector that does not wait for us: time advances during the sample. */
static void *collect(void *arg)
{
	int fd = *(int *)arg;

	while (!stop) {
		uint64_t updated;

		held_ns += NS_PER_MS / 10;
		updated = (uint64_t)held_ns / 1000;
		if (pwrite(fd, &updated, sizeof(updated), 32) < 0)
			break;
		usleep(100);
	}
	return NULL;
}

TEST(figures_written_while_we_sample_are_not_stale)
{
	pthread_t thread;
	int fd;

	make_folders("proc/4242/");
	publish(0);
	fd = openat(root.fd, "dev/shm/tt_device_3430664614349642283_util", O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pthread_create(&thread, NULL, collect, &fd), 0);
	for (unsigned turn = 0; turn < 20; turn++)
		assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	stop = true;
	pthread_join(thread, NULL);
	close(fd);
}

TEST(figures_from_the_future_are_stale)
{
	make_folders("proc/4242/");
	publish(-60000); /* from before a reboot, or forged */
	assert_int_equal(sample()->why[DEV_COMPUTE], STALE);
}

TEST(figures_of_an_exited_collector_are_stale)
{
	publish(0);
	assert_int_equal(sample()->why[DEV_COMPUTE], STALE);
}

TEST(shared_memory_is_listed_again_when_the_folder_changes)
{
	make_folders("proc/4242/");
	publish(0);
	usleep(150000); /* after this, the folder's modification time is final: see test_shm.c */
	assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	shared_opens = 0;
	publish(3000);
	assert_int_equal(sample()->why[DEV_COMPUTE], STALE);
	publish(0);
	assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	assert_int_equal(shared_opens, 0);
	drop("dev/shm/tt_device_3430664614349642283_util");
	assert_int_equal(sample()->why[DEV_COMPUTE], NO_TRACKER);
	publish(0);
	assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	/* The file is replaced within a tick, so the folder's modification time may be the same. */
	drop("dev/shm/tt_device_3430664614349642283_util");
	publish(3000);
	assert_int_equal(sample()->why[DEV_COMPUTE], STALE);
}

TEST(serial_numbers_are_read_for_files_that_no_asic_id_names)
{
	make_folders("proc/4242/");
	want = (struct want){ 0 };
	want_add(&want, OF_DEVICE, DEV_COMPUTE);
	sampler_want(sampler, &want);
	publish(0);
	assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	assert_int_equal(now->devices[0].why[DEV_SERIAL], NOT_ASKED);
	drop("dev/shm/tt_device_3430664614349642283_util");
	publish_as(board_id, 0);
	for (unsigned turn = 0; turn < 2; turn++) {
		assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
		assert_true(now->devices[0].serial == board_id);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TREE(published_utilisation_is_shown_while_fresh),
		ON_TREE(figures_written_while_we_sample_are_not_stale),
		ON_TREE(figures_from_the_future_are_stale),
		ON_TREE(figures_of_an_exited_collector_are_stale),
		ON_TREE(shared_memory_is_listed_again_when_the_folder_changes),
		ON_TREE(serial_numbers_are_read_for_files_that_no_asic_id_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
