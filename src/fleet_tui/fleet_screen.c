#include "fleet/fleet_screen.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "cli/error_line.h"
#include "fleet_tui/fleet_draw.h"
#include "tui/display.h"

#include <curses.h>
#include <string.h>

struct fleet_loop {
	struct fleet_ui ui;
	struct fleet_feed *feed;
	struct display display;
	bool dirty; /* the state has changed since the screen was drawn */
};

static void draw_screen(void *arg)
{
	fleet_draw(arg, clock_now(CLOCK_MONOTONIC));
}

static void show(struct fleet_loop *loop)
{
	struct fleet_ui *ui = &loop->ui;

	display_prepare(&loop->display, ui->theme, ui->redraw);
	ui->redraw = false;
	loop->dirty = !display_show(&loop->display, draw_screen, ui);
	display_listen(&loop->display, false);
}

static void take_news(struct fleet_loop *loop)
{
	struct fleet_news news;

	fleet_feed_take(loop->feed, &news);
	fleet_ui_take(&loop->ui, &news);
}

/* Handles all pending keys before drawing, so that a held key does not queue frames. */
static void take_keys(struct fleet_loop *loop)
{
	int code;

	while (!loop->ui.quit && (code = terminal_key(&loop->display.terminal)) >= 0)
		if (code != KEY_RESIZE)
			fleet_ui_key(&loop->ui, code);
	fleet_feed_set_period(loop->feed, loop->ui.period_ms);
}

static void resize(struct fleet_loop *loop)
{
	if (display_resize(&loop->display) < 0)
		loop->ui.quit = true;
	fleet_ui_resize(&loop->ui, loop->display.canvas.rows, loop->display.canvas.columns);
}

static bool handle(struct fleet_loop *loop, enum event event)
{
	loop->dirty = loop->dirty || event != EVENT_READY;
	switch (event) {
	case EVENT_KEY: take_keys(loop); break;
	case EVENT_RESIZE: resize(loop); break;
	case EVENT_FEED: take_news(loop); break;
	case EVENT_END: return false;
	case EVENT_TIME: /* the time without an answer grows */
	case EVENT_READY: break;
	}
	fleet_ui_request(&loop->ui, loop->feed);
	return !loop->ui.quit;
}

static void run(struct fleet_loop *loop)
{
	enum event event;

	do {
		if (loop->dirty)
			show(loop);
		event = terminal_wait(&loop->display.terminal, fleet_feed_fd(loop->feed),
				      loop->dirty, clock_now(CLOCK_MONOTONIC) + NS_PER_S);
	} while (handle(loop, event));
}

/* The thread starts after the signals are blocked, and before the terminal is changed. */
static int begin(struct fleet_loop *loop, const struct fleet_screen *screen)
{
	int r = terminal_block_signals(&loop->display.terminal);

	if (r == 0)
		r = fleet_feed_new(screen->client, screen->filter, screen->period_ms, &loop->feed);
	if (r == 0)
		r = display_enter(&loop->display, loop->ui.theme, screen->color, screen->utf8);
	if (r < 0)
		return r;
	loop->ui.color = loop->display.terminal.color;
	resize(loop);
	return 0;
}

int fleet_screen_run(const struct fleet_screen *screen, int *ret_signal, bool *ret_stuck)
{
	struct fleet_loop loop = {
		.ui = { .host = http_client_host(screen->client),
			.period_ms = screen->period_ms,
			.started_ns = clock_now(CLOCK_MONOTONIC) },
		.dirty = true,
	};
	int r = begin(&loop, screen);

	if (r == 0)
		run(&loop);
	display_leave(&loop.display);
	*ret_signal = loop.display.terminal.ended_by;
	*ret_stuck = loop.feed && !fleet_feed_free(loop.feed);
	fleet_ui_done(&loop.ui);
	display_done(&loop.display);
	if (r < 0)
		return error_line(EXIT_FAILED, "this terminal cannot show a full screen: %s",
				  strerror(-r));
	return EXIT_FINE;
}
