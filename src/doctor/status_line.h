/* The report of tt_smi check: one line, as monitoring plugins have it, or a JSON document. */
#pragma once

#include "basic/buf.h"
#include "basic/exit_code.h"
#include "doctor/report.h"
#include "model/snapshot.h"
#include "render/render_options.h"

/* The worst finding; CHECK_UNKNOWN if there is no problem, but not everything that was requested is
 * known. */
enum check_exit check_status(const struct report *report);

/*
 * "TT_SMI OK: 2 devices", or the problems, worst first; with performance data after a "|" if it is
 * requested. snapshot may be NULL: there are no devices.
 */
void status_line_render(struct buf *out, const struct render_options *options,
			const struct report *report, const struct snapshot *snapshot,
			bool performance);
void status_line_render_json(struct buf *out, const struct render_options *options,
			     const struct report *report, const struct snapshot *snapshot,
			     bool pretty);
