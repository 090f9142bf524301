/* Texts of a machine and of the totals, shared by the table and the screen. */
#include "fleet/fleet_render.h"

#include "fleet/document.h"
#include "render/format.h"
#include "render/rounding.h"

#include <math.h>

void fleet_put_watts(struct buf *out, double watts)
{
	if (watts < 1000)
		buf_printf(out, "%.0fW", watts);
	else if (watts < 1e6)
		buf_printf(out, "%.1fkW", watts / 1e3);
	else
		buf_printf(out, "%.1fMW", watts / 1e6);
}

void fleet_put_up(struct buf *out, const struct fleet_machine *machine)
{
	double target = machine_target(machine);

	if (!machine_knows(machine, MACHINE_UP) || isnan(target))
		buf_puts(out, "N/A");
	else
		buf_printf(out, "%.0f/%.0f", machine->values[MACHINE_UP], target);
}

void fleet_put_temperature(struct buf *out, const struct fleet_machine *machine, bool utf8)
{
	if (machine_knows(machine, MACHINE_TEMPERATURE))
		format_celsius(out, machine->values[MACHINE_TEMPERATURE], utf8);
	else
		buf_puts(out, "N/A");
}

void fleet_put_power(struct buf *out, const struct fleet_machine *machine)
{
	if (machine_knows(machine, MACHINE_POWER))
		fleet_put_watts(out, machine->values[MACHINE_POWER]);
	else
		buf_puts(out, "N/A");
}

static enum rounding rounding_of(bool lower)
{
	return lower ? ROUND_DOWN : ROUND_NEAREST;
}

static const char *bound(bool lower, bool utf8)
{
	return rounding_mark(rounding_of(lower), utf8);
}

void fleet_put_share(struct buf *out, const struct fleet_machine *machine, bool utf8)
{
	enum rounding rounding = rounding_of(machine->values[MACHINE_COMPLETE] == 0);
	double share = machine_dram_share(machine);

	if (share < 0) {
		buf_puts(out, "N/A");
		return;
	}
	buf_puts(out, rounding_mark(rounding, utf8));
	rounding_put_percent(out, share, 0, rounding);
	buf_putc(out, '%');
}

void fleet_put_state(struct buf *out, const struct fleet *fleet,
		     const struct fleet_machine *machine)
{
	if (!machine->has_data)
		buf_puts(out, "no data");
	if (!machine->has_data && machine->n_alerts)
		buf_puts(out, "; ");
	if (machine->n_alerts)
		machine_put_alerts(out, machine);
	else if (machine->has_data)
		buf_puts(out, fleet->knows_alerts ? "-" : "N/A");
}

static void put_devices(struct buf *out, const struct fleet_totals *totals)
{
	buf_puts(out, "   ");
	if (isnan(totals->values[MACHINE_UP])) {
		buf_puts(out, "devices up N/A");
		return;
	}
	format_count(out, number_to_u64(totals->values[MACHINE_UP]));
	buf_puts(out, " of ");
	format_count(out, number_to_u64(totals->target));
	buf_puts(out, " devices up");
}

static void put_hottest(struct buf *out, const struct fleet *fleet, bool utf8)
{
	const struct fleet_machine *hottest = fleet_hottest(fleet);

	if (!hottest)
		return;
	buf_puts(out, "   hottest ");
	fleet_put_temperature(out, hottest, utf8);
	buf_printf(out, " (%s", hottest->name);
	if (fleet->hottest_device)
		buf_printf(out, "/%s", fleet->hottest_device);
	buf_putc(out, ')');
}

static void put_dram(struct buf *out, const struct fleet_totals *totals, bool utf8)
{
	double used = totals->values[MACHINE_DRAM_USED], size = totals->values[MACHINE_DRAM_SIZE];

	if (isnan(used) || isnan(size))
		return;
	buf_printf(out, "   DRAM %s",
		   bound(totals->partly[MACHINE_DRAM_USED] || totals->values[MACHINE_COMPLETE] == 0,
			 utf8));
	format_bytes(out, number_to_u64(used));
	buf_puts(out, " of ");
	format_bytes(out, number_to_u64(size));
}

void fleet_put_totals(struct buf *out, const struct fleet *fleet, bool utf8)
{
	struct fleet_totals totals;

	fleet_total(fleet, &totals);
	format_count(out, totals.machines);
	buf_puts(out, totals.machines == 1 ? " machine" : " machines");
	put_devices(out, &totals);
	if (totals.without_data)
		buf_printf(out, "   %zu without data", totals.without_data);
	if (!isnan(totals.values[MACHINE_POWER])) {
		buf_printf(out, "   %s", bound(totals.partly[MACHINE_POWER], utf8));
		fleet_put_watts(out, totals.values[MACHINE_POWER]);
	}
	put_hottest(out, fleet, utf8);
	put_dram(out, &totals, utf8);
	if (fleet->knows_alerts)
		buf_printf(out, "   %zu alert%s", totals.alerts, totals.alerts == 1 ? "" : "s");
	else
		buf_puts(out, "   alerts N/A");
}
