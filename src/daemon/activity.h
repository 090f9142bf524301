/*
 * When each card last showed work, by its PCIe counters. They wrap within seconds at full speed, so
 * they are read every two seconds, in the observer's thread; cards without counters are not read
 * again until device nodes appear or disappear.
 */
#pragma once

#include "basic/macros.h"
#include "basic/root.h"
#include "proto/snapshot_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct activity;

MUST_CHECK int activity_new(const struct root *root, struct activity **ret);
struct activity *activity_free(struct activity *activity);

/* The cards may have changed: reads their counters at the next activity_run(). */
void activity_restart(struct activity *activity);

/* Milliseconds until activity_run() has something to read; -1: nothing. */
int activity_timeout(const struct activity *activity);

/* Reads the counters if it is time. Returns whether it has. */
bool activity_run(struct activity *activity);

/* The cards whose last work is known, or since when none was seen. Returns their number. */
size_t activity_list(const struct activity *activity, struct image_device ret[TABLE_DEVICES]);
