/*
 * The driver's files of one card: where they are, and the descriptors of those that
 * are read again and again. A pread() costs a sixth of open, read and close.
 */
#pragma once

#include "basic/root.h"
#include "model/device.h"
#include "model/reason.h"
#include "source/attribute.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CARD_KEPT = N_ATTRIBUTES + DEVICE_COUNTERS };

struct card_files {
	const struct root *root;
	uint32_t index;
	int class_fd, hwmon_fd; /* O_PATH directories */
	int kept[CARD_KEPT];	/* by attribute, the counters last */
	bool touched;		/* one was read since this was last set to false */
};

void card_files_init(struct card_files *files, const struct root *root, uint32_t index);

/* Lets go of all of them: they are looked for anew. */
void card_files_close(struct card_files *files);

/* 1: the card was found, perhaps another one than before; 0: it was open; -errno. */
MUST_CHECK int card_files_open(struct card_files *files);

/* The PCI address. False: the link does not tell. */
bool card_files_address(const struct card_files *files, char *bdf, size_t size);

/* Reads and parses into the device. */
enum reason card_files_read(struct card_files *files, const struct attribute *attribute,
			    struct device *dev);

/* Files can appear late: what was absent is looked for again. */
void card_files_retry(struct card_files *files);

/* Whoever reads nothing learns nothing: is the directory still the one that was opened? */
bool card_files_are_stale(const struct card_files *files);
