#include "tui/tui.h"

#include "basic/clock.h"
#include "render/format.h"
#include "tui/actions.h"
#include "tui/display.h"
#include "tui/draw.h"
#include "tui/mouse.h"
#include "tui/ui_update.h"
#include "tui/view_wants.h"

#include <curses.h>
#include <errno.h>

struct ui_loop {
	struct ui ui;
	struct display display;
	unsigned samples;
	bool dirty; /* the state has changed since the screen was drawn */
	int code;
};

static void draw_screen(void *arg)
{
	draw(arg);
}

static void show(struct ui_loop *loop)
{
	struct ui *ui = &loop->ui;

	display_prepare(&loop->display, ui->settings.theme, ui->redraw);
	ui->redraw = false;
	loop->dirty = !display_show(&loop->display, draw_screen, ui);
}

static void take_frame(struct ui_loop *loop)
{
	struct frame *frame = feed_latest(loop->ui.feed);

	if (frame) {
		loop->code = frame->code;
		loop->samples += !frame->first;
		ui_take_frame(&loop->ui, frame);
	}
	ui_take_results(&loop->ui);
}

static void take_mouse(struct ui *ui)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return;
	if (event.bstate & BUTTON4_PRESSED)
		ui_wheel(ui, -1);
	else if (event.bstate & BUTTON5_PRESSED)
		ui_wheel(ui, 1);
	else if (event.bstate & BUTTON1_PRESSED)
		ui_click(ui, event.y, event.x);
}

static void listen(struct ui_loop *loop)
{
	display_listen(&loop->display, loop->ui.settings.mouse);
}

/* Handles all pending keys before drawing, so that a held key does not queue frames. */
static void take_keys(struct ui_loop *loop)
{
	struct ui *ui = &loop->ui;
	int code;

	listen(loop);
	while (!ui->quit && (code = terminal_key(&loop->display.terminal)) >= 0) {
		const struct settings before = ui->settings;

		if (code == KEY_MOUSE)
			take_mouse(ui);
		else if (code != KEY_RESIZE)
			ui_key(ui, code);
		settings_keep(&ui->kept, &before, &ui->settings);
	}
}

static void resize(struct ui_loop *loop)
{
	if (display_resize(&loop->display) < 0)
		ui_show_message(&loop->ui, "out of memory");
	ui_resize(&loop->ui, loop->display.canvas.rows, loop->display.canvas.columns);
}

static bool handle(struct ui_loop *loop, enum event event)
{
	loop->dirty = loop->dirty || event != EVENT_READY;
	switch (event) {
	case EVENT_KEY: take_keys(loop); break;
	case EVENT_RESIZE: resize(loop); break;
	case EVENT_FEED: take_frame(loop); break;
	case EVENT_END: return false;
	case EVENT_TIME: /* messages expire */
	case EVENT_READY: break;
	}
	return !loop->ui.quit;
}

/* After this time without a frame the screen is drawn again, so that messages disappear. */
static const int64_t idle_ns = 1500 * NS_PER_MS;

/* Waits up to 100 ms for the first sample before drawing an empty screen. */
static void run(struct ui_loop *loop, unsigned count)
{
	int64_t first_draw_ns = clock_now(CLOCK_MONOTONIC) + 100 * NS_PER_MS;
	enum event event;

	do {
		bool early = !loop->ui.frame && clock_now(CLOCK_MONOTONIC) < first_draw_ns;

		if (loop->dirty && !early) {
			show(loop);
			listen(loop);
		}
		event = terminal_wait(&loop->display.terminal, feed_fd(loop->ui.feed),
				      loop->dirty && !early,
				      early ? first_draw_ns : clock_now(CLOCK_MONOTONIC) + idle_ns);
	} while (handle(loop, event) && (!count || loop->samples < count));
}

static int begin(struct ui_loop *loop, const struct tui *tui)
{
	struct ui *ui = &loop->ui;
	struct want want = { 0 };
	int r;

	view_wants(ui->settings.view, &want);
	r = terminal_block_signals(&loop->display.terminal);
	if (r == 0)
		r = history_new(&ui->history, HISTORY_PROCESS_MEMORY);
	if (r == 0)
		r = feed_new(tui->machine, &want, tui->settings.refresh_ms, &ui->feed);
	if (r == 0)
		r = display_enter(&loop->display, ui->settings.theme, tui->color, tui->utf8);
	if (r < 0)
		return r;
	ui->color = loop->display.terminal.color;
	format_set_units(ui->settings.units);
	resize(loop);
	if (tui->message)
		ui_show_message(ui, "%s", tui->message);
	return 0;
}

int tui_run(const struct tui *tui, struct tui_end *ret)
{
	struct ui_loop loop = { .ui = { .settings = tui->settings,
					.kept = tui->kept,
					.version = tui->version,
					.read_only = tui->read_only },
				.dirty = true };
	int r;

	r = begin(&loop, tui);
	if (r == 0)
		run(&loop, tui->count);
	display_leave(&loop.display);
	*ret = (struct tui_end){ .code = loop.code,
				 .no_screen = r < 0,
				 .signal = loop.display.terminal.ended_by };
	ret->stuck = !feed_free(loop.ui.feed, &ret->unread);
	ui_done(&loop.ui);
	display_done(&loop.display);
	return r;
}
