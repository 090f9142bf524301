/* The table of tt_smi fleet. */
#include "fleet/fleet_render.h"

#include "basic/text.h"
#include "render/device_style.h"
#include "render/format.h"
#include "render/text_line.h"

#include <math.h>
#include <string.h>

enum {
	NAME_LEAST = 10,
	NAME_MOST = 32,
	BAR_CELLS = 20,
	BAR_SHORT = 8, /* on terminals below WIDE columns */
	WIDE = 100,
	WIDTH_UP = 9,
	WIDTH_TEMP = 7,
	WIDTH_POWER = 9,
	WIDTH_SHARE = 6,
	WIDTH_JOBS = 6,
	WIDTH_USERS = 7,
};

static size_t name_width(const struct fleet *fleet, size_t rows)
{
	size_t width = NAME_LEAST;

	for (size_t i = 0; i < rows; i++) {
		const char *name = fleet->machines[i].name;
		CLEANUP_BUF struct buf clean = { 0 };

		text_clean(&clean, name, strlen(name), true);
		width = MAX(width, text_width(buf_text(&clean), clean.length));
	}
	return MIN(width, NAME_MOST);
}

static void cell_right(struct text_line *line, size_t width, enum style style,
		       const struct buf *text)
{
	text_line_cell_right(line, width, style, buf_text(text));
}

/* Fewer devices than there should be, or none that answers. */
static enum style up_style(const struct fleet_machine *machine)
{
	if (!machine_knows(machine, MACHINE_UP))
		return STYLE_DIM;
	return machine->values[MACHINE_UP] < machine_target(machine) ? STYLE_BAD : STYLE_PLAIN;
}

static enum style state_style(const struct fleet *fleet, const struct fleet_machine *machine)
{
	if (!machine->has_data)
		return STYLE_BAD;
	if (machine->n_alerts)
		return STYLE_WARN;
	return fleet->knows_alerts ? STYLE_PLAIN : STYLE_DIM;
}

static size_t bar_cells(const struct text_line *line)
{
	return line->options->columns < WIDE ? BAR_SHORT : BAR_CELLS;
}

static void put_bar(struct text_line *line, const struct fleet_machine *machine)
{
	CLEANUP_BUF struct buf bar = { 0 }, share = { 0 };
	double full = machine_dram_share(machine);

	text_line_put(line, STYLE_PLAIN, "  ");
	if (full >= 0)
		format_bar(&bar, MIN(full, 1), bar_cells(line), line->options->utf8);
	text_line_cell(line, bar_cells(line) + 2, memory_style(full), buf_text(&bar));
	fleet_put_share(&share, machine, line->options->utf8);
	cell_right(line, WIDTH_SHARE, memory_style(full), &share);
}

static void put_count(struct text_line *line, size_t width, const struct fleet_machine *machine,
		      enum machine_value value)
{
	CLEANUP_BUF struct buf text = { 0 };
	bool known = machine_knows(machine, value);

	if (known)
		format_whole(&text, machine->values[value]);
	else
		buf_puts(&text, "N/A");
	cell_right(line, width, known ? STYLE_PLAIN : STYLE_DIM, &text);
}

static void put_machine(struct text_line *line, const struct fleet *fleet,
			const struct fleet_machine *machine, size_t name)
{
	CLEANUP_BUF struct buf up = { 0 }, temperature = { 0 }, power = { 0 }, state = { 0 };

	text_line_cell(line, name, STYLE_BOLD, machine->name);
	fleet_put_up(&up, machine);
	cell_right(line, WIDTH_UP, up_style(machine), &up);
	fleet_put_temperature(&temperature, machine, line->options->utf8);
	cell_right(line, WIDTH_TEMP,
		   machine_knows(machine, MACHINE_TEMPERATURE) ? STYLE_PLAIN : STYLE_DIM,
		   &temperature);
	fleet_put_power(&power, machine);
	cell_right(line, WIDTH_POWER,
		   machine_knows(machine, MACHINE_POWER) ? STYLE_PLAIN : STYLE_DIM, &power);
	put_bar(line, machine);
	put_count(line, WIDTH_JOBS, machine, MACHINE_JOBS);
	put_count(line, WIDTH_USERS, machine, MACHINE_USERS);
	text_line_put(line, STYLE_PLAIN, "  ");
	fleet_put_state(&state, fleet, machine);
	text_line_put(line, state_style(fleet, machine), buf_text(&state));
	text_line_end(line);
}

static void put_headings(struct text_line *line, size_t name)
{
	text_line_cell(line, name, STYLE_BOLD, "MACHINE");
	text_line_cell_right(line, WIDTH_UP, STYLE_BOLD, "UP");
	text_line_cell_right(line, WIDTH_TEMP, STYLE_BOLD, "TEMP");
	text_line_cell_right(line, WIDTH_POWER, STYLE_BOLD, "POWER");
	text_line_put(line, STYLE_PLAIN, "  ");
	text_line_cell(line, bar_cells(line) + 2 + WIDTH_SHARE, STYLE_BOLD, "DRAM");
	text_line_cell_right(line, WIDTH_JOBS, STYLE_BOLD, "JOBS");
	text_line_cell_right(line, WIDTH_USERS, STYLE_BOLD, "USERS");
	text_line_put(line, STYLE_BOLD, "  ALERTS");
	text_line_end(line);
}

/* One of the totals, in the next line if it does not fit. */
static void put_item(struct text_line *line, const char *text, size_t length)
{
	static const char gap[] = "   ";
	CLEANUP_BUF struct buf clean = { 0 };

	text_clean(&clean, text, length, line->options->utf8);
	if (line->at + sizeof(gap) - 1 + text_width(buf_text(&clean), clean.length) >
	    line->options->columns)
		text_line_end(line);
	text_line_put(line, STYLE_PLAIN, line->at ? gap : "");
	text_line_put(line, STYLE_PLAIN, buf_text(&clean));
}

static void put_header(struct text_line *line, const struct fleet_view *view)
{
	CLEANUP_BUF struct buf totals = { 0 };
	const char *at, *end;

	fleet_put_totals(&totals, view->fleet, line->options->utf8);
	text_line_printf(line, STYLE_BOLD, "FLEET  %s", view->host);
	for (at = buf_text(&totals); at; at = end ? end + 3 : NULL) {
		end = strstr(at, "   ");
		put_item(line, at, end ? (size_t)(end - at) : strlen(at));
	}
	text_line_end(line);
	text_line_end(line);
}

void fleet_render_table(struct buf *out, const struct render_options *options,
			const struct fleet_view *view, bool all)
{
	const struct fleet *fleet = view->fleet;
	struct text_line line = { .out = out, .options = options };
	size_t rows = all ? fleet->count : MIN(fleet->count, FLEET_ROWS);
	size_t name = name_width(fleet, rows), rest = fleet->count - rows;

	put_header(&line, view);
	put_headings(&line, name);
	for (size_t i = 0; i < rows; i++)
		put_machine(&line, fleet, &fleet->machines[i], name);
	if (rest) {
		text_line_printf(&line, STYLE_DIM,
				 "+%zu machine%s (sorted by alerts, then temperature; --all)", rest,
				 rest == 1 ? "" : "s");
		text_line_end(&line);
	}
	if (!fleet->knows_alerts) {
		text_line_put(&line, STYLE_DIM,
			      "alerts N/A: the server has no alerting rules of tt_smi "
			      "(share/prometheus/)");
		text_line_end(&line);
	}
}
