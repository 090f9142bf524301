/*
 * For tests of the sampler: a small tree of files that the test changes between samples. The test
 * controls the clock: on a stalled machine, no read is late and nothing becomes stale.
 */
#pragma once

#include "basic/clock.h"
#include "basic/file.h"
#include "source/sampler.h"
#include "unit.h"

#include <stdatomic.h>

#define CARD  "sys/class/tenstorrent/tenstorrent!0/"
#define PCI   "sys/devices/0000:01:00.0/"
#define HWMON PCI "hwmon/hwmon4/"

extern struct root root;
extern struct want want; /* everything, at first */
extern struct sampler *sampler;
extern struct snapshot *before, *now;

/* One healthy n150 without holders. */
int make_tree(void **state);
int remove_tree(void **state);
#define ON_TREE(test) cmocka_unit_test_setup_teardown(test, make_tree, remove_tree)

/* Takes a sample, a millisecond after the last one. Returns the only device. */
struct device *sample(void);

void make_folders(const char *path);
void put_bytes(const char *path, const void *data, size_t length);
void put(const char *path, const char *text);
void drop(const char *path);

/* All readings of the card: the initial ones, absent, or those of a dead chip. */
void put_telemetry(void);
void drop_telemetry(void);
void put_dead(void);
void put_counters(const char *text);

/* Process 4242 holds the device. */
void put_holder(void);

/* sampler_calls.c: the linker redirects calls of clock_gettime(), openat() and pread(). */

extern atomic_int_fast64_t held_ns; /* CLOCK_MONOTONIC, if not 0 */
extern const char *_Atomic hanging; /* opening a file of this name waits for a write to gate[1] */
extern int gate[2];
extern const char *empty;     /* reads of files of this name fail with ENODATA */
extern atomic_uint looks;     /* how often /proc/PID/fd was opened */
extern unsigned shared_opens; /* how often /dev/shm or a file in it was opened for reading */
