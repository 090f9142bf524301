/*
 * For tests of one source that reads a text of the tracer: devices and processes are given, and the
 * text is a file in a temporary tree.
 */
#pragma once

#include "source/source.h"
#include "unit.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/unit_source.XXXXXX";
static struct root root;
static struct want want;
static struct sample sample;
static void *state_of_source;

/* Creates these folders, of which parents come first. */
static inline int make_tree(const struct source *source, const char *const *folders, size_t count)
{
	strcpy(strchr(folder, '.'), ".XXXXXX");
	if (!mkdtemp(folder) || root_init(&root, folder) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (mkdirat(root.fd, folders[i], 0700) < 0)
			return -1;
	sample = (struct sample){ .root = &root, .want = &want, .deadline_ns = INT64_MAX / 4 };
	if (worker_pool_new(&sample.workers) < 0 || snapshot_new(&sample.snapshot) < 0 ||
	    source->open(&root, &state_of_source) < 0)
		return -1;
	return 0;
}

static inline int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static inline int remove_tree(const struct source *source)
{
	source->close(state_of_source, sample.workers);
	sample_done(&sample);
	snapshot_free(sample.snapshot);
	worker_pool_free(sample.workers);
	root_done(&root);
	return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void write_file(const char *path, const char *text)
{
	int fd = openat(root.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* Devices in the order of their addresses; all of their holders are known. */
static inline void add_devices(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct device device;

		device_init(&device, i);
		snprintf(device.bdf, sizeof(device.bdf), "0000:%02x:00.0", i + 1);
		device.why[DEV_BDF] = KNOWN;
		device.holders_known = true;
		assert_non_null(snapshot_add_device(sample.snapshot, &device));
	}
}

/* A process that has `count` devices open, from `first` on. */
static inline struct process *start_process(int32_t pid, uint64_t start, unsigned first,
					    unsigned count)
{
	struct process *process = snapshot_add_process(sample.snapshot, pid);

	assert_non_null(process);
	process->start_ticks = start;
	for (unsigned i = first; i < first + count; i++)
		assert_non_null(process_use(process, i));
	return process;
}
