#include "tui/ui.h"

#include "basic/clock.h"

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

void ui_say(struct ui *ui, const char *format, ...)
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

bool ui_charts_devices(const struct ui *ui)
{
	return ui->settings.charts == CHARTS_OF_DEVICES && ui->settings.view != VIEW_DEVICE;
}

/* Charts there could be. */
static size_t count_charts(const struct ui *ui, size_t devices)
{
	enum { POOLS = 2 };

	if (devices == 0)
		return 0;
	if (ui_charts_devices(ui))
		return devices;
	return ui->settings.view == VIEW_MEMORY ? POOLS : METRIC_N;
}

struct counts ui_counts(const struct ui *ui)
{
	const struct snapshot *snapshot = ui_snapshot(ui);

	size_t devices = snapshot && ui->device_view.n_groups ? snapshot->n_devices : 0;

	return (struct counts){
		.devices = devices,
		.groups = ui->device_view.groups,
		.n_groups = ui->device_view.n_groups,
		.first = ui->first_device,
		.processes = ui->list.count,
		.charts = count_charts(ui, devices),
	};
}

const struct device *ui_device(const struct ui *ui, size_t position)
{
	return position < ui_counts(ui).devices
		       ? &ui_snapshot(ui)->devices[ui->device_view.order[position]]
		       : NULL;
}

/* Is a row of the processes marked in this view? */
static bool has_selection(const struct ui *ui)
{
	return (ui->settings.view == VIEW_OVERVIEW || ui->settings.view == VIEW_PROCESSES) &&
	       !rect_is_empty(&ui->layout.table);
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

bool ui_table_has_headings(const struct ui *ui)
{
	return ui->layout.table.height >= 4;
}

size_t ui_table_rows(const struct ui *ui)
{
	int height = ui->layout.table.height;

	return (size_t)MAX(ui_table_has_headings(ui) ? height - 2 : height, 0);
}

const struct frame *ui_newest(const struct ui *ui)
{
	return ui->n_waiting ? ui->waiting[ui->n_waiting - 1] : ui->frame;
}
