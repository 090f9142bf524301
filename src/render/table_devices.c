/* The box of devices. */
#include "render/table.h"

#include "basic/clock.h"
#include "basic/text.h"
#include "render/lower_bound.h"
#include "render/columns.h"
#include "render/device_style.h"
#include "render/format.h"
#include "render/boxed_table.h"

#include <string.h>
#include <time.h>

/* A PCI address for an id is wider than a number: so many characters more. */
static size_t id_excess(const struct device *dev)
{
	size_t width = (size_t)device_fields.fields[DEV_ID].width;

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

	/* Beside an address there is room for the board alone. */
	if (!excess || !device_knows(dev, DEV_BOARD))
		buf_puts(&text, arch_names[dev->arch]);
	if (excess && device_knows(dev, DEV_BOARD))
		buf_puts(&text, dev->board);
	else if (dev->type && dev->type->galaxy)
		buf_puts(&text, " galaxy"); /* the architecture is in the name already */
	else if (device_knows(dev, DEV_BOARD))
		buf_printf(&text, " %s", dev->board);
	cell_buf(box, width - excess, STYLE_BOLD, &text);
}

static void put_temp(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row->device;

	if (!device_knows(dev, DEV_TEMPERATURE)) {
		cell_na(box, width);
		return;
	}
	buf_printf(&text, "%.0f%sC", dev->temperature, box->options->utf8 ? "°" : "");
	cell_buf(box, width, device_temperature_style(dev), &text);
}

static void put_power(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row->device;

	if (!device_knows(dev, DEV_POWER)) {
		cell_na(box, width);
		return;
	}
	buf_printf(&text, "%.0fW", dev->power);
	if (device_knows(dev, DEV_POWER_LIMIT) && dev->power_limit > 0)
		buf_printf(&text, "/%.0fW", dev->power_limit);
	cell_buf(box, width, device_power_style(dev), &text);
}

/* A chip that gives no answer has the rest of the line for its condition. */
static bool put_condition(struct boxed_table *box, const struct device *dev)
{
	if (dev->state == DEVICE_OK || dev->state == DEVICE_NO_TELEMETRY)
		return false;
	/* Programs can report memory of a chip without PCIe; "at least 0" tells nothing. */
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
	buf_puts(&text, lower_bound_of_device(dev, DEV_DRAM_USED, box->options->utf8));
	format_bytes(&text, dev->memory_used[POOL_DRAM]);
	if (device_knows(dev, DEV_DRAM_TOTAL)) {
		buf_putc(&text, '/');
		format_bytes(&text, dev->memory_total[POOL_DRAM]);
	}
	cell_buf(box, width, STYLE_PLAIN, &text);
}

static void put_bar(struct boxed_table *box, size_t width, const struct row *row)
{
	enum { MOST_CELLS = 20, AROUND = 3, LEAST_SHARE = 4 }; /* "[] ", "100%" */
	CLEANUP_BUF struct buf text = { 0 }, share = { 0 };
	const struct device *dev = row->device;
	size_t room = width ? width - 1 : boxed_table_left(box), columns, cells, full;
	bool utf8 = box->options->utf8;

	buf_printf(&share, "%s%.0f%%", lower_bound_of_device(dev, DEV_MEMORY_RATIO, utf8),
		   dev->memory_ratio * 100);
	columns = text_width(buf_text(&share), share.length);
	if (!device_knows(dev, DEV_MEMORY_RATIO) || room <= AROUND + MAX(columns, LEAST_SHARE)) {
		boxed_table_cell(box, width, STYLE_PLAIN, "");
		return;
	}
	cells = MIN(room - AROUND - MAX(columns, LEAST_SHARE), MOST_CELLS);
	full = (size_t)(dev->memory_ratio * (double)cells + 0.5);
	buf_putc(&text, '[');
	for (size_t i = 0; i < cells; i++)
		buf_puts(&text, i < full ? (utf8 ? "█" : "#") : (utf8 ? "░" : "."));
	buf_puts(&text, "] ");
	buf_fill(&text, ' ', LEAST_SHARE - MIN(columns, LEAST_SHARE));
	buf_puts(&text, buf_text(&share));
	cell_buf(box, width, memory_style(dev->memory_ratio), &text);
}

static void put_compute(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (!device_knows(row->device, DEV_COMPUTE)) {
		cell_na(box, width);
		return;
	}
	buf_printf(&text, "%.0f%%", row->device->compute * 100);
	cell_buf(box, width, STYLE_PLAIN, &text);
}

static void put_aiclk(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (!device_knows(row->device, DEV_AICLK)) {
		cell_na(box, width);
		return;
	}
	buf_printf(&text, "%.0fMHz", (double)row->device->aiclk / 1e6);
	cell_buf(box, width, STYLE_PLAIN, &text);
}

static void put_link(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row->device;

	if (!device_knows(dev, DEV_LINK_GEN) || !device_knows(dev, DEV_LINK_WIDTH)) {
		cell_na(box, width);
		return;
	}
	buf_printf(&text, "%ux%u", dev->link_gen, dev->link_width);
	cell_buf(box, width, STYLE_PLAIN, &text);
}

static void put_rates(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (!device_knows(row->device, DEV_PCIE_RX)) {
		cell_na(box, width);
		return;
	}
	format_rate(&text, row->device->pcie_rx);
	buf_putc(&text, ' ');
	format_rate(&text, row->device->pcie_tx);
	cell_buf(box, width, STYLE_PLAIN, &text);
}

static void put_fan(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (!device_knows(row->device, DEV_FAN_RPM)) {
		cell_na(box, width);
		return;
	}
	buf_printf(&text, "%urpm", row->device->fan_rpm);
	cell_buf(box, width, STYLE_PLAIN, &text);
}

static void put_health(struct boxed_table *box, size_t width, const struct row *row)
{
	bool ok = strcmp(row->device->health, "ok") == 0;

	boxed_table_cell(box, width, ok ? STYLE_GOOD : STYLE_BAD, row->device->health);
}

/* clang-format off */
static const struct device_place {
	enum device_field field; /* its line has heading and width, also for those beside it */
	void (*put)(struct boxed_table *box, size_t width, const struct row *row);
	const struct field_ref *shows; /* what else is in the cell, colours and marks included; NULL: nothing */
	bool extra; /* only if there is room */
} places[] = {
	{ DEV_ID, put_id },
	{ DEV_NAME, put_name, FIELDS(DEVICE_FIELD(BOARD)) },
	{ DEV_TEMPERATURE, put_temp, FIELDS(DEVICE_FIELD(TEMPERATURE_HEADROOM)) },
	{ DEV_POWER, put_power, FIELDS(DEVICE_FIELD(POWER_LIMIT)) },
	{ DEV_DRAM_USED, put_memory, FIELDS(DEVICE_FIELD(STATE), DEVICE_FIELD(DRAM_TOTAL), DEVICE_FIELD(MEMORY_COMPLETE)) },
	{ DEV_MEMORY_RATIO, put_bar, FIELDS(DEVICE_FIELD(MEMORY_COMPLETE)) },
	{ DEV_COMPUTE, put_compute, .extra = true },
	{ DEV_AICLK, put_aiclk, .extra = true },
	{ DEV_LINK_GEN, put_link, FIELDS(DEVICE_FIELD(LINK_WIDTH)), .extra = true },
	{ DEV_PCIE_RX, put_rates, FIELDS(DEVICE_FIELD(PCIE_TX)), .extra = true },
	{ DEV_FAN_RPM, put_fan, .extra = true },
	{ DEV_HEALTH, put_health, .extra = true },
};
/* clang-format on */

_Static_assert(ARRAY_SIZE(places) <= MAX_COLUMNS, "a plan holds all columns");

/* The columns that fit; that of compute only if somebody publishes it. */
static struct plan plan_places(struct column columns[ARRAY_SIZE(places)], size_t room, bool compute)
{
	bool skip[ARRAY_SIZE(places)];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const struct field *field = &device_fields.fields[places[i].field];

		columns[i] = (struct column){
			.heading = field->heading,
			.width = (size_t)field->width + 1,
			.narrow = (size_t)(field->narrow ? field->narrow : field->width) + 1,
			.extra = places[i].extra,
			.put = places[i].put,
		};
		skip[i] = places[i].field == DEV_COMPUTE && !compute;
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
		if (device_knows(&snapshot->devices[i], DEV_COMPUTE))
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

/* Whether anybody publishes compute is not known beforehand: both plans count. */
void device_box_wants(size_t room, struct want *want)
{
	struct column columns[ARRAY_SIZE(places)];
	struct plan with = plan_places(columns, room, true);
	struct plan without = plan_places(columns, room, false);

	plan_want(&with, want);
	plan_want(&without, want);
}
