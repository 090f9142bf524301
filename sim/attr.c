#include "attr.h"

#include <string.h>

/* clang-format off */
const struct attr attrs[] = {
	{ "tt_aiclk", IN_CLASS, AS_DECIMAL, T_AICLK, { 1028, 1032 }, { 0 }, true },
	{ "tt_axiclk", IN_CLASS, AS_DECIMAL, T_AXICLK, { 1028, 1032 }, { 0 }, false },
	{ "tt_arcclk", IN_CLASS, AS_DECIMAL, T_ARCCLK, { 1028, 1032 }, { 0 }, false },
	{ "tt_serial", IN_CLASS, AS_HEX64, T_SERIAL_HIGH, { 1028, 1032 }, { 0 }, false },
	{ "tt_card_type", IN_CLASS, AS_CARD_TYPE, T_SERIAL_HIGH, { 1028, 1032 }, { 0 }, false },
	{ "tt_asic_id", IN_CLASS, AS_HEX64, T_ASIC_HIGH, { 2003, 2001 }, { 0 }, false },
	{ "tt_fw_bundle_ver", IN_CLASS, AS_VERSION4, T_BUNDLE, { 1029, 1032 }, { 0 }, false },
	{ "tt_m3app_fw_ver", IN_CLASS, AS_VERSION4, T_M3APP, { 1028, 1032 }, { 0 }, false },
	{ "tt_m3bl_fw_ver", IN_CLASS, AS_VERSION4, T_M3BL, { 1028, 0 }, { 0 }, false },
	{ "tt_arc_fw_ver", IN_CLASS, AS_VERSION4, T_ARCFW, { 1028, 0 }, { 0 }, false },
	{ "tt_eth_fw_ver", IN_CLASS, AS_VERSION3, T_ETHFW, { 1028, 0 }, { 0 }, false },
	{ "tt_ttflash_ver", IN_CLASS, AS_VERSION4, T_TTFLASH, { 1028, 0 }, { 0 }, false },
	{ "tt_heartbeat", IN_CLASS, AS_DECIMAL, T_HEARTBEAT, { 2007, 2007 }, { 0 }, true },
	{ "tt_therm_trip_count", IN_CLASS, AS_DECIMAL, T_TRIPS, { 0, 2007 }, { 0 }, false },

	{ "mst_nonposted_wr_data_word_sent0", IN_COUNTERS, AS_COUNTER, 0, { 2000, 2000 }, { 0 }, true },
	{ "mst_nonposted_wr_data_word_sent1", IN_COUNTERS, AS_COUNTER, 1, { 2000, 2000 }, { 0 }, true },
	{ "mst_posted_wr_data_word_sent0", IN_COUNTERS, AS_COUNTER, 2, { 2000, 2000 }, { 0 }, true },
	{ "mst_posted_wr_data_word_sent1", IN_COUNTERS, AS_COUNTER, 3, { 2000, 2000 }, { 0 }, true },
	{ "mst_rd_data_word_received0", IN_COUNTERS, AS_COUNTER, 4, { 2000, 2000 }, { 0 }, true },
	{ "mst_rd_data_word_received1", IN_COUNTERS, AS_COUNTER, 5, { 2000, 2000 }, { 0 }, true },
	{ "slv_nonposted_wr_data_word_received0", IN_COUNTERS, AS_COUNTER, 6, { 2000, 2000 }, { 0 }, true },
	{ "slv_nonposted_wr_data_word_received1", IN_COUNTERS, AS_COUNTER, 7, { 2000, 2000 }, { 0 }, true },
	{ "slv_posted_wr_data_word_received0", IN_COUNTERS, AS_COUNTER, 8, { 2000, 2000 }, { 0 }, true },
	{ "slv_posted_wr_data_word_received1", IN_COUNTERS, AS_COUNTER, 9, { 2000, 2000 }, { 0 }, true },
	{ "slv_rd_data_word_sent0", IN_COUNTERS, AS_COUNTER, 10, { 2000, 2000 }, { 0 }, true },
	{ "slv_rd_data_word_sent1", IN_COUNTERS, AS_COUNTER, 11, { 2000, 2000 }, { 0 }, true },

	{ "name", IN_HWMON, AS_LABEL, 0, { 1027, 1032 }, { "wormhole\n", "blackhole\n" }, false },
	{ "temp1_label", IN_HWMON, AS_LABEL, 0, { 1027, 1032 }, { "asic1_temp\n", "asic_temp\n" }, false },
	{ "in0_label", IN_HWMON, AS_LABEL, 0, { 1027, 1032 }, { "vcore1\n", "vcore\n" }, false },
	{ "curr1_label", IN_HWMON, AS_LABEL, 0, { 1027, 1032 }, { "current1\n", "current\n" }, false },
	{ "power1_label", IN_HWMON, AS_LABEL, 0, { 1027, 1032 }, { "power1\n", "power\n" }, false },
	{ "fan1_label", IN_HWMON, AS_LABEL, 0, { 0, 2000 }, { "", "fan_rpm\n" }, false },
	{ "temp1_input", IN_HWMON, AS_CELSIUS, T_TEMP, { 1027, 1032 }, { 0 }, true },
	{ "temp1_max", IN_HWMON, AS_MILLI, T_TEMP_MAX, { 1027, 2009 }, { 0 }, false },
	{ "in0_input", IN_HWMON, AS_DECIMAL, T_MILLIVOLTS, { 1027, 1032 }, { 0 }, true },
	{ "in0_max", IN_HWMON, AS_HIGH_HALF, T_VOLT_LIMITS, { 1027, 2009 }, { 0 }, false },
	{ "curr1_input", IN_HWMON, AS_MILLI, T_AMPERES, { 1027, 1032 }, { 0 }, true },
	{ "curr1_max", IN_HWMON, AS_MILLI, T_AMPERES_MAX, { 1027, 2009 }, { 0 }, false },
	{ "power1_input", IN_HWMON, AS_MICRO, T_WATTS, { 1027, 1032 }, { 0 }, true },
	{ "power1_max", IN_HWMON, AS_MICRO, T_WATTS_MAX, { 1027, 2009 }, { 0 }, false },
	{ "fan1_input", IN_HWMON, AS_DECIMAL, T_FAN, { 0, 2000 }, { 0 }, true },

	{ "current_link_speed", IN_PCI, AS_SPEED_NOW, 0, { 1, 1 }, { 0 }, false },
	{ "current_link_width", IN_PCI, AS_WIDTH_NOW, 0, { 1, 1 }, { 0 }, false },
	{ "max_link_speed", IN_PCI, AS_SPEED_MAX, 0, { 1, 1 }, { 0 }, false },
	{ "max_link_width", IN_PCI, AS_WIDTH_MAX, 0, { 1, 1 }, { 0 }, false },
};
/* clang-format on */
const size_t attr_count = ARRAY_SIZE(attrs);

/*
 * Since 2.2 for tt_* and since 2.9 for hwmon, a Wormhole is read by telemetry tags, which bundles
 * before 18.4 do not have.
 */
static bool has_tags(const struct machine *m, const struct sim_device *d, enum attr_place place)
{
	unsigned minor = place == IN_HWMON ? 9 : 2;

	if (d->slot.board->arch != WORMHOLE || (place != IN_CLASS && place != IN_HWMON))
		return true;
	return version_at_least(&m->opt.firmware, 18, 4) ||
	       !version_at_least(&m->opt.driver, 2, minor);
}

bool attr_is_offered(const struct machine *m, const struct sim_device *d, const struct attr *a)
{
	unsigned since = a->since[d->slot.board->arch];

	if (!since || !version_at_least(&m->opt.driver, since / 1000, since % 1000))
		return false;
	if (machine_fault(m, d, FAULT_MISSING, a->name) || !has_tags(m, d, a->place))
		return false;
	if (a->word == T_WATTS_MAX && a->place == IN_HWMON && d->slot.board->arch == BLACKHOLE)
		/* the tag was added in this version */
		return version_at_least(&m->opt.firmware, 19, 8);
	return true;
}

bool attr_has_hwmon(const struct machine *m, const struct sim_device *d)
{
	unsigned minor = d->slot.board->arch == WORMHOLE ? 27 : 32;

	return has_tags(m, d, IN_HWMON) && version_at_least(&m->opt.driver, 1, minor);
}

bool attr_may_change(const struct machine *m, const struct sim_device *d, const struct attr *a)
{
	if (m->opt.write_once)
		return false;
	if (a->moves)
		return true;
	for (size_t i = 0; i < m->opt.fault_count; i++)
		if (m->opt.faults[i].number == d->slot.number)
			return true;
	return false;
}

bool attr_fails_in_reset(const char *path)
{
	const char *name = strrchr(path, '/');
	const char *underscore = strrchr(path, '_');

	name = name ? name + 1 : path;
	if (!strncmp(name, "tt_", 3))
		return true;
	return strstr(path, "/hwmon/") && underscore > name &&
	       (!strcmp(underscore, "_input") || !strcmp(underscore, "_max"));
}

static uint32_t word(const struct sim_device *d, unsigned index)
{
	return d->off_bus ? UINT32_MAX : d->words[index];
}

/* Up to 1.33 the driver multiplied by 64 instead of 62.5. */
static uint32_t celsius(const struct machine *m, const struct sim_device *d, uint32_t fixed)
{
	uint64_t milli = (uint64_t)fixed * 1000 >> 16;

	if (d->slot.board->arch == WORMHOLE && !version_at_least(&m->opt.driver, 1, 34))
		milli = milli * 640 / 625;
	return (uint32_t)milli;
}

static void print_version(struct buf *out, uint32_t v)
{
	buf_printf(out, "%u.%u.%u.%u\n", v >> 24, v >> 16 & 0xff, v >> 8 & 0xff, v & 0xff);
}

static void print_link(const struct sim_device *d, const struct attr *a, struct buf *out)
{
	bool gone = d->off_bus || d->in_reset;

	if (a->format == AS_SPEED_NOW && gone)
		buf_puts(out, "Unknown\n");
	else if (a->format == AS_SPEED_MAX && gone)
		buf_puts(out, "64.0 GT/s PCIe\n"); /* all bits of the capability are set */
	else if (a->format == AS_SPEED_NOW || a->format == AS_SPEED_MAX)
		buf_printf(out, "%s GT/s PCIe\n", d->slot.board->link_speed);
	else
		buf_printf(out, "%u\n", gone ? 63 : d->slot.width);
}

void attr_print(const struct machine *m, const struct sim_device *d, const struct attr *a,
		struct buf *out)
{
	const struct fault *set = machine_fault(m, d, FAULT_SET, a->name);
	uint32_t w = a->format <= AS_HIGH_HALF ? word(d, a->word) : 0;
	bool all_ones = d->off_bus || d->in_reset;

	if (set) {
		buf_printf(out, "%s\n", set->text);
		return;
	}
	switch (a->format) {
	case AS_DECIMAL: buf_printf(out, "%u\n", w); break;
	case AS_HEX64: buf_printf(out, "%08X%08X\n", w, word(d, a->word + 1)); break;
	case AS_VERSION4: print_version(out, w); break;
	case AS_VERSION3:
		buf_printf(out, "%u.%u.%u\n", w >> 16 & 0xff, w >> 12 & 0xf, w & 0xfff);
		break;
	case AS_CARD_TYPE: buf_printf(out, "%s\n", board_card_type(w >> 4 & 0xffff)); break;
	case AS_CELSIUS: buf_printf(out, "%u\n", celsius(m, d, w)); break;
	case AS_MILLI: buf_printf(out, "%u\n", (uint32_t)(w * UINT32_C(1000))); break;
	case AS_MICRO: buf_printf(out, "%u\n", (uint32_t)(w * UINT32_C(1000000))); break;
	case AS_HIGH_HALF: buf_printf(out, "%u\n", w >> 16); break;
	case AS_COUNTER:
		buf_printf(out, "%u\n", all_ones ? UINT32_MAX : d->counters[a->word]);
		break;
	case AS_LABEL: buf_puts(out, a->label[d->slot.board->arch]); break;
	case AS_SPEED_NOW:
	case AS_WIDTH_NOW:
	case AS_SPEED_MAX:
	case AS_WIDTH_MAX: print_link(d, a, out); break;
	}
}
