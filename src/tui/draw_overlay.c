/* Draws overlays: texts, menus, a confirmation. */
#include "tui/draw.h"
#include "tui/menu.h"
#include "tui/page.h"
#include "tui/paint.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return at + (*at == '\n');
}

static void draw_line(int row, int column, int width, const char *text, bool styled)
{
	CLEANUP_BUF struct buf line = { 0 };
	size_t length = strcspn(text, "\n");

	if (styled) {
		paint_styled(row, column, width, text, length);
		return;
	}
	buf_add(&line, text, length);
	paint_buf(row, column, width, text[0] == ' ' ? STYLE_PLAIN : STYLE_BOLD, &line);
}

void draw_lines(const struct rect *area, int columns, const struct buf *text, size_t top,
		bool styled)
{
	size_t lines = page_lines(text), room = (size_t)MAX(area->height * columns, 0);
	int width = area->width / MAX(columns, 1);
	const char *at = buf_text(text);

	for (size_t i = 0; i < top && *at; i++)
		at = next_line(at);
	for (int i = 0; i < (int)room && *at; i++, at = next_line(at))
		draw_line(area->top + i % area->height, area->left + i / area->height * width,
			  width, at, styled);
	if (top + room < lines) {
		size_t below = lines - top - room;
		char more[32];
		int length =
			snprintf(more, sizeof(more), " +%zu line%s ", below, below == 1 ? "" : "s");

		if (length < area->width)
			paint_text(area->top + area->height - 1, area->left + area->width - length,
				   length, STYLE_WARN, more);
	}
}

static void draw_text(const struct ui *ui, const char *title)
{
	const struct rect screen = { 1, 0, ui->rows - 2, ui->columns };
	const struct rect box = box_outside(&screen, ui->rows, ui->columns);
	const struct rect inside = box_inside(&box);
	CLEANUP_BUF struct buf text = { 0 };

	page_of_overlay(ui, &text);
	paint_box(&box, title);
	draw_lines(&inside, overlay_columns(ui), &text, ui->overlay_top, false);
}

/* Draws the number of menu lines above or below, on its frame. */
static void draw_hidden(const struct menu *menu, int row, size_t hidden)
{
	char text[32];
	int width = snprintf(text, sizeof(text), " +%zu ", hidden);

	if (hidden && width < menu->inside.width)
		paint_text(row, menu->inside.left + menu->inside.width - width, width, STYLE_WARN,
			   text);
}

static void draw_menu(const struct ui *ui)
{
	struct menu menu;
	size_t room;

	if (!ui_menu(ui, &menu))
		return;
	paint_box(&menu.box, menu.title);
	room = MIN((size_t)menu.inside.height, menu.count - menu.first);
	for (size_t i = 0; i < room; i++) {
		CLEANUP_BUF struct buf text = { 0 };
		bool here = menu.first + i == ui->menu_at;

		buf_puts(&text, here ? paint_symbol("▶ ", "> ") : "  ");
		menu.put(ui, &text, menu.first + i);
		paint_cell(menu.inside.top + (int)i, menu.inside.left, menu.inside.width, false,
			   here ? STYLE_SELECTED : STYLE_PLAIN, buf_text(&text));
	}
	draw_hidden(&menu, menu.box.top, menu.first);
	draw_hidden(&menu, menu.box.top + menu.box.height - 1, menu.count - menu.first - room);
}

static void draw_question(const struct ui *ui)
{
	static const char answers[] = "y sends it, any other key does not";
	const struct rect screen = { 1, 0, ui->rows - 2, ui->columns };
	CLEANUP_BUF struct buf text = { 0 };
	struct rect box, inside;

	buf_printf(&text, "Send SIG%s to ", sigabbrev_np(ui->signal));
	if (ui->n_targets != 1) {
		buf_printf(&text, "%zu tagged processes", ui->n_targets);
	} else {
		const struct process *process =
			ui_snapshot(ui) ? snapshot_find_process(ui_snapshot(ui), ui->targets[0].pid)
					: NULL;
		char label[64] = "";

		if (process)
			process_label(process, label, sizeof(label));
		buf_printf(&text, "%d %s", ui->targets[0].pid, label);
	}
	buf_puts(&text, "?");
	box = box_outside(&screen, 3,
			  MAX(MIN((int)text.length, ui->columns - 4), (int)strlen(answers)));
	inside = box_inside(&box);
	paint_box(&box, "Signal");
	paint_buf(inside.top, inside.left, inside.width, STYLE_BOLD, &text);
	paint_text(inside.top + 2, inside.left, inside.width, STYLE_PLAIN, answers);
}

void draw_overlay(const struct ui *ui)
{
	switch (ui->overlay) {
	case OVERLAY_HELP: draw_text(ui, "Keys"); break;
	case OVERLAY_DETAIL: draw_text(ui, "Process"); break;
	case OVERLAY_SORT:
	case OVERLAY_USER:
	case OVERLAY_OWNER:
	case OVERLAY_SIGNAL:
	case OVERLAY_SETUP: draw_menu(ui); break;
	case OVERLAY_CONFIRM: draw_question(ui); break;
	case OVERLAY_SEARCH:
	case OVERLAY_FILTER:
	case OVERLAY_NONE: break;
	}
}
