/*
 * The layout of the vendor's snapshot (tt-smi 6.2), for programs that read it.
 *
 * Only what the driver's files tell is filled in. Where the vendor's tool has a
 * sign for "missing" that is the one used ("N/A" in texts, 0 in limits, null in
 * raw registers); elsewhere it is null. Order of keys, padding of numbers and the
 * meaning of the two thermal limits, which is opposite on the two architectures,
 * are the vendor's.
 */
#include "render/render.h"

#include "basic/clock.h"
#include "basic/text.h"
#include "render/json_writer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* A raw register: known, and its word. */
struct word {
	bool known;
	uint32_t value;
};

static struct word known_if(bool known, double value)
{
	return (struct word){ known, known ? (uint32_t)(value + 0.5) : 0 };
}

static struct word read_word(const struct device *dev, enum device_field field, double value)
{
	return known_if(device_knows(dev, field), value);
}

/* Two numbers in one word, the limit above; only if both are known. */
static struct word read_pair(const struct device *dev, enum device_field limit, double high,
			     enum device_field now, double low)
{
	bool known = device_knows(dev, limit) && device_knows(dev, now);
	struct word word = known_if(known, high);

	word.value = word.value << 16 | known_if(known, low).value;
	return word;
}

/* "A.B.C.D" by bytes, or "A.B.C" in the packing of Wormhole's Ethernet firmware. */
static struct word read_version(const struct device *dev, enum device_field field, const char *text)
{
	unsigned a, b, c, d;

	if (!device_knows(dev, field))
		return (struct word){ 0 };
	if (sscanf(text, "%3u.%3u.%3u.%3u", &a, &b, &c, &d) == 4)
		return (struct word){ true, a << 24 | b << 16 | c << 8 | d };
	if (sscanf(text, "%3u.%2u.%4u", &a, &b, &c) == 3)
		return (struct word){ true, a << 16 | b << 12 | c };
	return (struct word){ 0 };
}

/* Names of the registers in the vendor's order; those of Wormhole are a legacy array. */
/* clang-format off */
static const char *const wormhole_words[] = {
	"ENUM_VERSION", "DEVICE_ID", "ASIC_RO", "ASIC_IDD", "BOARD_ID_HIGH", "BOARD_ID_LOW",
	"ARC0_FW_VERSION", "ARC1_FW_VERSION", "ARC2_FW_VERSION", "ARC3_FW_VERSION",
	"SPIBOOTROM_FW_VERSION", "ETH_FW_VERSION", "DM_BL_FW_VERSION", "DM_APP_FW_VERSION",
	"DDR_STATUS", "ETH_STATUS0", "ETH_STATUS1", "PCIE_STATUS", "FAULTS", "ARC0_HEALTH",
	"ARC1_HEALTH", "ARC2_HEALTH", "ARC3_HEALTH", "FAN_SPEED", "AICLK", "AXICLK", "ARCCLK",
	"THROTTLER", "VCORE", "ASIC_TEMPERATURE", "VREG_TEMPERATURE", "BOARD_TEMPERATURE", "TDP",
	"TDC", "VDD_LIMITS", "THM_LIMITS", "WH_FW_DATE", "ASIC_TMON0", "ASIC_TMON1",
	"MVDDQ_POWER", "GDDR_TRAIN_TEMP0", "GDDR_TRAIN_TEMP1", "BOOT_DATE", "RT_SECONDS",
	"ETH_DEBUG_STATUS0", "ETH_DEBUG_STATUS1", "TT_FLASH_VERSION", "ETH_LOOPBACK_STATUS",
	"ETH_LIVE_STATUS", "FW_BUNDLE_VERSION", "NUMBER_OF_TAGS", "INPUT_POWER",
};

static const char *const blackhole_words[] = {
	"BOARD_ID_HIGH", "BOARD_ID_LOW", "ASIC_ID", "HARVESTING_STATE", "UPDATE_TELEM_SPEED",
	"VCORE", "TDP", "TDC", "VDD_LIMITS", "THM_LIMIT_SHUTDOWN", "ASIC_TEMPERATURE",
	"VREG_TEMPERATURE", "BOARD_TEMPERATURE", "AICLK", "AXICLK", "ARCCLK", "L2CPUCLK0",
	"L2CPUCLK1", "L2CPUCLK2", "L2CPUCLK3", "ETH_LIVE_STATUS", "DDR_STATUS", "DDR_SPEED",
	"ETH_FW_VERSION", "GDDR_FW_VERSION", "DM_APP_FW_VERSION", "DM_BL_FW_VERSION",
	"FLASH_BUNDLE_VERSION", "CM_FW_VERSION", "L2CPU_FW_VERSION", "FAN_SPEED",
	"TIMER_HEARTBEAT", "TELEMETRY_ENUM_COUNT", "ENABLED_TENSIX_COL", "ENABLED_ETH",
	"ENABLED_GDDR", "ENABLED_L2CPU", "PCIE_USAGE", "NOC_TRANSLATION", "FAN_RPM",
	"GDDR_0_1_TEMP", "GDDR_2_3_TEMP", "GDDR_4_5_TEMP", "GDDR_6_7_TEMP",
	"GDDR_0_1_CORR_ERRS", "GDDR_2_3_CORR_ERRS", "GDDR_4_5_CORR_ERRS",
	"GDDR_6_7_CORR_ERRS", "GDDR_UNCORR_ERRS", "MAX_GDDR_TEMP", "ASIC_LOCATION",
	"BOARD_POWER_LIMIT", "TDC_LIMIT_MAX", "THM_LIMIT_THROTTLE", "TT_FLASH_VERSION",
	"THERM_TRIP_COUNT", "ASIC_ID_HIGH", "ASIC_ID_LOW", "AICLK_LIMIT_MAX", "TDP_LIMIT_MAX",
	"AICLK_ARB_MIN", "AICLK_ARB_MAX", "ENABLED_MIN_ARB", "ENABLED_MAX_ARB",
	"NUMBER_OF_TAGS", "INPUT_POWER",
};
/* clang-format on */

struct named_word {
	const char *name;
	struct word word;
};

static void put_words(struct json *json, const char *const *names, size_t count,
		      const struct named_word *words, size_t n_words)
{
	char text[16];

	for (size_t i = 0; i < count; i++) {
		struct word word = { 0 };

		for (size_t k = 0; k < n_words; k++)
			if (strcmp(words[k].name, names[i]) == 0)
				word = words[k].word;
		snprintf(text, sizeof(text), "0x%x", word.value);
		if (word.known)
			json_text(json, names[i], text);
		else
			json_null(json, names[i]);
	}
}

static void put_registers(struct json *json, const struct device *dev)
{
	const struct named_word words[] = {
		{ "BOARD_ID_HIGH", read_word(dev, DEV_SERIAL, (double)(dev->serial >> 32)) },
		{ "BOARD_ID_LOW", read_word(dev, DEV_SERIAL, (double)(dev->serial & UINT32_MAX)) },
		{ "VCORE", read_word(dev, DEV_VOLTAGE, dev->voltage * 1000) },
		{ "AXICLK", read_word(dev, DEV_AXICLK, (double)dev->axiclk / 1e6) },
		{ "ARCCLK", read_word(dev, DEV_ARCCLK, (double)dev->arcclk / 1e6) },
		{ "DM_APP_FW_VERSION", read_version(dev, DEV_FW_DM_APP, dev->fw_dm_app) },
		{ "DM_BL_FW_VERSION", read_version(dev, DEV_FW_DM_BL, dev->fw_dm_bl) },
		{ "TT_FLASH_VERSION", read_version(dev, DEV_FW_FLASH, dev->fw_flash) },
	};
	const struct named_word wormhole[] = {
		{ "ARC0_FW_VERSION", read_version(dev, DEV_FW_CM, dev->fw_cm) },
		{ "ETH_FW_VERSION", read_version(dev, DEV_FW_ETH, dev->fw_eth) },
		{ "FW_BUNDLE_VERSION", read_version(dev, DEV_FW_BUNDLE, dev->fw_bundle) },
		{ "TDP", read_pair(dev, DEV_POWER_LIMIT, dev->power_limit, DEV_POWER, dev->power) },
		{ "TDC", read_pair(dev, DEV_CURRENT_LIMIT, dev->current_limit, DEV_CURRENT,
				   dev->current) },
	};
	const struct named_word blackhole[] = {
		{ "TDP", read_word(dev, DEV_POWER, dev->power) },
		{ "TDC", read_word(dev, DEV_CURRENT, dev->current) },
		{ "AICLK", read_word(dev, DEV_AICLK, (double)dev->aiclk / 1e6) },
		{ "ASIC_TEMPERATURE", read_word(dev, DEV_TEMPERATURE, dev->temperature * 65536) },
		{ "FLASH_BUNDLE_VERSION", read_version(dev, DEV_FW_BUNDLE, dev->fw_bundle) },
		{ "TIMER_HEARTBEAT", read_word(dev, DEV_HEARTBEAT, dev->heartbeat) },
		{ "FAN_RPM", read_word(dev, DEV_FAN_RPM, dev->fan_rpm) },
		{ "TDC_LIMIT_MAX", read_word(dev, DEV_CURRENT_LIMIT, dev->current_limit) },
		{ "THM_LIMIT_THROTTLE",
		  read_word(dev, DEV_TEMPERATURE_LIMIT, dev->temperature_limit) },
		{ "TDP_LIMIT_MAX", read_word(dev, DEV_POWER_LIMIT, dev->power_limit) },
		{ "THERM_TRIP_COUNT", read_word(dev, DEV_THERMAL_TRIPS, dev->thermal_trips) },
		{ "ASIC_ID_HIGH", read_word(dev, DEV_ASIC_ID, (double)(dev->asic_id >> 32)) },
		{ "ASIC_ID_LOW", read_word(dev, DEV_ASIC_ID, (double)(dev->asic_id & UINT32_MAX)) },
	};
	struct named_word all[ARRAY_SIZE(words) + ARRAY_SIZE(blackhole)];
	bool is_blackhole = dev->arch == ARCH_BLACKHOLE;
	size_t n = is_blackhole ? ARRAY_SIZE(blackhole) : ARRAY_SIZE(wormhole);

	memcpy(all, words, sizeof(words));
	memcpy(all + ARRAY_SIZE(words), is_blackhole ? blackhole : wormhole, n * sizeof(*all));
	json_open(json, "smbus_telem", '{');
	put_words(json, is_blackhole ? blackhole_words : wormhole_words,
		  is_blackhole ? ARRAY_SIZE(blackhole_words) : ARRAY_SIZE(wormhole_words), all,
		  ARRAY_SIZE(words) + n);
	json_close(json, '}');
}

static void put_board(struct json *json, const struct device *dev)
{
	char text[48] = "N/A";

	json_open(json, "board_info", '{');
	json_text(json, "bus_id", device_knows(dev, DEV_BDF) ? dev->bdf : "N/A");
	if (dev->type)
		snprintf(text, sizeof(text), "%s%s", dev->type->vendor,
			 dev->arch != ARCH_WORMHOLE ? ""
			 : dev->remote		    ? " R"
						    : " L");
	json_text(json, "board_type", text);
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)dev->serial);
	json_text(json, "board_id", device_knows(dev, DEV_SERIAL) ? text : "N/A");
	json_text(json, "coords", "N/A");
	json_null(json, "dram_status");
	json_null(json, "dram_speed");
	if (device_knows(dev, DEV_LINK_GEN))
		json_u64(json, "pcie_speed", dev->link_gen);
	else
		json_text(json, "pcie_speed", "N/A");
	snprintf(text, sizeof(text), "%u", dev->link_width);
	json_text(json, "pcie_width", device_knows(dev, DEV_LINK_WIDTH) ? text : "N/A");
	json_close(json, '}');
}

/* A number as padded text, null if it is not known. */
static void put_padded(struct json *json, const struct device *dev, const char *key,
		       enum device_field field, int width, int digits, double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%*.*f", width, digits, number);
	if (device_knows(dev, field))
		json_text(json, key, text);
	else
		json_null(json, key);
}

static void put_telemetry(struct json *json, const struct device *dev)
{
	/* The vendor's beats: six (five) counts of the firmware each. */
	uint32_t beats = dev->heartbeat / (dev->arch == ARCH_BLACKHOLE ? 6 : 5);

	json_open(json, "telemetry", '{');
	put_padded(json, dev, "voltage", DEV_VOLTAGE, 4, 2, dev->voltage);
	put_padded(json, dev, "current", DEV_CURRENT, 5, 1, dev->current);
	put_padded(json, dev, "power", DEV_POWER, 5, 1, dev->power);
	json_text(json, "board_power", "N/A");
	put_padded(json, dev, "aiclk", DEV_AICLK, 4, 0, (double)dev->aiclk / 1e6);
	put_padded(json, dev, "asic_temperature", DEV_TEMPERATURE, 4, 1, dev->temperature);
	put_padded(json, dev, "fan_speed", DEV_FAN_RPM, 0, 0, dev->fan_rpm);
	put_padded(json, dev, "heartbeat", DEV_HEARTBEAT, 0, 0, beats);
	json_close(json, '}');
}

static void put_firmware(struct json *json, const struct device *dev)
{
	static const struct {
		const char *key;
		enum device_field field; /* DEV_ID: told by no file */
	} entries[] = {
		{ "fw_bundle_version", DEV_FW_BUNDLE },
		{ "tt_flash_version", DEV_FW_FLASH },
		{ "cm_fw", DEV_FW_CM },
		{ "cm_fw_date", DEV_ID },
		{ "eth_fw", DEV_FW_ETH },
		{ "dm_bl_fw", DEV_FW_DM_BL },
		{ "dm_app_fw", DEV_FW_DM_APP },
		{ "gddr_fw", DEV_ID },
	};

	json_open(json, "firmwares", '{');
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		struct value value;

		field_get(&device_fields, entries[i].field, dev, &value);
		json_text(json, entries[i].key,
			  entries[i].field != DEV_ID && value.why == KNOWN ? value.text : "N/A");
	}
	json_close(json, '}');
}

static void put_limit(struct json *json, const struct device *dev, const char *key,
		      enum device_field field, int width, int digits, double number)
{
	if (device_knows(dev, field))
		put_padded(json, dev, key, field, width, digits, number);
	else
		json_u64(json, key, 0);
}

static void put_limits(struct json *json, const struct device *dev)
{
	bool blackhole = dev->arch == ARCH_BLACKHOLE;
	const char *throttle = blackhole ? "therm_trip_l1_limit" : "thm_limit";

	json_open(json, "limits", '{');
	json_u64(json, "vdd_min", 0);
	put_limit(json, dev, "vdd_max", DEV_VOLTAGE_LIMIT, 4, 2, dev->voltage_limit);
	put_limit(json, dev, "tdp_limit", DEV_POWER_LIMIT, 3, 0, dev->power_limit);
	put_limit(json, dev, "tdc_limit", DEV_CURRENT_LIMIT, 3, 0, dev->current_limit);
	json_u64(json, "asic_fmax", 0);
	if (!blackhole)
		json_u64(json, "therm_trip_l1_limit", 0);
	put_limit(json, dev, throttle, DEV_TEMPERATURE_LIMIT, 2, 0, dev->temperature_limit);
	if (blackhole)
		json_u64(json, "thm_limit", 0);
	json_u64(json, "bus_peak_limit", 0);
	json_u64(json, "fan_rpm_limit", 0);
	json_u64(json, "board_power_limit", 0);
	json_close(json, '}');
}

static void put_host(struct json *json, const struct look *look, const struct snapshot *snapshot)
{
	static const char *const units[] = { "B", "KB", "MB", "GB", "TB" };
	const struct host *host = &snapshot->host;
	double memory = (double)host->memory;
	char text[128];
	unsigned unit = 0;

	for (; memory >= 1024 && unit + 1 < ARRAY_SIZE(units); unit++)
		memory /= 1024;
	json_open(json, "host_info", '{');
	json_text(json, "OS", "Linux");
	json_text(json, "Distro", host->distribution[0] ? host->distribution : "N/A");
	json_text(json, "Kernel", host->why[HOST_KERNEL] == KNOWN ? host->kernel : "N/A");
	json_text(json, "Hostname", host->why[HOST_HOSTNAME] == KNOWN ? host->hostname : "N/A");
	json_text(json, "Platform", host->machine[0] ? host->machine : "N/A");
	json_text(json, "Python", "N/A");
	snprintf(text, sizeof(text), "%.2f %s", memory, units[unit]);
	json_text(json, "Memory", host->memory ? text : "N/A");
	snprintf(text, sizeof(text), "TT-KMD %s%s",
		 host->why[HOST_DRIVER] == KNOWN ? host->driver : "N/A",
		 snapshot->simulated ? " SIMULATED" : "");
	json_text(json, "Driver", text);
	json_close(json, '}');
	json_open(json, "host_sw_vers", '{');
	json_text(json, "tt_smi", look->version);
	json_text(json, "pyluwen", "N/A");
	json_text(json, "tt_umd", "N/A");
	json_close(json, '}');
}

/* Bytes outside printable ASCII as \xNN, as the vendor writes command lines. */
static void put_command(struct json *json, const struct process *process)
{
	const char *text = process_knows(process, PROC_COMMAND) ? process->command
			   : process_knows(process, PROC_NAME)	? process->name
								: "?";
	CLEANUP_BUF struct buf out = { 0 };

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '\n')
			buf_putc(&out, ' ');
		else if (c < 0x20 || c > 0x7E)
			buf_printf(&out, "\\x%02x", c);
		else
			buf_putc(&out, (char)c);
	}
	json_text(json, "cmdline", buf_text(&out));
}

/* By device, then pid. */
static void put_processes(struct json *json, const struct snapshot *snapshot)
{
	json_open(json, "processes", '[');
	for (size_t d = 0; d < snapshot->n_devices; d++) {
		for (size_t p = 0; p < snapshot->n_processes; p++) {
			const struct process *process = &snapshot->processes[p];

			if (snapshot->devices[d].remote || !process_find_usage(process, d))
				continue;
			json_open(json, NULL, '{');
			json_i64(json, "pid", process->pid);
			json_text(json, "user",
				  process_knows(process, PROC_USER) ? process->user : "?");
			json_u64(json, "device", snapshot->devices[d].index);
			put_command(json, process);
			json_close(json, '}');
		}
	}
	json_close(json, ']');
}

static int by_bus(const void *a, const void *b)
{
	const struct device *const *x = a, *const *y = b;
	int order = strcmp((*x)->bdf, (*y)->bdf);

	return order ? order : (*x)->index < (*y)->index ? -1 : 1;
}

/* The vendor's order is that of the bus; a chip without PCIe follows its gateway. */
static void put_devices(struct json *json, const struct snapshot *snapshot)
{
	CLEANUP_FREE const struct device **order = calloc(snapshot->n_devices + 1, sizeof(*order));
	size_t n = 0;

	json_open(json, "device_info", '[');
	for (size_t i = 0; order && i < snapshot->n_devices; i++)
		if (!snapshot->devices[i].remote)
			order[n++] = &snapshot->devices[i];
	if (order)
		qsort(order, n, sizeof(*order), by_bus);
	for (size_t i = 0; i < n; i++) {
		const struct device *dev = order[i];

		do {
			json_open(json, NULL, '{');
			put_registers(json, dev);
			put_board(json, dev);
			put_telemetry(json, dev);
			put_firmware(json, dev);
			put_limits(json, dev);
			json_close(json, '}');
			dev++;
		} while (dev < snapshot->devices + snapshot->n_devices && dev->remote);
	}
	json_close(json, ']');
}

void vendor_render(struct buf *out, const struct look *look, const struct snapshot *snapshot)
{
	struct json json = { .out = out, .indent = 4, .ascii = true, .first = true };
	time_t seconds = (time_t)(snapshot->wall_ns / NS_PER_S);
	char text[40];
	struct tm local;

	localtime_r(&seconds, &local);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &local);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), ".%06d",
		 (int)(snapshot->wall_ns / 1000 % 1000000));
	json_open(&json, NULL, '{');
	json_text(&json, "time", text);
	put_host(&json, look, snapshot);
	put_devices(&json, snapshot);
	put_processes(&json, snapshot);
	json_close(&json, '}');
	buf_putc(out, '\n');
}

void vendor_wants(struct want *want)
{
	want_everything(want);
	want->memory = want->utilization = false;
	want->host = true;
}
