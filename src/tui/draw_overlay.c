/* What lies over the view: texts, menus, a question. */
#include "tui/draw.h"
#include "tui/page.h"
#include "tui/paint.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

void draw_lines(const struct rect *area, const struct buf *text, size_t top)
{
	size_t lines = page_lines(text);
	const char *at = buf_text(text);

	for (size_t i = 0; i < top && *at; i++)
		at += strcspn(at, "\n") + 1;
	for (int row = 0; row < area->height && *at; row++) {
		CLEANUP_BUF struct buf line = { 0 };
		size_t length = strcspn(at, "\n");

		buf_add(&line, at, length);
		paint_buf(area->top + row, area->left, area->width,
			  at[0] == ' ' ? STYLE_PLAIN : STYLE_BOLD, &line);
		at += length + (at[length] == '\n');
	}
	if (top + (size_t)area->height < lines) {
		char more[32];
		int width = snprintf(more, sizeof(more), " +%zu lines ",
				     lines - top - (size_t)area->height);

		if (width < area->width)
			paint_text(area->top + area->height - 1, area->left + area->width - width,
				   width, STYLE_WARN, more);
	}
}

static void draw_text(const struct ui *ui, const char *title)
{
	struct rect screen = { 1, 0, ui->rows - 2, ui->columns }, inside;
	CLEANUP_BUF struct buf text = { 0 };

	page_of_overlay(ui, &text);
	inside = paint_box(&screen, ui->rows, ui->columns, title);
	draw_lines(&inside, &text, ui->overlay_top);
}

/* A menu of so many lines, which scrolls if it has to. */
static void draw_menu(const struct ui *ui, const char *title, size_t count,
		      void (*put)(struct buf *out, size_t i))
{
	struct rect screen = { 1, 0, ui->rows - 2, ui->columns };
	struct rect inside = paint_box(&screen, (int)count, 44, title);
	size_t room = (size_t)inside.height;
	size_t first = ui->menu_at >= room && room ? ui->menu_at - room + 1 : 0;

	for (size_t i = 0; i < room && first + i < count; i++) {
		CLEANUP_BUF struct buf text = { 0 };
		bool here = first + i == ui->menu_at;

		buf_puts(&text, here ? paint_sign("▶ ", "> ") : "  ");
		put(&text, first + i);
		paint_cell(inside.top + (int)i, inside.left, inside.width, false,
			   here ? STYLE_SELECTED : STYLE_PLAIN, buf_text(&text));
	}
}

static void put_column(struct buf *out, size_t i)
{
	buf_printf(out, "%-8s %s", task_infos[i].heading, task_infos[i].help);
}

static void put_signal(struct buf *out, size_t i)
{
	buf_printf(out, "%2d SIG%s", ui_signals[i], sigabbrev_np(ui_signals[i]));
}

static void draw_question(const struct ui *ui)
{
	struct rect screen = { 1, 0, ui->rows - 2, ui->columns };
	CLEANUP_BUF struct buf text = { 0 };
	struct rect inside;

	buf_printf(&text, "Send SIG%s to ", sigabbrev_np(ui->signal));
	if (ui->n_tagged) {
		buf_printf(&text, "%zu tagged process%s", ui->n_tagged,
			   ui->n_tagged == 1 ? "" : "es");
	} else {
		const struct process *process =
			ui_snapshot(ui) ? snapshot_find_process(ui_snapshot(ui), ui->target) : NULL;
		char label[64] = "";

		if (process)
			process_label(process, label, sizeof(label));
		buf_printf(&text, "%d %s", ui->target, label);
	}
	buf_puts(&text, "?");
	inside = paint_box(&screen, 3, MAX(MIN((int)text.length, ui->columns - 4), 30), "Signal");
	paint_buf(inside.top, inside.left, inside.width, STYLE_BOLD, &text);
	paint_text(inside.top + 2, inside.left, inside.width, STYLE_PLAIN,
		   "y sends it, any other key does not");
}

void draw_overlay(const struct ui *ui)
{
	switch (ui->overlay) {
	case OVERLAY_HELP: draw_text(ui, "Keys"); break;
	case OVERLAY_DETAIL: draw_text(ui, "Process"); break;
	case OVERLAY_SORT: draw_menu(ui, "Sort by", TASK_N, put_column); break;
	case OVERLAY_SIGNAL: draw_menu(ui, "Signal", ui_n_signals, put_signal); break;
	case OVERLAY_CONFIRM: draw_question(ui); break;
	case OVERLAY_SEARCH:
	case OVERLAY_FILTER:
	case OVERLAY_NONE: break;
	}
}
