/* The box of devices. */
#include "model/device_health.h"
#include "render/table.h"

#include "basic/clock.h"
#include "basic/text.h"
#include "render/lower_bound.h"
#include "render/columns.h"
#include "render/device_style.h"
#include "render/device_text.h"
#include "render/format.h"
#include "render/boxed_table.h"

#include <string.h>
#include <time.h>

/* Additional columns needed if the id is a PCI address, which is wider than a number. */
static size_t id_excess(const struct device *dev)
{
	size_t width = (size_t)device_fields.fields[DEV_ID].column.width;

	return MAX(strlen(dev->id), width) - width;
}

static void put_id(struct boxed_table *box, size_t width, const struct row *row)
{
	boxed_table_cell(box, width + id_excess(row->device), STYLE_PLAIN, row->device->id);
}

static void put_name(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row->device;
	size_t excess = id_excess(dev);

	/* Beside an address there is room only for the board. */
	if (excess && device_knows(dev, DEV_BOARD))
		buf_puts(&text, dev->board);
	else
		device_put_name(&text, dev);
	cell_buf(box, width - excess, STYLE_BOLD, &text);
}

static void put_temp(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	device_put_temperature(&text, row->device, false, box->options->utf8);
	cell_buf(box, width, device_temperature_style(row->device), &text);
}

static void put_power(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	device_put_power(&text, row->device, true);
	cell_buf(box, width, device_power_style(row->device), &text);
}

/* If the chip cannot be read, its condition takes the rest of the line. */
static bool put_condition(struct boxed_table *box, const struct device *dev)
{
	if (dev->state == DEVICE_OK || dev->state == DEVICE_NO_TELEMETRY)
		return false;
	/* Programs can report memory of a chip without PCIe; "at least 0" would say nothing. */
	if (dev->state == DEVICE_UNREADABLE && device_knows(dev, DEV_DRAM_USED) &&
	    (dev->memory_used[POOL_DRAM] || dev->memory_complete))
		return false;
	boxed_table_cell(box, 0, device_condition_style(dev), device_condition_text(dev));
	return true;
}

static void put_memory(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row->device;

	if (put_condition(box, dev))
		return;
	if (!device_knows(dev, DEV_DRAM_USED)) {
		cell_na(box, width);
		return;
	}
	device_put_pool(&text, dev, POOL_DRAM, box->options->utf8);
	cell_buf(box, width, STYLE_PLAIN, &text);
}

static void put_bar(struct boxed_table *box, size_t width, const struct row *row)
{
	enum { MOST_CELLS = 20, AROUND = 3, LEAST_SHARE = 4 }; /* "[] ", "100%" */
	CLEANUP_BUF struct buf text = { 0 }, share = { 0 };
	const struct device *dev = row->device;
	size_t room = width ? width - 1 : boxed_table_left(box), columns, cells;
	bool utf8 = box->options->utf8;

	device_put_share(&share, dev, utf8);
	columns = text_width(buf_text(&share), share.length);
	if (!device_knows(dev, DEV_MEMORY_RATIO) || room <= AROUND + MAX(columns, LEAST_SHARE)) {
		boxed_table_cell(box, width, STYLE_PLAIN, "");
		return;
	}
	cells = MIN(room - AROUND - MAX(columns, LEAST_SHARE), MOST_CELLS);
	format_bar(&text, dev->memory_ratio, cells, utf8);
	buf_putc(&text, ' ');
	buf_fill(&text, ' ', LEAST_SHARE - MIN(columns, LEAST_SHARE));
	buf_puts(&text, buf_text(&share));
	cell_buf(box, width, memory_style(dev->memory_ratio), &text);
}

/* A reading without a limit. */
static void put_reading(struct boxed_table *box, size_t width, const struct row *row,
			void (*put)(struct buf *out, const struct device *dev),
			enum device_field field)
{
	CLEANUP_BUF struct buf text = { 0 };

	put(&text, row->device);
	cell_buf(box, width, device_knows(row->device, field) ? STYLE_PLAIN : STYLE_DIM, &text);
}

static void put_compute(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	device_put_compute(&text, row->device, box->options->utf8);
	cell_buf(box, width, device_shows_compute(row->device) ? STYLE_PLAIN : STYLE_DIM, &text);
}

static void put_aiclk(struct boxed_table *box, size_t width, const struct row *row)
{
	put_reading(box, width, row, device_put_aiclk, DEV_AICLK);
}

static void put_link(struct boxed_table *box, size_t width, const struct row *row)
{
	put_reading(box, width, row, device_put_link, DEV_LINK_WIDTH);
}

static void put_fan(struct boxed_table *box, size_t width, const struct row *row)
{
	put_reading(box, width, row, device_put_fan, DEV_FAN_RPM);
}

static void put_rates(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (!device_knows(row->device, DEV_PCIE_RX)) {
		cell_na(box, width);
		return;
	}
	device_put_rx(&text, row->device);
	buf_putc(&text, ' ');
	device_put_tx(&text, row->device);
	cell_buf(box, width, STYLE_PLAIN, &text);
}

static void put_health(struct boxed_table *box, size_t width, const struct row *row)
{
	bool ok = strcmp(row->device->health, "ok") == 0;

	boxed_table_cell(box, width, ok ? STYLE_GOOD : STYLE_BAD, row->device->health);
}

/* clang-format off */
static const struct device_place {
	enum device_field field; /* gives heading and width of the column, even if the cell shows more fields */
	void (*put)(struct boxed_table *box, size_t width, const struct row *row);
	const struct field_ref *shows; /* further fields that the cell shows or that its style depends on; may be NULL */
	bool extra; /* optional: only if there is room */
} places[] = {
	{ DEV_ID, put_id },
	{ DEV_NAME, put_name, FIELDS(DEVICE_FIELD(BOARD)) },
	{ DEV_TEMPERATURE, put_temp, FIELDS(DEVICE_FIELD(TEMPERATURE_HEADROOM)) },
	{ DEV_POWER, put_power, FIELDS(DEVICE_FIELD(POWER_LIMIT)) },
	{ DEV_DRAM_USED, put_memory, FIELDS(DEVICE_FIELD(STATE), DEVICE_FIELD(DRAM_TOTAL), DEVICE_FIELD(MEMORY_COMPLETE)) },
	{ DEV_MEMORY_RATIO, put_bar, FIELDS(DEVICE_FIELD(MEMORY_COMPLETE)) },
	{ DEV_DISPATCH, put_compute, FIELDS(DEVICE_FIELD(BOUND), DEVICE_FIELD(PROGRAMS), DEVICE_FIELD(RUNNING)), .extra = true },
	{ DEV_AICLK, put_aiclk, .extra = true },
	{ DEV_LINK_GEN, put_link, FIELDS(DEVICE_FIELD(LINK_WIDTH)), .extra = true },
	{ DEV_PCIE_RX, put_rates, FIELDS(DEVICE_FIELD(PCIE_TX)), .extra = true },
	{ DEV_FAN_RPM, put_fan, .extra = true },
	{ DEV_HEALTH, put_health, .extra = true },
};
/* clang-format on */

_Static_assert(ARRAY_SIZE(places) <= MAX_COLUMNS, "a plan holds all columns");

/* The columns that fit. Compute utilization gets one only if it is known. */
static struct plan plan_places(struct column columns[ARRAY_SIZE(places)], size_t room, bool compute)
{
	bool skip[ARRAY_SIZE(places)];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		columns[i] = column_make(&device_fields.fields[places[i].field].column,
					 places[i].extra, places[i].put);
		skip[i] = places[i].field == DEV_DISPATCH && !compute;
	}
	return plan_columns(columns, ARRAY_SIZE(places), room, skip);
}

static void put_title(struct boxed_table *box, const struct snapshot *snapshot)
{
	time_t seconds = (time_t)(snapshot->wall_ns / NS_PER_S);
	CLEANUP_BUF struct buf text = { 0 };
	char date[32];
	struct tm local;

	localtime_r(&seconds, &local);
	strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y", &local);
	buf_printf(&text, "tt-smi %s   driver %s", box->options->version,
		   snapshot->host.why[HOST_DRIVER] == KNOWN ? snapshot->host.driver : "N/A");
	if (snapshot->simulated)
		buf_puts(&text, "   SIMULATED");
	else if (snapshot->recorded)
		buf_puts(&text, "   RECORDED");
	if (snapshot_server(snapshot))
		buf_printf(&text, "   %s", snapshot_server(snapshot));
	boxed_table_begin(box);
	boxed_table_cell(box, boxed_table_left(box) - strlen(date), STYLE_BOLD, buf_text(&text));
	boxed_table_cell(box, 0, STYLE_PLAIN, date);
	boxed_table_end(box);
}

static bool any_compute(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (device_shows_compute(&snapshot->devices[i]))
			return true;
	return false;
}

void device_box(struct boxed_table *box, const struct snapshot *snapshot)
{
	struct column columns[ARRAY_SIZE(places)];
	struct plan plan =
		plan_places(columns, box_room(box->options->columns), any_compute(snapshot));

	boxed_table_rule(box, RULE_TOP);
	put_title(box, snapshot);
	boxed_table_rule(box, RULE_MIDDLE);
	plan_put_headings(&plan, box);
	boxed_table_rule(box, RULE_MIDDLE);
	for (size_t i = 0; i < snapshot->n_devices; i++)
		plan_put_row(
			&plan, box,
			&(struct row){ .snapshot = snapshot, .device = &snapshot->devices[i] });
	boxed_table_rule(box, RULE_BOTTOM);
}

static void plan_want(const struct plan *plan, struct want *want)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (!plan->widths[i])
			continue;
		want_add(want, OF_DEVICE, places[i].field);
		want_add_list(want, places[i].shows);
	}
}

/* Which of the two plans applies is known only after reading, so the fields of both are wanted. */
void device_box_wants(size_t room, struct want *want)
{
	struct column columns[ARRAY_SIZE(places)];
	struct plan with = plan_places(columns, room, true);
	struct plan without = plan_places(columns, room, false);

	plan_want(&with, want);
	plan_want(&without, want);
}
