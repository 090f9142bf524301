#include "render/device_text.h"

#include "basic/clock.h"
#include "render/format.h"
#include "render/lower_bound.h"
#include "render/utilization_text.h"

/* Writes "N/A" for an unknown field. Returns whether it is known. */
static bool known(struct buf *out, const struct device *dev, enum device_field field)
{
	if (!device_knows(dev, field))
		buf_puts(out, "N/A");
	return device_knows(dev, field);
}

void device_put_temperature(struct buf *out, const struct device *dev, bool limit, bool utf8)
{
	if (!known(out, dev, DEV_TEMPERATURE))
		return;
	format_celsius(out, dev->temperature, utf8);
	if (limit && device_knows(dev, DEV_TEMPERATURE_LIMIT)) {
		buf_putc(out, '/');
		format_celsius(out, dev->temperature_limit, utf8);
	}
}

static void put_watts(struct buf *out, double watts)
{
	format_whole(out, watts);
	buf_putc(out, 'W');
}

void device_put_power(struct buf *out, const struct device *dev, bool limit)
{
	if (!known(out, dev, DEV_POWER))
		return;
	put_watts(out, dev->power);
	if (limit && device_knows(dev, DEV_POWER_LIMIT) && dev->power_limit > 0) {
		buf_putc(out, '/');
		put_watts(out, dev->power_limit);
	}
}

void device_put_aiclk(struct buf *out, const struct device *dev)
{
	if (!known(out, dev, DEV_AICLK))
		return;
	format_whole(out, (double)dev->aiclk / 1e6);
	buf_puts(out, "MHz");
}

void device_put_link(struct buf *out, const struct device *dev)
{
	if (known(out, dev, device_knows(dev, DEV_LINK_GEN) ? DEV_LINK_WIDTH : DEV_LINK_GEN))
		buf_printf(out, "%ux%u", dev->link_gen, dev->link_width);
}

void device_put_rx(struct buf *out, const struct device *dev)
{
	if (known(out, dev, DEV_PCIE_RX))
		format_rate(out, dev->pcie_rx);
}

void device_put_tx(struct buf *out, const struct device *dev)
{
	if (known(out, dev, DEV_PCIE_TX))
		format_rate(out, dev->pcie_tx);
}

void device_put_fan(struct buf *out, const struct device *dev)
{
	if (known(out, dev, DEV_FAN_RPM))
		buf_printf(out, "%urpm", dev->fan_rpm);
}

void device_put_compute(struct buf *out, const struct device *dev, bool utf8)
{
	utilization_put(out, dev->why + DEV_DISPATCH, &dev->utilization, utf8);
}

bool device_shows_compute(const struct device *dev)
{
	return utilization_is_shown(dev->why + DEV_DISPATCH, &dev->utilization);
}

void device_put_name(struct buf *out, const struct device *dev)
{
	buf_puts(out, arch_names[dev->arch]);
	if (dev->type && dev->type->galaxy) {
		buf_puts(out, " galaxy"); /* the architecture is in the name already */
		return;
	}
	if (device_knows(dev, DEV_BOARD)) {
		buf_putc(out, ' ');
		buf_puts(out, dev->board);
	}
}

void device_put_used(struct buf *out, const struct device *dev, enum pool pool, bool utf8)
{
	const enum device_field used = device_pools[pool].used;

	if (!known(out, dev, used))
		return;
	buf_puts(out, lower_bound_of_device(dev, used, utf8));
	format_bytes(out, dev->memory_used[pool]);
}

void device_put_pool(struct buf *out, const struct device *dev, enum pool pool, bool utf8)
{
	device_put_used(out, dev, pool, utf8);
	if (device_knows(dev, device_pools[pool].total)) {
		buf_putc(out, '/');
		format_bytes(out, dev->memory_total[pool]);
	}
}

double device_pool_share(const struct device *dev, enum pool pool)
{
	if (!device_knows(dev, device_pools[pool].used) ||
	    !device_knows(dev, device_pools[pool].total) || !dev->memory_total[pool])
		return -1;
	return (double)dev->memory_used[pool] / (double)dev->memory_total[pool];
}

void device_put_share(struct buf *out, const struct device *dev, bool utf8)
{
	double share = device_pool_share(dev, POOL_DRAM);

	if (share < 0) {
		buf_puts(out, "N/A");
		return;
	}
	buf_puts(out, lower_bound_of_device(dev, DEV_MEMORY_RATIO, utf8));
	rounding_put_percent(out, share, 0, lower_bound_rounding(dev, DEV_MEMORY_RATIO));
	buf_putc(out, '%');
}

void device_put_age(struct buf *out, int64_t age_ns)
{
	long long s = age_ns / NS_PER_S;

	if (age_ns < 0)
		buf_puts(out, "never seen");
	else if (s < 100)
		buf_printf(out, "%llds ago", s);
	else if (s < 6000)
		buf_printf(out, "%lldm ago", s / 60);
	else
		buf_printf(out, "%lldh ago", s / 3600);
}
