#include "render/mem.h"

#include "basic/clock.h"
#include "render/mem_parts.h"
#include "render/tips.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void mem_wants(struct want *want)
{
	want_add_list(want,
		      FIELDS(DEVICE_FIELD(NAME), DEVICE_FIELD(BOARD), DEVICE_FIELD(BDF),
			     DEVICE_FIELD(STATE), DEVICE_FIELD(PROCESSES), PROCESS_FIELD(NAME),
			     PROCESS_FIELD(PROGRAM), PROCESS_FIELD(COMMAND), PROCESS_FIELD(USER),
			     PROCESS_FIELD(UID), PART(ALLOCATIONS), PART(REPORTERS)));
	for (unsigned i = DEV_DRAM_TOTAL; i <= DEV_MEMORY_COMPLETE; i++)
		want_add(want, OF_DEVICE, i);
	for (unsigned i = 0; i < USAGE_MEMORY_FIELDS; i++)
		want_add(want, OF_USAGE, i);
}

/* Appends what is common to all devices, as far as it fits into the line. */
static void put_right(struct text_line *line, const struct mem_view *view)
{
	time_t seconds = (time_t)(view->snapshot->wall_ns / NS_PER_S);
	const char *server = snapshot_server(view->snapshot);
	size_t room = line->options->columns - MIN(line->at + 2, line->options->columns);
	char text[96], clock[16];
	struct tm local;

	if (!server)
		server = "no server";
	localtime_r(&seconds, &local);
	strftime(clock, sizeof(clock), "%H:%M:%S", &local);
	snprintf(text, sizeof(text), "%s   %s   %ums ", server, clock, view->period_ms);
	if (view->period_ms == 0 || strlen(text) > room)
		snprintf(text, sizeof(text), "%s   %s ", server, clock);
	if (strlen(text) > room)
		snprintf(text, sizeof(text), "%s ", server);
	text_line_put(line, STYLE_PLAIN, "  ");
	text_line_to(line, line->options->columns - MIN(strlen(text), line->options->columns));
	text_line_put(line, STYLE_PLAIN, text);
}

static void put_title(struct text_line *line, const struct mem_view *view, size_t device,
		      bool first)
{
	const struct device *dev = &view->snapshot->devices[device];

	text_line_printf(line, STYLE_BOLD, " Device %s  %s%s%s  %s", dev->id, arch_names[dev->arch],
			 device_knows(dev, DEV_BOARD) ? " " : "",
			 device_knows(dev, DEV_BOARD) ? dev->board : "",
			 device_knows(dev, DEV_BDF) && !device_is_unserved(dev) ? dev->bdf : "");
	if (view->snapshot->simulated || view->snapshot->recorded)
		text_line_put(line, STYLE_WARN,
			      view->snapshot->simulated ? "  SIMULATED" : "  RECORDED");
	if (first)
		put_right(line, view);
	text_line_end(line);
}

static void put_problems(struct text_line *line, const struct snapshot *snapshot)
{
	enum { MOST = 3 };

	for (size_t i = 0; i < MIN(snapshot->n_problems, MOST); i++) {
		text_line_end(line);
		text_line_printf(line, STYLE_WARN, " %s: %s", snapshot->problems[i].source,
				 snapshot->problems[i].text);
		text_line_end(line);
	}
}

static void put_device(struct text_line *line, const struct mem_view *view, size_t device)
{
	const struct device *dev = &view->snapshot->devices[device];
	bool alone = view->snapshot->n_devices == 1;

	if (dev->state != DEVICE_OK && dev->state != DEVICE_UNREADABLE) {
		text_line_printf(line, STYLE_BAD, "  %s", dev->health);
		text_line_end(line);
	}
	mem_put_pools(line, view, device);
	mem_put_charts(line, view, device);
	text_line_end(line);
	mem_put_processes(line, view, device, alone ? 10 : 5);
	mem_put_allocations(line, view, device);
}

void mem_render(struct buf *out, const struct render_options *options, const struct mem_view *view)
{
	struct text_line line = { .out = out, .options = options };

	for (size_t i = 0; i < view->snapshot->n_devices; i++) {
		if (i)
			text_line_end(&line);
		put_title(&line, view, i, i == 0);
		if (view->snapshot->n_devices == 1)
			text_line_end(&line);
		put_device(&line, view, i);
	}
	put_problems(&line, view->snapshot);
	tips_put(out, options, view->snapshot);
}
