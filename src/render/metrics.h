/*
 * A snapshot as metrics, in the two text formats that Prometheus and compatible servers read. One
 * table describes every metric by the line of the model that it shows, from which it has its unit,
 * help and kind. A value that is unknown has no series.
 */
#pragma once

#include "basic/buf.h"
#include "model/want.h"
#include "render/metrics_view.h"

extern const char *const metric_group_names[GROUP_MACHINE];

const char *metrics_content_type(enum metrics_format format);

void metrics_wants(struct want *want);
void metrics_render(struct buf *out, const struct metrics_view *view, enum metrics_format format);

/* Lists all metrics, a line each: name, type, labels, group and help, separated by tabs. */
void metrics_list(struct buf *out);
