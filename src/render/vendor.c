/*
 * The JSON layout of the vendor's snapshot (tt-smi 6.8), for programs that read it.
 *
 * Only values that the driver exposes in files are filled in. Unknown identifiers are "N/A";
 * unknown readings, limits and raw registers are null. The blocks gddr_telemetry and ethernet are
 * omitted, as the vendor's tool does where it has no data. The order of keys, the padding of
 * numbers and the meaning of the two thermal limits, which is swapped between the two
 * architectures, are the vendor's.
 */
#include "render/render.h"

#include "basic/clock.h"
#include "basic/text.h"
#include "render/json_writer.h"
#include "render/vendor_registers.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

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

/* A number as padded text; null if unknown. */
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
	/* The vendor counts one beat per six (Wormhole: five) heartbeats of the firmware. */
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
		enum device_field field; /* DEV_ID: no file has it */
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

/* Unknown limits are null: programs that declare them as texts reject a number. */
static void put_limits(struct json *json, const struct device *dev)
{
	bool blackhole = dev->arch == ARCH_BLACKHOLE;
	const char *throttle = blackhole ? "therm_trip_l1_limit" : "thm_limit";

	json_open(json, "limits", '{');
	json_null(json, "vdd_min");
	put_padded(json, dev, "vdd_max", DEV_VOLTAGE_LIMIT, 4, 2, dev->voltage_limit);
	put_padded(json, dev, "tdp_limit", DEV_POWER_LIMIT, 3, 0, dev->power_limit);
	put_padded(json, dev, "tdc_limit", DEV_CURRENT_LIMIT, 3, 0, dev->current_limit);
	json_null(json, "asic_fmax");
	if (!blackhole)
		json_null(json, "therm_trip_l1_limit");
	put_padded(json, dev, throttle, DEV_TEMPERATURE_LIMIT, 2, 0, dev->temperature_limit);
	if (blackhole)
		json_null(json, "thm_limit");
	json_null(json, "bus_peak_limit");
	json_null(json, "fan_rpm_limit");
	json_null(json, "board_power_limit");
	json_close(json, '}');
}

static void put_host(struct json *json, const struct render_options *options,
		     const struct snapshot *snapshot)
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
	json_text(json, "tt_smi", options->version);
	json_text(json, "pyluwen", "N/A");
	json_text(json, "tt_umd", "N/A");
	json_close(json, '}');
}

/* Writes bytes outside printable ASCII as \xNN, as the vendor does in command lines. */
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

/* Ordered by device, then pid. */
static void put_processes(struct json *json, const struct snapshot *snapshot)
{
	json_open(json, "processes", '[');
	for (size_t d = 0; d < snapshot->n_devices; d++) {
		for (size_t p = 0; p < snapshot->n_processes; p++) {
			const struct process *process = &snapshot->processes[p];

			if (!device_has_node(&snapshot->devices[d]) ||
			    !process_find_usage(process, d))
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

/* Ordered by PCI address, like the vendor's; a chip without PCIe follows its gateway. */
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
			vendor_put_registers(json, dev);
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

void vendor_render(struct buf *out, const struct render_options *options,
		   const struct snapshot *snapshot)
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
	put_host(&json, options, snapshot);
	put_devices(&json, snapshot);
	put_processes(&json, snapshot);
	json_close(&json, '}');
	buf_putc(out, '\n');
}

void vendor_wants(struct want *want)
{
	static const enum device_field shown[] = {
		DEV_BDF,
		DEV_BOARD,
		DEV_SERIAL,
		DEV_ASIC_ID,
		DEV_LINK_GEN,
		DEV_LINK_WIDTH,
		DEV_VOLTAGE,
		DEV_VOLTAGE_LIMIT,
		DEV_CURRENT,
		DEV_CURRENT_LIMIT,
		DEV_POWER,
		DEV_POWER_LIMIT,
		DEV_AICLK,
		DEV_AXICLK,
		DEV_ARCCLK,
		DEV_TEMPERATURE,
		DEV_TEMPERATURE_LIMIT,
		DEV_FAN_RPM,
		DEV_HEARTBEAT,
		DEV_THERMAL_TRIPS,
		DEV_FW_BUNDLE,
		DEV_FW_FLASH,
		DEV_FW_CM,
		DEV_FW_ETH,
		DEV_FW_DM_BL,
		DEV_FW_DM_APP,
	};

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		want_add(want, OF_DEVICE, shown[i]);
	want_add_list(want, FIELDS(PROCESS_FIELD(PID), PROCESS_FIELD(USER), PROCESS_FIELD(NAME),
				   PROCESS_FIELD(COMMAND), PART(HOST)));
}
