/*
 * The lines of one reading of the tracer's file, or of one process's table of programs, and the
 * figure that each of them means.
 */
#pragma once

#include "basic/root.h"
#include "model/device.h"
#include "model/utilization.h"
#include "proto/dispatch.h"
#include "source/program_tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dispatch_text {
	struct dispatch_line *lines; /* of devices first; those of one process are adjacent */
	size_t count;
	bool is_watched;  /* a process keeps them up to date */
	bool is_measured; /* there is a tracer, or a process that measures itself */
	uint64_t now;	  /* CLOCK_MONOTONIC, after they were read; 0: their age is not known */
	struct program_tables tables; /* of processes that measure themselves */
};

/* KNOWN, or why the line has no figure for this device. */
enum reason dispatch_line_reason(const struct root *root, const struct dispatch_text *text,
				 const struct dispatch_line *line, const struct device *dev);

struct utilization_figure dispatch_line_figure(const struct root *root,
					       const struct dispatch_text *text,
					       const struct dispatch_line *line,
					       const struct device *dev);
