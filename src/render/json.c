/*
 * The whole snapshot as JSON. Devices and processes are written by iterating over their field
 * tables: the path of a field gives its place, and consecutive fields with a common prefix share an
 * object. Unknown values are null, with their reason in "unavailable".
 */
#include "render/render.h"

#include "render/json_fields.h"
#include "render/json_writer.h"

enum { SCHEMA_VERSION = 1 };

/* The processes of one device, in the short form of the original tt_smi. */
static void put_device_processes(struct json *json, const struct snapshot *snapshot, size_t device)
{
	json_open(json, "processes", '[');
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];
		const struct usage *usage = process_find_usage(process, device);

		if (!usage)
			continue;
		json_open(json, NULL, '{');
		json_i64(json, "pid", process->pid);
		json_put_field(json, "name", &process_fields, PROC_NAME, process);
		json_put_field(json, "memory", &usage_fields, USE_DRAM, usage);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_stale_usages(struct json *json, const struct snapshot *snapshot, size_t device)
{
	json_open(json, "leftovers", '[');
	for (size_t i = 0; i < snapshot->n_stale_usages; i++) {
		const struct stale_usage *stale = &snapshot->stale_usages[i];

		if (stale->device != device)
			continue;
		json_open(json, NULL, '{');
		json_i64(json, "ns_pid", stale->pid);
		json_text(json, "name", stale->name);
		json_u64(json, "dram", stale->bytes[POOL_DRAM]);
		json_u64(json, "l1", stale->bytes[POOL_L1]);
		json_text(json, "reason", reason_code(stale->why));
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_device(struct json *json, const struct snapshot *snapshot, size_t at)
{
	const struct device *dev = &snapshot->devices[at];

	json_open(json, NULL, '{');
	json_put_id(json, dev);
	json_put_fields(json, &device_fields, DEV_ID + 1, DEVICE_N_FIELDS, dev);
	json_u64(json, "unseen_holders", dev->unseen_holders);
	json_u64(json, "lost_openers", dev->lost_openers);
	put_device_processes(json, snapshot, at);
	put_stale_usages(json, snapshot, at);
	json_put_reasons(json, &device_fields, 0, DEVICE_N_FIELDS, dev);
	json_close(json, '}');
}

static void put_process(struct json *json, const struct snapshot *snapshot,
			const struct process *process)
{
	json_open(json, NULL, '{');
	json_put_fields(json, &process_fields, 0, PROCESS_N_FIELDS, process);
	json_open(json, "ns_pids", '[');
	for (unsigned i = 0; i < process->ns_depth; i++)
		json_i64(json, NULL, process->ns_pids[i]);
	json_close(json, ']');
	json_open(json, "devices", '[');
	for (size_t i = 0; i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];

		json_open(json, NULL, '{');
		json_put_id(json, &snapshot->devices[usage->device]);
		json_put_fields(json, &usage_fields, 0, USAGE_N_FIELDS, usage);
		json_put_reasons(json, &usage_fields, 0, USAGE_N_FIELDS, usage);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_put_reasons(json, &process_fields, 0, PROCESS_N_FIELDS, process);
	json_close(json, '}');
}

static void put_processes(struct json *json, const struct render_options *options,
			  const struct snapshot *snapshot)
{
	json_open(json, "processes", '[');
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		struct process shown = snapshot->processes[i];

		if (options->hide_owners)
			process_hide_owner(&shown);
		put_process(json, snapshot, &shown);
	}
	json_close(json, ']');
}

/* Units by kind of value, and by path where a field has a different unit than its kind. */
static void put_units(struct json *json)
{
	static const struct {
		const char *what;
		enum unit unit;
	} units[] = {
		{ "temperature", U_CELSIUS },
		{ "power", U_WATT },
		{ "voltage", U_VOLT },
		{ "current", U_AMPERE },
		{ "clocks", U_HERTZ },
		{ "fan", U_RPM },
		{ "memory", U_BYTE },
		{ "rate", U_BYTE_RATE },
		{ "utilization", U_RATIO },
		{ "cpu", U_RATIO },
		{ "elapsed", U_SECOND },
		{ "fan.ratio", U_RATIO },
		{ "heartbeat.uptime", U_SECOND },
		{ "quiet", U_SECOND },
		{ "dirty_time", U_TIME },
		{ "start_time", U_TIME },
		{ "utilization.dram_read", U_BYTE_RATE },
		{ "utilization.dram_write", U_BYTE_RATE },
		{ "utilization.programs", U_PER_SECOND },
		{ "utilization.running", U_SECOND },
		{ "utilization.last_program", U_SECOND },
	};

	json_open(json, "units", '{');
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		json_text(json, units[i].what, unit_infos[units[i].unit].json);
	json_close(json, '}');
}

void json_render(struct buf *out, const struct render_options *options,
		 const struct snapshot *snapshot, bool pretty)
{
	struct json json = { .out = out, .indent = pretty ? 2 : 0, .first = true };

	json_open(&json, NULL, '{');
	json_text(&json, "schema", "tt-smi");
	json_u64(&json, "schema_version", SCHEMA_VERSION);
	json_text(&json, "version", options->version);
	json_put_time(&json, snapshot->wall_ns);
	json_bool(&json, "simulated", snapshot->simulated);
	json_bool(&json, "recorded", snapshot->recorded);
	put_units(&json);
	json_open(&json, "host", '{');
	json_put_fields(&json, &host_fields, 0, HOST_N_FIELDS, &snapshot->host);
	json_put_reasons(&json, &host_fields, 0, HOST_N_FIELDS, &snapshot->host);
	json_close(&json, '}');
	json_put_server(&json, snapshot);
	json_open(&json, "devices", '[');
	for (size_t i = 0; i < snapshot->n_devices; i++)
		put_device(&json, snapshot, i);
	json_close(&json, ']');
	put_processes(&json, options, snapshot);
	json_put_problems(&json, snapshot);
	json_close(&json, '}');
	buf_putc(out, '\n');
}

void json_wants(struct want *want)
{
	want_add_everything(want);
}
