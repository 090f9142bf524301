/*
 * Writes series in the two text formats that Prometheus and compatible servers read: names,
 * headers, labels and numbers. The table in metrics.c determines what is written.
 */
#pragma once

#include "basic/buf.h"
#include "render/metrics_view.h"

enum metric_type { GAUGE, COUNTER, INFO };

struct exposition;

/* One series of each device, or of the machine. Rows of one name are consecutive: a family. */
struct metric_row {
	const char *name; /* without prefix, unit and the suffix of its type */
	enum metric_type type;
	enum metric_group group;
	struct field_ref value;
	const char *labels; /* beside those of the device; of put: their names */
	/* Metrics that are not a field: writes all series of the row. */
	void (*put)(struct exposition *page);
	enum unit unit;
	unsigned step;	 /* of a count: served in multiples of it; 0: exactly */
	bool of_machine; /* its series have no labels of a device, though its group has */
	const char *help;
};

/* An output under construction. */
struct exposition {
	struct buf *out;
	const struct metrics_view *view;
	enum metrics_format format;
	const struct metric_row *family; /* the first row of the current one, which describes it */
	bool announced;			 /* its header was written */
	/* Texts that are written many times: the name of the family, the labels of each device. */
	struct buf name;
	struct buf *devices;
};

/* To be called first and last. */
void exposition_begin(struct exposition *page);
void exposition_end(struct exposition *page);

/* The rows that follow are of this family. */
void exposition_family(struct exposition *page, const struct metric_row *row);

/* The name of its series: with prefix, unit and the suffix of its type. */
void metric_put_name(struct buf *out, const struct metric_row *row);

const char *metric_help(const struct metric_row *row);

/* Writes one label; the text may contain any bytes. */
void exposition_label(struct buf *out, bool *first, const char *name, const char *text);

/* Writes name and labels, before the value. dev may be NULL; labels are ready to print, or NULL. */
void exposition_series(struct exposition *page, const struct device *dev, const char *labels);

void exposition_number(struct exposition *page, double number);
void exposition_count(struct exposition *page, uint64_t number);
