#include "tui/device_text.h"

#include "basic/clock.h"
#include "render/lower_bound.h"
#include "render/format.h"
#include "tui/paint.h"

void put_temperature(struct buf *out, const struct device *dev, bool limit)
{
	if (!device_knows(dev, DEV_TEMPERATURE)) {
		buf_puts(out, "N/A");
		return;
	}
	format_whole(out, dev->temperature);
	buf_puts(out, paint_sign("°C", "C"));
	if (limit && device_knows(dev, DEV_TEMPERATURE_LIMIT)) {
		buf_putc(out, '/');
		format_whole(out, dev->temperature_limit);
	}
}

void put_power(struct buf *out, const struct device *dev, bool limit)
{
	if (!device_knows(dev, DEV_POWER)) {
		buf_puts(out, "N/A");
		return;
	}
	format_whole(out, dev->power);
	buf_putc(out, 'W');
	if (limit && device_knows(dev, DEV_POWER_LIMIT) && dev->power_limit > 0) {
		buf_putc(out, '/');
		format_whole(out, dev->power_limit);
		buf_putc(out, 'W');
	}
}

void put_aiclk(struct buf *out, const struct device *dev, bool brief)
{
	if (!device_knows(dev, DEV_AICLK)) {
		buf_puts(out, "N/A");
		return;
	}
	format_whole(out, (double)dev->aiclk / 1e6);
	buf_puts(out, brief ? "M" : "MHz");
}

void put_used(struct buf *out, const struct device *dev, bool l1)
{
	enum device_field used = l1 ? DEV_L1_USED : DEV_DRAM_USED;

	if (!device_knows(dev, used)) {
		buf_puts(out, "N/A");
		return;
	}
	buf_puts(out, lower_bound_of_device(dev, used, paint_is_utf8()));
	format_bytes(out, l1 ? dev->memory_used[POOL_L1] : dev->memory_used[POOL_DRAM]);
}

void put_pool(struct buf *out, const struct device *dev, bool l1)
{
	enum device_field total = l1 ? DEV_L1_TOTAL : DEV_DRAM_TOTAL;

	put_used(out, dev, l1);
	if (device_knows(dev, total)) {
		buf_putc(out, '/');
		format_bytes(out, l1 ? dev->memory_total[POOL_L1] : dev->memory_total[POOL_DRAM]);
	}
}

void put_name(struct buf *out, const struct device *dev)
{
	buf_puts(out, arch_names[dev->arch]);
	if (dev->type && dev->type->galaxy)
		buf_puts(out, " galaxy"); /* the architecture is in the name already */
	else if (device_knows(dev, DEV_BOARD))
		buf_printf(out, " %s", dev->board);
}

void put_age(struct buf *out, int64_t age_ns)
{
	int64_t s = age_ns / NS_PER_S;

	if (age_ns < 0)
		buf_puts(out, "never seen");
	else if (s < 100)
		buf_printf(out, "%llds ago", (long long)s);
	else if (s < 6000)
		buf_printf(out, "%lldm ago", (long long)s / 60);
	else
		buf_printf(out, "%lldh ago", (long long)s / 3600);
}

double pool_share(const struct device *dev, bool l1)
{
	if (l1)
		return device_knows(dev, DEV_L1_USED) && device_knows(dev, DEV_L1_TOTAL) &&
				       dev->memory_total[POOL_L1]
			       ? (double)dev->memory_used[POOL_L1] /
					 (double)dev->memory_total[POOL_L1]
			       : -1;
	return device_knows(dev, DEV_DRAM_USED) && device_knows(dev, DEV_DRAM_TOTAL) &&
			       dev->memory_total[POOL_DRAM]
		       ? (double)dev->memory_used[POOL_DRAM] / (double)dev->memory_total[POOL_DRAM]
		       : -1;
}

void put_share(struct buf *out, const struct device *dev, const char *unit)
{
	double share = pool_share(dev, false);

	if (share < 0) {
		buf_puts(out, "N/A");
		return;
	}
	buf_puts(out, lower_bound_of_device(dev, DEV_MEMORY_RATIO, paint_is_utf8()));
	format_whole(out, share * 100);
	buf_puts(out, unit);
}

enum style share_style(const struct device *dev)
{
	return memory_style(pool_share(dev, false));
}

enum { SIGN_TROUBLED, SIGN_LIMIT, SIGN_OPEN, SIGN_FREE, SIGN_UNSEEN, SIGN_UNREADABLE };

const struct sign sign_infos[] = {
	[SIGN_TROUBLED] = { "!", "!", "no current readings: the last ones are shown" },
	[SIGN_LIMIT] = { "^", "^", "at its temperature or power limit" },
	[SIGN_OPEN] = { "●", "*", "a process has it open" },
	[SIGN_FREE] = { "·", ".", "no process has it open" },
	[SIGN_UNSEEN] = { "?", "?", "unknown which processes have it open" },
	[SIGN_UNREADABLE] = { "-", "-", "not readable: no PCIe, or no driver" },
	{ "b64", "b64", "in the grid: busy for 64 percent of the time" },
	{ "≥", ">=", "lower bound: not every process is tracked" },
};
const size_t n_sign_infos = ARRAY_SIZE(sign_infos);

static unsigned choose_sign(const struct device *dev, enum style *ret_style)
{
	*ret_style = STYLE_BAD;
	if (device_is_failing(dev))
		return SIGN_TROUBLED;
	if (device_temperature_severity(dev) == SEVERITY_CRITICAL ||
	    device_power_severity(dev) == SEVERITY_CRITICAL)
		return SIGN_LIMIT;
	*ret_style = STYLE_GOOD;
	if (device_knows(dev, DEV_PROCESSES) && dev->processes)
		return SIGN_OPEN;
	*ret_style = STYLE_DIM;
	if (!device_has_node(dev))
		return SIGN_UNREADABLE;
	return dev->holders_known ? SIGN_FREE : SIGN_UNSEEN;
}

const char *device_sign(const struct device *dev, enum style *ret_style)
{
	const struct sign *sign = &sign_infos[choose_sign(dev, ret_style)];

	return paint_sign(sign->sign, sign->ascii);
}
