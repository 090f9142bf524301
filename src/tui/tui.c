#include "tui/tui.h"

#include "basic/clock.h"
#include "render/format.h"
#include "tui/actions.h"
#include "tui/canvas_writer.h"
#include "tui/draw.h"
#include "tui/frame_writer.h"
#include "tui/mouse.h"
#include "tui/paint.h"
#include "tui/terminal.h"
#include "tui/terminal_strings.h"
#include "tui/ui_update.h"
#include "tui/view_wants.h"

#include <curses.h>
#include <errno.h>

struct ui_loop {
	struct ui ui;
	struct terminal terminal;
	struct terminal_strings strings;
	struct canvas canvas;
	enum theme theme; /* that the escape sequences are for */
	unsigned samples;
	bool dirty;	/* the state has changed since the screen was drawn */
	bool listening; /* terminal_listen() was called */
	int code;
};

/* After suspension, a resize or a change of theme the whole screen is drawn again. */
static void prepare_redraw(struct ui_loop *loop)
{
	struct ui *ui = &loop->ui;

	if (!ui->redraw && loop->theme == ui->settings.theme)
		return;
	loop->theme = ui->settings.theme;
	terminal_strings_set_styles(&loop->strings);
	canvas_forget(&loop->canvas);
	ui->redraw = false;
}

/*
 * Skips a frame while the terminal has not accepted the last one. A frame that a signal interrupted
 * is drawn again completely.
 */
static void show(struct ui_loop *loop)
{
	CLEANUP_BUF struct buf out = { 0 };
	struct ui *ui = &loop->ui;

	if (!terminal_is_ready())
		return;
	prepare_redraw(loop);
	loop->dirty = false;
	draw(ui);
	frame_writer_begin(loop->terminal.signals.ready, -1);
	if (!loop->canvas.is_known)
		refresh(); /* after endwin(), this enters the full screen again */
	canvas_write(&loop->canvas, &loop->strings, &out);
	frame_writer_add(buf_text(&out), out.length);
	if (!frame_writer_end() || out.failed)
		loop->dirty = ui->redraw = true;
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
	if (!loop->listening)
		terminal_listen(loop->ui.settings.mouse);
	loop->listening = true;
}

/* Handles all pending keys before drawing, so that a held key does not queue frames. */
static void take_keys(struct ui_loop *loop)
{
	struct ui *ui = &loop->ui;
	int code;

	listen(loop);
	while (!ui->quit && (code = terminal_key(&loop->terminal)) >= 0) {
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
	if (canvas_resize(&loop->canvas, LINES, COLS) < 0)
		ui_show_message(&loop->ui, "out of memory");
	ui_resize(&loop->ui, loop->canvas.rows, loop->canvas.columns);
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
		event = terminal_wait(&loop->terminal, feed_fd(loop->ui.feed),
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
	r = terminal_block_signals(&loop->terminal);
	if (r == 0)
		r = history_new(&ui->history);
	if (r == 0)
		r = feed_new(tui->machine, &want, tui->settings.refresh_ms, &ui->feed);
	if (r == 0)
		r = terminal_enter(&loop->terminal, tui->color);
	if (r < 0)
		return r;
	r = terminal_strings_find(&loop->strings);
	if (r < 0)
		return r;
	paint_init(&loop->canvas, tui->utf8);
	ui->color = loop->terminal.color;
	format_set_units(ui->settings.units);
	theme_apply(ui->settings.theme, ui->color);
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
	terminal_leave(&loop.terminal);
	*ret = (struct tui_end){ .code = loop.code,
				 .no_screen = r < 0,
				 .signal = loop.terminal.ended_by };
	ret->stuck = !feed_free(loop.ui.feed, &ret->unread);
	ui_done(&loop.ui);
	canvas_done(&loop.canvas);
	return r;
}
