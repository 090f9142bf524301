#include "render/sums_text.h"

#include "basic/text.h"
#include "model/device_health.h"
#include "render/format.h"
#include "render/lower_bound.h"

struct device_totals {
	double power, hottest;
	uint64_t used, total;
	bool has_power, has_heat, has_memory;
	size_t cards;
};

static struct device_totals add_up(const struct snapshot *snapshot)
{
	struct device_totals sums = { 0 };

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		sums.cards += device_has_node(dev); /* counted like "Attached Devices" */
		if (device_knows(dev, DEV_POWER)) {
			sums.power += dev->power;
			sums.has_power = true;
		}
		if (device_knows(dev, DEV_TEMPERATURE)) {
			sums.hottest = MAX(sums.hottest, dev->temperature);
			sums.has_heat = true;
		}
		if (device_knows(dev, DEV_DRAM_USED)) {
			sums.used += dev->memory_used[POOL_DRAM];
			sums.has_memory = true;
		}
		if (device_knows(dev, DEV_DRAM_TOTAL) && !device_is_unserved(dev))
			sums.total += dev->memory_total[POOL_DRAM];
	}
	return sums;
}

/* ", 2 in trouble: 3 19" */
static void put_troubled(struct buf *out, const struct snapshot *snapshot, bool utf8)
{
	enum { NAMED = 6 };
	size_t count = 0;

	for (size_t i = 0; i < snapshot->n_devices; i++)
		count += device_is_failing(&snapshot->devices[i]);
	if (!count)
		return;
	buf_printf(out, ", %zu in trouble:", count);
	count = 0;
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (device_is_failing(&snapshot->devices[i]) && count++ < NAMED)
			buf_printf(out, " %s", snapshot->devices[i].id);
	if (count > NAMED)
		buf_puts(out, utf8 ? " …" : " ...");
}

/* Returns whether there was room for it. */
static bool add_sum(struct buf *out, const struct buf *sum, size_t room)
{
	if (text_width(buf_text(out), out->length) + text_width(buf_text(sum), sum->length) > room)
		return false;
	buf_add(out, buf_text(sum), sum->length);
	return true;
}

/* "  DRAM ≥120.0GB/384.0GB", or "  DRAM ≥120.0GB" */
static void add_memory(struct buf *out, const struct device_totals *sums, const char *bound,
		       size_t room)
{
	CLEANUP_BUF struct buf used = { 0 }, both = { 0 };

	buf_puts(&used, "  DRAM ");
	buf_puts(&used, bound);
	format_bytes(&used, sums->used);
	buf_puts(&both, buf_text(&used));
	buf_putc(&both, '/');
	format_bytes(&both, sums->total);
	if (!add_sum(out, &both, room))
		add_sum(out, &used, room);
}

static void put_power(struct buf *out, double watts)
{
	buf_puts(out, "  ");
	if (watts >= 1000)
		format_tenths(out, watts / 1000);
	else
		format_whole(out, watts);
	buf_puts(out, watts >= 1000 ? "kW" : "W");
}

void sums_put(struct buf *out, const struct snapshot *snapshot, bool utf8, size_t room)
{
	struct device_totals sums = add_up(snapshot);
	CLEANUP_BUF struct buf power = { 0 }, heat = { 0 };

	buf_printf(out, "%zu device%s", sums.cards, sums.cards == 1 ? "" : "s");
	put_troubled(out, snapshot, utf8);
	if (sums.has_power)
		put_power(&power, sums.power);
	if (sums.has_heat) {
		buf_puts(&heat, "  max ");
		format_celsius(&heat, sums.hottest, utf8);
	}
	add_sum(out, &power, room);
	add_sum(out, &heat, room);
	if (sums.has_memory)
		add_memory(out, &sums, lower_bound_of_devices(snapshot, DEV_DRAM_USED, utf8), room);
	out->failed |= power.failed || heat.failed;
}
