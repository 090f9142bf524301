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

enum { ID_WIDTH = 4, COLUMN_COMPUTE = 6 };

/* A PCI address for an id is wider than a number: so many columns more. */
static size_t id_excess(const struct device *dev)
{
	return MAX(strlen(dev->id) + 1, ID_WIDTH) - ID_WIDTH;
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
static const struct column columns[] = {
	{ "GPU",   ID_WIDTH, ID_WIDTH, false, put_id,      FIELDS(DEVICE_FIELD(ID)) },
	{ "Name",         19, 19, false, put_name,    FIELDS(DEVICE_FIELD(NAME), DEVICE_FIELD(BOARD)) },
	{ "Temp",         8,  6,  false, put_temp,    FIELDS(DEVICE_FIELD(TEMPERATURE), DEVICE_FIELD(TEMPERATURE_HEADROOM)) },
	{ "Power",        12, 10, false, put_power,   FIELDS(DEVICE_FIELD(POWER), DEVICE_FIELD(POWER_LIMIT)) },
	{ "Memory-Usage", 18, 17, false, put_memory,  FIELDS(DEVICE_FIELD(STATE), DEVICE_FIELD(DRAM_USED),
								DEVICE_FIELD(DRAM_TOTAL), DEVICE_FIELD(MEMORY_COMPLETE)) },
	{ "Utilization",  28, 20, false, put_bar,     FIELDS(DEVICE_FIELD(MEMORY_RATIO), DEVICE_FIELD(MEMORY_COMPLETE)) },
	[COLUMN_COMPUTE] =
	{ "Compute",      9,  9,  true,  put_compute, FIELDS(DEVICE_FIELD(COMPUTE)) },
	{ "AICLK",        10, 10, true,  put_aiclk,   FIELDS(DEVICE_FIELD(AICLK)) },
	{ "PCIe",         6,  6,  true,  put_link,    FIELDS(DEVICE_FIELD(LINK_GEN), DEVICE_FIELD(LINK_WIDTH)) },
	{ "Rx/Tx",        20, 20, true,  put_rates,   FIELDS(DEVICE_FIELD(PCIE_RX), DEVICE_FIELD(PCIE_TX)) },
	{ "Fan",          9,  9,  true,  put_fan,     FIELDS(DEVICE_FIELD(FAN_RPM)) },
	{ "Health",       20, 20, true,  put_health,  FIELDS(DEVICE_FIELD(HEALTH)) },
};
/* clang-format on */

_Static_assert(ARRAY_SIZE(columns) <= MAX_COLUMNS, "a plan holds all columns");

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
	const bool skip[ARRAY_SIZE(columns)] = { [COLUMN_COMPUTE] = !any_compute(snapshot) };
	struct plan plan =
		plan_columns(columns, ARRAY_SIZE(columns), box_room(box->options->columns), skip);

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

/* Whether anybody publishes compute is not known beforehand: both plans count. */
void device_box_wants(size_t room, struct want *want)
{
	const bool skip[ARRAY_SIZE(columns)] = { [COLUMN_COMPUTE] = true };
	struct plan with = plan_columns(columns, ARRAY_SIZE(columns), room, NULL);
	struct plan without = plan_columns(columns, ARRAY_SIZE(columns), room, skip);

	plan_want(&with, want);
	plan_want(&without, want);
}
