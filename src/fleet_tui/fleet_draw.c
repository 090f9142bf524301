#include "fleet_tui/fleet_draw.h"

#include "fleet/fleet_render.h"
#include "model/threshold.h"
#include "render/device_style.h"
#include "render/format.h"
#include "tui/keys.h"
#include "tui/paint.h"

#include <math.h>
#include <string.h>

static const char *const reading_names[READING_N] = {
	[READING_TEMPERATURE] = "temperature",
	[READING_POWER] = "power",
	[READING_DRAM] = "DRAM in use",
};

/* "no answer for 12 s: REASON", or when the answer came. */
static void draw_state(const struct fleet_ui *ui, int64_t now_ns)
{
	double silence = fleet_ui_silence(ui, now_ns);
	CLEANUP_BUF struct buf text = { 0 };

	if (silence >= 0) {
		buf_printf(&text, "no answer for %.0f s%s%s", silence, ui->error[0] ? ": " : "",
			   ui->error);
	} else if (!ui->has_fleet) {
		buf_puts(&text, "querying the server");
	} else {
		buf_printf(&text, "chips: %s   sorted by %s   every %g s",
			   reading_names[ui->reading], fleet_orders[ui->order].name,
			   ui->period_ms / 1000.0);
		if (!ui->fleet.knows_alerts)
			buf_puts(&text, "   no alerting rules of tt_smi on the server");
	}
	paint_buf(1, 0, ui->columns, silence >= 0 ? STYLE_BAD : STYLE_DIM, &text);
}

static void draw_header(const struct fleet_ui *ui, int64_t now_ns)
{
	CLEANUP_BUF struct buf totals = { 0 };
	int at = paint_text(0, 0, ui->columns, STYLE_TITLE, "FLEET  ");

	at += paint_text(0, at, ui->columns - at, STYLE_BOLD, ui->host) + 3;
	if (ui->has_fleet)
		fleet_put_totals(&totals, &ui->fleet, paint_is_utf8());
	paint_buf(0, at, ui->columns - at, STYLE_PLAIN, &totals);
	draw_state(ui, now_ns);
}

static bool knows(const struct fleet_chip *chip, enum chip_value value)
{
	return !isnan(chip->values[value]);
}

static double chip_share(const struct fleet_chip *chip)
{
	double used = chip->values[CHIP_DRAM_USED], size = chip->values[CHIP_DRAM_SIZE];

	return isnan(used) || !(size > 0) ? -1 : used / size;
}

static enum style temperature_style(const struct fleet_chip *chip)
{
	double limit = chip->values[CHIP_LIMIT];

	if (!knows(chip, CHIP_TEMPERATURE))
		return STYLE_DIM;
	if (isnan(limit))
		return STYLE_PLAIN;
	switch (threshold_judge(THRESHOLD_TEMPERATURE, chip->values[CHIP_TEMPERATURE] - limit)) {
	case SEVERITY_CRITICAL: return STYLE_BAD;
	case SEVERITY_WARNING: return STYLE_WARN;
	case SEVERITY_NORMAL: break;
	}
	return STYLE_GOOD;
}

/* What the cell of a chip shows, and its style. */
static enum style put_reading(struct buf *out, const struct fleet_chip *chip,
			      enum chip_reading reading)
{
	double share = chip_share(chip);

	if (chip->values[CHIP_UP] == 0) {
		buf_puts(out, "down");
		return STYLE_BAD;
	}
	switch (reading) {
	case READING_TEMPERATURE:
		if (knows(chip, CHIP_TEMPERATURE))
			buf_printf(out, "%.0f%s", chip->values[CHIP_TEMPERATURE],
				   paint_symbol("°", "C"));
		break;
	case READING_POWER:
		if (knows(chip, CHIP_POWER))
			buf_printf(out, "%.0fW", chip->values[CHIP_POWER]);
		break;
	case READING_DRAM:
		if (share >= 0)
			buf_printf(out, "%.0f%%", share * 100);
		break;
	case READING_N: break;
	}
	if (!out->length) {
		buf_puts(out, "N/A");
		return STYLE_DIM;
	}
	if (reading == READING_DRAM)
		return memory_style(share);
	return reading == READING_TEMPERATURE ? temperature_style(chip) : STYLE_PLAIN;
}

static void draw_chips(const struct fleet_ui *ui, int row, const struct fleet_machine *machine)
{
	const struct chip_row *chips = chip_page_find(&ui->page, machine->instance);
	size_t per_line = fleet_ui_per_line(ui), lines = fleet_ui_lines(ui);
	int left = fleet_ui_chips_left(ui);

	if (!chips) {
		paint_text(row, left, ui->columns - left, STYLE_DIM,
			   machine->has_data ? paint_symbol("…", "...") : "no data");
		return;
	}
	for (size_t i = 0; i < MIN(chips->count, per_line * lines); i++) {
		CLEANUP_BUF struct buf text = { 0 };
		enum style style = put_reading(&text, &chips->chips[i], ui->reading);

		paint_cell(row + (int)(i / per_line), left + (int)(i % per_line) * CHIP_WIDTH,
			   CHIP_WIDTH - 1, true, style, buf_text(&text));
	}
}

static enum style machine_style(const struct fleet_machine *machine)
{
	if (!machine->has_data)
		return STYLE_BAD;
	return machine->n_alerts ? STYLE_WARN : STYLE_PLAIN;
}

static void draw_machine(const struct fleet_ui *ui, int row, size_t index)
{
	const struct fleet_machine *machine = &ui->fleet.machines[index];
	CLEANUP_BUF struct buf up = { 0 }, temperature = { 0 };
	bool selected = index == ui->selected;
	int name = fleet_ui_name_width(ui);

	paint_text(row, 0, 1, STYLE_BOLD, selected ? ">" : machine->n_alerts ? "!" : " ");
	paint_cell(row, 2, name, false, selected ? STYLE_SELECTED : machine_style(machine),
		   machine->name);
	fleet_put_up(&up, machine);
	paint_cell(row, 2 + name, 8, true,
		   machine->values[MACHINE_UP] < machine_target(machine) ? STYLE_BAD : STYLE_PLAIN,
		   buf_text(&up));
	fleet_put_temperature(&temperature, machine, paint_is_utf8());
	paint_cell(row, 2 + name + 8, 7, true, STYLE_PLAIN, buf_text(&temperature));
	draw_chips(ui, row, machine);
}

static void draw_grid(const struct fleet_ui *ui)
{
	size_t shown = fleet_ui_machines(ui), lines = fleet_ui_lines(ui);
	size_t end = MIN(ui->first + shown, ui->fleet.count);
	CLEANUP_BUF struct buf more = { 0 };

	if (ui->has_fleet && ui->fleet.count == 0)
		paint_text(FLEET_TOP, 0, ui->columns, STYLE_WARN, "no machine was found");
	if (ui->first || end < ui->fleet.count)
		buf_printf(&more, " %zu to %zu of %zu ", ui->first + 1, end, ui->fleet.count);
	paint_rule_more(FLEET_TOP - 1, 0, ui->columns, "machines", buf_text(&more));
	for (size_t i = ui->first; i < end; i++)
		draw_machine(ui, FLEET_TOP + (int)((i - ui->first) * lines), i);
}

enum { DEVICE = 8, UP = 6, TEMP = 8, POWER = 8, BAR = 22, SHARE = 7, HELD = 8, QUIET = 10 };

static void draw_device_headings(int row)
{
	int at = 1;

	paint_cell(row, at, DEVICE, false, STYLE_HEADING, "DEVICE");
	paint_cell(row, at += DEVICE, UP, true, STYLE_HEADING, "UP");
	paint_cell(row, at += UP, TEMP, true, STYLE_HEADING, "TEMP");
	paint_cell(row, at += TEMP, POWER, true, STYLE_HEADING, "POWER");
	paint_cell(row, at += POWER, BAR + SHARE, false, STYLE_HEADING, "  DRAM");
	paint_cell(row, at += BAR + SHARE, HELD, true, STYLE_HEADING, "HOLDERS");
	paint_cell(row, at + HELD, QUIET, true, STYLE_HEADING, "QUIET");
}

static void draw_value(int row, int column, int width, double value,
		       void (*put)(struct buf *out, double value), enum style style)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (isnan(value))
		buf_puts(&text, "N/A");
	else
		put(&text, value);
	paint_cell(row, column, width, true, isnan(value) ? STYLE_DIM : style, buf_text(&text));
}

static void put_celsius(struct buf *out, double value)
{
	format_celsius(out, value, paint_is_utf8());
}

static void put_percent(struct buf *out, double value)
{
	buf_printf(out, "%.0f%%", value * 100);
}

static void draw_device(int row, const struct fleet_chip *chip)
{
	double share = chip_share(chip), up = chip->values[CHIP_UP];
	const char *state = isnan(up) ? "-" : up == 0 ? "down" : "up";
	int at = 1;

	paint_cell(row, at, DEVICE, false, STYLE_BOLD, chip->device);
	paint_cell(row, at += DEVICE, UP, true, up == 0 ? STYLE_BAD : STYLE_PLAIN, state);
	draw_value(row, at += UP, TEMP, chip->values[CHIP_TEMPERATURE], put_celsius,
		   temperature_style(chip));
	draw_value(row, at += TEMP, POWER, chip->values[CHIP_POWER], fleet_put_watts, STYLE_PLAIN);
	if (share >= 0)
		paint_bar(row, at + POWER + 2, BAR - 2, share);
	draw_value(row, (at += POWER) + BAR, SHARE, share < 0 ? NAN : share, put_percent,
		   memory_style(share));
	draw_value(row, at += BAR + SHARE, HELD, chip->values[CHIP_HOLDERS], format_whole,
		   STYLE_PLAIN);
	draw_value(row, at + HELD, QUIET, chip->values[CHIP_QUIET], format_span, STYLE_PLAIN);
}

/* The chips of one machine, a line each. */
static void draw_inside(const struct fleet_ui *ui, const struct fleet_machine *machine)
{
	const struct chip_row *chips = chip_page_find(&ui->page, machine->instance);
	CLEANUP_BUF struct buf state = { 0 };
	int row = FLEET_CHIPS;

	fleet_put_state(&state, &ui->fleet, machine);
	paint_rule(2, 0, ui->columns, machine->name);
	paint_text(3, 1, 8, STYLE_PLAIN, "alerts");
	paint_buf(3, 9, ui->columns - 9, machine_style(machine), &state);
	draw_device_headings(FLEET_TOP);
	if (!chips) {
		paint_text(row, 1, ui->columns - 1, STYLE_DIM,
			   machine->has_data ? "querying the server" : "no data");
		return;
	}
	for (size_t i = MIN(ui->top, fleet_ui_last_top(ui));
	     i < chips->count && row < ui->rows - FLEET_BOTTOM; i++)
		draw_device(row++, &chips->chips[i]);
}

static const char *key_names(int action)
{
	for (size_t i = 0; i < n_keys; i++)
		if ((int)keys[i].action == action)
			return keys[i].names;
	return "";
}

static void draw_help(const struct fleet_ui *ui)
{
	const struct rect screen = { 0, 0, ui->rows, ui->columns };
	struct rect box = box_outside(&screen, (int)n_fleet_keys, 60);
	struct rect inside = box_inside(&box);

	paint_box(&box, "Keys");
	for (size_t i = 0; i < n_fleet_keys && (int)i < inside.height; i++) {
		paint_text(inside.top + (int)i, inside.left, 12, STYLE_KEY,
			   key_names(fleet_keys[i].action));
		paint_text(inside.top + (int)i, inside.left + 13, inside.width - 13, STYLE_PLAIN,
			   fleet_keys[i].help);
	}
}

static void draw_keys(const struct fleet_ui *ui)
{
	static const struct {
		const char *key, *text;
	} labels[] = { { "h", "help" },	   { "Enter", "machine" }, { "Esc", "back" },
		       { "g", "reading" }, { "s", "sort" },	   { "C", "theme" },
		       { "q", "quit" } };
	int at = 0, row = ui->rows - 1;

	paint_cell(row, 0, ui->columns, false, STYLE_PLAIN, ""); /* a small screen has more there */
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		at += paint_text(row, at, ui->columns - at, STYLE_KEY, labels[i].key) + 1;
		at += paint_text(row, at, ui->columns - at, STYLE_PLAIN, labels[i].text) + 2;
	}
}

void fleet_draw(const struct fleet_ui *ui, int64_t now_ns)
{
	const struct fleet_machine *machine = ui->in_machine ? fleet_ui_machine(ui) : NULL;

	draw_header(ui, now_ns);
	if (machine)
		draw_inside(ui, machine);
	else
		draw_grid(ui);
	draw_keys(ui);
	if (ui->help)
		draw_help(ui);
}
