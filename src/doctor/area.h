/* The areas that an examination covers; --only selects some of them. */
#pragma once

#include "basic/buf.h"

#include <stdbool.h>

enum area {
	AREA_DRIVER,
	AREA_DEVICES,
	AREA_FIRMWARE,
	AREA_TEMPERATURE,
	AREA_POWER,
	AREA_PCIE,
	AREA_DIRTY,
	AREA_PERMISSIONS,
	AREA_HUGE_PAGES,
	AREA_KERNEL,
	AREA_IDLE, /* requested by --idle, not by --only */
	AREA_SERVER,
	AREA_TRACING,
	AREA_PROCESSES,
	AREA_UTILIZATION,
	AREAS,
};

#define AREA_BIT(area) (1u << (area))

enum {
	/* Is the machine fit for work? */
	AREAS_HEALTH = AREA_BIT(AREA_IDLE) - 1,
	/* and is everything known about it? */
	AREAS_ALL = (AREA_BIT(AREAS) - 1) & ~AREA_BIT(AREA_IDLE),
};

/* The name in --only and in JSON. */
const char *area_name(enum area area);

/* The heading above its findings; several areas share one. */
const char *area_heading(enum area area);

/* Adds the areas of a list, separated by commas. False: *ret_bad has the unknown word. */
bool areas_parse(const char *list, unsigned *areas, struct buf *ret_bad);

/* The names of these areas, separated by commas. */
void areas_put_names(struct buf *out, unsigned areas);

/* Lines for the help, which list all of them. */
void areas_put_help(struct buf *out);
