#include "traced_report.h"

bool traced_report_begin(struct traced_report *report, const struct machine *m, int64_t now_ns)
{
	report->counts = traced_is_on(m);
	report->measures = dispatch_is_on(m);
	if (report->counts)
		traced_begin(&report->files);
	if (report->measures)
		dispatch_begin(&report->dispatch, now_ns);
	return report->counts || report->measures;
}

void traced_report_add(struct traced_report *report, const struct traced_process *process)
{
	if (report->counts)
		traced_add(&report->files, process);
	if (report->measures)
		dispatch_add(&report->dispatch, process);
}

/* Utilisation is measured by a tracer that keeps running (--watch). */
static void put_watcher(struct tree *root)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text, "1 0\n");
	traced_put(root, "trace.watcher", &text);
}

void traced_report_end(struct traced_report *report, struct tree *root)
{
	if (report->counts)
		traced_end(&report->files, root);
	if (!report->measures)
		return;
	dispatch_end(&report->dispatch, root);
	put_watcher(root);
}
