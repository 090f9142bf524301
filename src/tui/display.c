#include "tui/display.h"

#include "tui/canvas_writer.h"
#include "tui/frame_writer.h"
#include "tui/paint.h"

#include <curses.h>

int display_enter(struct display *display, enum theme theme, bool color, bool utf8)
{
	int r = terminal_enter(&display->terminal, color);

	if (r == 0)
		r = terminal_strings_find(&display->strings);
	if (r < 0)
		return r;
	paint_init(&display->canvas, utf8);
	theme_apply(theme, display->terminal.color);
	display->theme = theme;
	display->redraw = true;
	return 0;
}

int display_resize(struct display *display)
{
	return canvas_resize(&display->canvas, LINES, COLS);
}

void display_prepare(struct display *display, enum theme theme, bool redraw)
{
	display->redraw = display->redraw || redraw || display->theme != theme;
	display->theme = theme;
}

bool display_show(struct display *display, void (*draw)(void *arg), void *arg)
{
	CLEANUP_BUF struct buf out = { 0 };

	if (!terminal_is_ready())
		return false;
	if (display->redraw) {
		terminal_strings_set_styles(&display->strings);
		canvas_forget(&display->canvas);
	}
	paint_begin();
	draw(arg);
	paint_end();
	frame_writer_begin(display->terminal.signals.ready, -1);
	if (!display->canvas.is_known)
		refresh(); /* after endwin(), this enters the full screen again */
	canvas_write(&display->canvas, &display->strings, &out);
	frame_writer_add(buf_text(&out), out.length);
	display->redraw = !frame_writer_end() || out.failed;
	return !display->redraw;
}

void display_listen(struct display *display, bool mouse)
{
	if (!display->listening)
		terminal_listen(mouse);
	display->listening = true;
}

void display_leave(struct display *display)
{
	terminal_leave(&display->terminal);
}

void display_done(struct display *display)
{
	paint_done();
	canvas_done(&display->canvas);
}
