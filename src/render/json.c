/*
 * The whole state as JSON. Devices and processes are written by a walk over their
 * field tables: a field's path says where it goes, and neighbours with a common
 * beginning share an object. What is not known is null, and "unavailable" says why.
 */
#include "render/render.h"

#include "basic/clock.h"
#include "render/json_writer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SCHEMA_VERSION = 1 };

/* Length of the directory part that two paths have in common, dots included. */
static size_t common_prefix(const char *a, const char *b)
{
	size_t common = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '.')
			common = i + 1;
	return common;
}

static unsigned count_dots(const char *path)
{
	unsigned dots = 0;

	for (; *path; path++)
		dots += *path == '.';
	return dots;
}

/* Closes the objects of the path before that the next one is not in; opens its own. */
static const char *enter_path(struct json *json, const char *before, const char *path)
{
	size_t common = common_prefix(before, path);
	const char *dot;

	for (unsigned n = count_dots(before + common); n > 0; n--)
		json_close(json, '}');
	path += common;
	while ((dot = strchr(path, '.'))) {
		json_open_part(json, path, (size_t)(dot - path), '{');
		path = dot + 1;
	}
	return path;
}

static void put_value(struct json *json, const char *key, const struct value *value)
{
	char text[24];

	if (value->why != KNOWN) {
		json_null(json, key);
		return;
	}
	switch (value->field->kind) {
	case K_STRING:
	case K_TEXT: json_text(json, key, value->text); break;
	case K_HEX64:
		snprintf(text, sizeof(text), "%016llX", (unsigned long long)value->exact);
		json_text(json, key, text);
		break;
	case K_HEX16:
		snprintf(text, sizeof(text), "0x%04llx", (unsigned long long)value->exact);
		json_text(json, key, text);
		break;
	case K_BOOL: json_bool(json, key, value->exact); break;
	case K_U32:
	case K_U64: json_u64(json, key, value->exact); break;
	case K_I32: json_i64(json, key, (int64_t)value->number); break;
	case K_DOUBLE: json_double(json, key, value->number); break;
	case K_NEVER: json_null(json, key); break;
	}
}

static void put_fields(struct json *json, const struct field_table *table, unsigned first,
		       const void *object)
{
	const char *before = "";

	for (unsigned i = first; i < table->count; i++) {
		const struct field *field = &table->fields[i];
		struct value value;

		if (!field->json)
			continue;
		field_get(table, i, object, &value);
		put_value(json, enter_path(json, before, field->json), &value);
		before = field->json;
	}
	enter_path(json, before, "");
}

static void put_reasons(struct json *json, const struct field_table *table, const void *object)
{
	json_open(json, "unavailable", '{');
	for (unsigned i = 0; i < table->count; i++) {
		struct value value;

		field_get(table, i, object, &value);
		if (value.why != KNOWN && table->fields[i].json)
			json_text(json, table->fields[i].json, reason_code(value.why));
	}
	json_close(json, '}');
}

/* The processes of one device, in the short form of the first tool. */
static void put_device_processes(struct json *json, const struct snapshot *snapshot, size_t device)
{
	json_open(json, "processes", '[');
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];
		const struct usage *usage = process_find_usage(process, device);
		struct value value;

		if (!usage)
			continue;
		json_open(json, NULL, '{');
		json_i64(json, "pid", process->pid);
		field_get(&process_fields, PROC_NAME, process, &value);
		put_value(json, "name", &value);
		field_get(&usage_fields, USE_DRAM, usage, &value);
		put_value(json, "memory", &value);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_leftovers(struct json *json, const struct snapshot *snapshot, size_t device)
{
	json_open(json, "leftovers", '[');
	for (size_t i = 0; i < snapshot->n_leftovers; i++) {
		const struct leftover *leftover = &snapshot->leftovers[i];

		if (leftover->device != device)
			continue;
		json_open(json, NULL, '{');
		json_i64(json, "ns_pid", leftover->pid);
		json_text(json, "name", leftover->name);
		json_u64(json, "dram", leftover->dram);
		json_u64(json, "l1", leftover->l1);
		json_text(json, "reason", reason_code(leftover->why));
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* A PCIe device's id is its number; that of a chip behind it is a text. */
static void put_id(struct json *json, const struct device *dev)
{
	if (dev->remote)
		json_text(json, "id", dev->id);
	else
		json_u64(json, "id", dev->index);
}

static void put_device(struct json *json, const struct snapshot *snapshot, size_t at)
{
	const struct device *dev = &snapshot->devices[at];

	json_open(json, NULL, '{');
	put_id(json, dev);
	put_fields(json, &device_fields, DEV_ID + 1, dev);
	json_u64(json, "unseen_holders", dev->unseen_holders);
	put_device_processes(json, snapshot, at);
	put_leftovers(json, snapshot, at);
	put_reasons(json, &device_fields, dev);
	json_close(json, '}');
}

static void put_process(struct json *json, const struct snapshot *snapshot,
			const struct process *process)
{
	json_open(json, NULL, '{');
	put_fields(json, &process_fields, 0, process);
	json_open(json, "ns_pids", '[');
	for (unsigned i = 0; i < process->ns_depth; i++)
		json_i64(json, NULL, process->ns_pids[i]);
	json_close(json, ']');
	json_open(json, "devices", '[');
	for (size_t i = 0; i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];

		json_open(json, NULL, '{');
		put_id(json, &snapshot->devices[usage->device]);
		put_fields(json, &usage_fields, 0, usage);
		put_reasons(json, &usage_fields, usage);
		json_close(json, '}');
	}
	json_close(json, ']');
	put_reasons(json, &process_fields, process);
	json_close(json, '}');
}

static void put_time(struct json *json, int64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / NS_PER_S);
	char text[40];
	struct tm utc;

	gmtime_r(&seconds, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), ".%03dZ",
		 (int)(wall_ns / NS_PER_MS % 1000));
	json_text(json, "timestamp", text);
}

static void put_units(struct json *json)
{
	static const struct {
		const char *what;
		enum unit unit;
	} units[] = {
		{ "temperature", U_CELSIUS }, { "power", U_WATT },     { "voltage", U_VOLT },
		{ "current", U_AMPERE },      { "clocks", U_HERTZ },   { "fan", U_RPM },
		{ "memory", U_BYTE },	      { "rate", U_BYTE_RATE }, { "utilization", U_RATIO },
		{ "cpu", U_RATIO },	      { "elapsed", U_SECOND },
	};

	json_open(json, "units", '{');
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		json_text(json, units[i].what, unit_infos[units[i].unit].json);
	json_close(json, '}');
}

static void put_problems(struct json *json, const struct snapshot *snapshot)
{
	json_open(json, "errors", '[');
	for (size_t i = 0; i < snapshot->n_problems; i++) {
		json_open(json, NULL, '{');
		json_text(json, "source", snapshot->problems[i].source);
		json_text(json, "message", snapshot->problems[i].text);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void json_render(struct buf *out, const struct look *look, const struct snapshot *snapshot,
		 bool pretty)
{
	struct json json = { .out = out, .indent = pretty ? 2 : 0, .first = true };

	json_open(&json, NULL, '{');
	json_text(&json, "schema", "tt-smi");
	json_u64(&json, "schema_version", SCHEMA_VERSION);
	json_text(&json, "version", look->version);
	put_time(&json, snapshot->wall_ns);
	json_bool(&json, "simulated", snapshot->simulated);
	json_bool(&json, "recorded", snapshot->recorded);
	put_units(&json);
	json_open(&json, "host", '{');
	put_fields(&json, &host_fields, 0, &snapshot->host);
	put_reasons(&json, &host_fields, &snapshot->host);
	json_close(&json, '}');
	json_open(&json, "server", '{');
	json_bool(&json, "running", snapshot->server_pid != 0);
	if (snapshot->server_pid)
		json_i64(&json, "pid", snapshot->server_pid);
	else
		json_null(&json, "pid");
	json_close(&json, '}');
	json_open(&json, "devices", '[');
	for (size_t i = 0; i < snapshot->n_devices; i++)
		put_device(&json, snapshot, i);
	json_close(&json, ']');
	json_open(&json, "processes", '[');
	for (size_t i = 0; i < snapshot->n_processes; i++)
		put_process(&json, snapshot, &snapshot->processes[i]);
	json_close(&json, ']');
	put_problems(&json, snapshot);
	json_close(&json, '}');
	buf_putc(out, '\n');
}

void json_wants(struct want *want)
{
	want_everything(want);
}
