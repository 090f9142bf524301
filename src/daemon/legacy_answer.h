/* The answers to QUERY and DEVICE_INFO_QUERY of the legacy protocol. */
#pragma once

#include "daemon/device_filter.h"
#include "model/pool.h"
#include "proto/legacy.h"
#include "proto/table.h"

#include <stddef.h>
#include <stdint.h>

struct cards;
struct reporters;

/* Sums over all programs with tables, by index: see legacy_answer.c. */
enum { SUMS_PLACES = 2 * TABLE_DEVICES };
struct sums {
	int64_t taken_ns; /* CLOCK_MONOTONIC */
	uint64_t bytes[SUMS_PLACES][POOL_COUNT];
};

/* The parts of the server that answers are made from. */
struct legacy_answers {
	struct reporters *reporters;
	struct cards *cards;
	struct sums sums;
};

/* Makes an answer of the given size to one of the two. */
void legacy_answer(struct legacy_answers *answers, struct device_filter *filter,
		   const struct legacy_record *record, size_t size, uint8_t out[LEGACY_SIZE_MAX]);
