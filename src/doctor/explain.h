/* The report of tt_smi doctor: every finding, and how to fix it. */
#pragma once

#include "basic/buf.h"
#include "doctor/report.h"
#include "render/render_options.h"

/*
 * For people; heading is the first line, if not empty. Findings under one heading that differ only
 * in their subject, other than LEVEL_OK, are written once, with the subjects below.
 */
void explain_render(struct buf *out, const struct render_options *options,
		    const struct report *report, const char *heading);
void explain_render_json(struct buf *out, const struct render_options *options,
			 const struct report *report, bool simulated, bool pretty);
