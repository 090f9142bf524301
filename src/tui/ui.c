#include "tui/ui.h"

#include "basic/clock.h"
#include "render/chart.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

const int ui_signals[] = { SIGTERM, SIGINT,  SIGKILL, SIGHUP, SIGQUIT,
			   SIGSTOP, SIGCONT, SIGUSR1, SIGUSR2 };
const size_t ui_n_signals = ARRAY_SIZE(ui_signals);

void ui_done(struct ui *ui)
{
	frame_unref(ui->frame);
	for (size_t i = 0; i < ui->n_waiting; i++)
		frame_unref(ui->waiting[i]);
	device_view_done(&ui->device_view);
	history_free(ui->history);
	process_list_done(&ui->list);
	free(ui->tagged);
	free(ui->targets);
	buf_done(&ui->detail);
	buf_done(&ui->owners);
	buf_done(&ui->message);
}

void ui_show_message(struct ui *ui, const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	buf_reset(&ui->message);
	buf_puts(&ui->message, text);
	ui->message_until_ns = clock_now(CLOCK_MONOTONIC) + 5 * NS_PER_S;
}

bool ui_submit(struct ui *ui, const struct ui_task *task)
{
	bool submitted = feed_submit(ui->feed, task);

	if (!submitted)
		ui_show_message(ui, "too many requests are waiting");
	return submitted;
}

bool ui_charts_devices(const struct ui *ui)
{
	return ui->settings.charts == CHARTS_OF_DEVICES && ui->settings.view != VIEW_DEVICE;
}

int64_t ui_chart_span(const struct ui *ui)
{
	return chart_span(history_begin(ui->history), ui_now(ui),
			  settings_spans[ui->settings.span] * NS_PER_S);
}

static size_t count_devices(const struct ui *ui)
{
	const struct snapshot *snapshot = ui_snapshot(ui);

	return snapshot && ui->device_view.n_groups ? snapshot->n_devices : 0;
}

const struct device *ui_device(const struct ui *ui, size_t position)
{
	return position < count_devices(ui)
		       ? &ui_snapshot(ui)->devices[ui->device_view.order[position]]
		       : NULL;
}

/* Rates, and memory in the first frame, are known a sample later. */
static bool is_known_soon(const struct ui *ui, const struct device *dev, enum metric metric)
{
	return !ui->frame || ui->frame->first || !dev ||
	       dev->why[metric_infos[metric].field] == NEEDS_TWO_SAMPLES;
}

static bool is_offered(const struct ui *ui, enum metric metric)
{
	const struct device *dev = ui_device(ui, ui->device);

	return metric == ui->settings.metric || is_known_soon(ui, dev, metric) ||
	       history_knows(ui->history, ui_charts_devices(ui) ? NULL : dev, metric);
}

/* Number of readings that charts can show. */
static size_t count_metrics(const struct ui *ui)
{
	size_t count = 0;

	for (enum metric i = 0; i < METRIC_N; i++)
		count += is_offered(ui, i);
	return count;
}

enum metric ui_metric(const struct ui *ui, size_t i)
{
	enum metric metric = ui->settings.metric;

	for (i %= count_metrics(ui); i > 0; i--)
		do
			metric = (metric + 1) % METRIC_N;
		while (!is_offered(ui, metric));
	return metric;
}

/* Maximum number of charts. */
static size_t count_charts(const struct ui *ui, size_t devices)
{
	enum { POOLS = 2 };

	if (devices == 0)
		return 0;
	if (ui_charts_devices(ui))
		return devices;
	return ui->settings.view == VIEW_MEMORY ? POOLS : count_metrics(ui);
}

struct counts ui_counts(const struct ui *ui)
{
	size_t devices = count_devices(ui);

	return (struct counts){
		.devices = devices,
		.groups = ui->device_view.groups,
		.n_groups = ui->device_view.n_groups,
		.first = ui->first_device,
		.processes = ui->list.count,
		.charts = count_charts(ui, devices),
	};
}

struct process_scope ui_scope(const struct ui *ui)
{
	return (struct process_scope){
		.snapshot = ui_snapshot(ui),
		.dev = ui->settings.view == VIEW_MEMORY ? ui_device(ui, ui->device) : NULL,
		.history = ui->history,
	};
}

/* Is a row of the processes selected in this view? */
static bool has_selection(const struct ui *ui)
{
	return ui->settings.view != VIEW_GRID && !rect_is_empty(&ui->layout.table);
}

const struct process *ui_process(const struct ui *ui)
{
	if (!has_selection(ui))
		return NULL;
	return ui->row < ui->list.count ? ui->list.rows[ui->row].process : NULL;
}

bool ui_is_tagged(const struct ui *ui, const struct process *process)
{
	for (size_t i = 0; i < ui->n_tagged; i++)
		if (process_id_matches(&ui->tagged[i], process))
			return true;
	return false;
}

int64_t ui_now(const struct ui *ui)
{
	if (!ui->frame)
		return 0;
	return ui->frame->snapshot ? ui->frame->snapshot->taken_ns : ui->frame->taken_ns;
}

bool ui_table_has_title(const struct ui *ui)
{
	return ui->layout.table.height >= 4;
}

bool ui_table_has_headings(const struct ui *ui)
{
	return ui->layout.table.height >= 2;
}

size_t ui_table_rows(const struct ui *ui)
{
	int height = ui->layout.table.height;

	return (size_t)MAX(height - ui_table_has_title(ui) - ui_table_has_headings(ui), 0);
}

const struct frame *ui_newest(const struct ui *ui)
{
	return ui->n_waiting ? ui->waiting[ui->n_waiting - 1] : ui->frame;
}
