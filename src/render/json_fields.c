#include "render/json_fields.h"

#include "basic/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Length of the common directory part of two paths, including the dots. */
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

/*
 * Closes the objects of the previous path that do not contain the next one, and opens those
 * missing.
 */
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
	case K_ENUM:
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

void json_put_field(struct json *json, const char *key, const struct field_table *table,
		    unsigned index, const void *object)
{
	struct value value;

	field_get(table, index, object, &value);
	put_value(json, key, &value);
}

void json_put_fields(struct json *json, const struct field_table *table, unsigned first,
		     unsigned end, const void *object)
{
	const char *before = "";

	for (unsigned i = first; i < end; i++) {
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

void json_put_reasons(struct json *json, const struct field_table *table, unsigned first,
		      unsigned end, const void *object)
{
	json_open(json, "unavailable", '{');
	for (unsigned i = first; i < end; i++) {
		struct value value;

		field_get(table, i, object, &value);
		if (value.why != KNOWN && table->fields[i].json)
			json_text(json, table->fields[i].json, reason_code(value.why));
	}
	json_close(json, '}');
}

void json_put_id(struct json *json, const struct device *dev)
{
	if (device_has_node(dev))
		json_u64(json, "id", dev->index);
	else
		json_text(json, "id", dev->id);
}

void json_put_time(struct json *json, int64_t wall_ns)
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

void json_put_server(struct json *json, const struct snapshot *snapshot)
{
	json_open(json, "server", '{');
	json_bool(json, "running", snapshot->server_pid != 0);
	if (snapshot->server_pid)
		json_i64(json, "pid", snapshot->server_pid);
	else
		json_null(json, "pid");
	json_close(json, '}');
}

void json_put_problems(struct json *json, const struct snapshot *snapshot)
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
