/*
 * The driver's files of one card: their locations, and open descriptors of those that are read
 * repeatedly. A pread() costs a sixth of open, read and close.
 */
#pragma once

#include "basic/root.h"
#include "model/device.h"
#include "model/reason.h"
#include "source/attribute.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct card_files {
	const struct root *root;
	uint32_t index;
	int class_fd, hwmon_fd;	     /* O_PATH directories */
	int kept[N_ATTRIBUTE_FILES]; /* as in attribute_at() */
	bool keeps_all;		     /* those of constants and limits too */
	bool touched;		     /* one was read since this was set to false */
};

void card_files_init(struct card_files *files, const struct root *root, uint32_t index);

/* Closes all of them, so that they are looked up again. */
void card_files_close(struct card_files *files);

/*
 * Returns 1 if the card was looked up (it may be another one than before), 0 if it was open,
 * -errno.
 */
MUST_CHECK int card_files_open(struct card_files *files);

/* The PCI address. False: the link does not contain one. */
bool card_files_address(const struct card_files *files, char *bdf, size_t size);

/* The address of the port above the device with this address. KNOWN, or why there is none. */
enum reason card_files_upstream(const struct card_files *files, const char *bdf, char *ret,
				size_t size);

/* Reads and parses into the device. */
enum reason card_files_read(struct card_files *files, const struct attribute *attribute,
			    struct device *dev);

/* Forgets which files were absent, since they can appear late. */
void card_files_retry(struct card_files *files);

/* Is the directory no longer the one that was opened? For cards of which nothing is read. */
bool card_files_are_stale(const struct card_files *files);
