/* The document of one process: its readings, and those on each device that it has open. */
#include "render/web_json.h"

#include "render/json_fields.h"
#include "render/web_parts.h"

static void put_section(struct json *json, const char *name, const struct field_table *table,
			const void *object)
{
	json_open(json, NULL, '{');
	json_text(json, "name", name);
	json_open(json, "readings", '[');
	for (unsigned i = 0; i < table->count; i++)
		if (table->fields[i].label)
			web_put_reading(json, table, i, object);
	json_close(json, ']');
	json_close(json, '}');
}

static void put_usages(struct json *json, const struct snapshot *snapshot,
		       const struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++) {
		CLEANUP_BUF struct buf name = { 0 };

		buf_printf(&name, "On device %s", snapshot->devices[process->usages[i].device].id);
		put_section(json, buf_text(&name), &usage_fields, &process->usages[i]);
	}
}

bool web_put_process(struct buf *out, const struct web_view *view, int32_t pid)
{
	const struct process *found = snapshot_find_process(view->snapshot, pid);
	struct json json = { .out = out, .first = true };
	struct process shown;

	if (!found)
		return false;
	shown = *found;
	if (view->hide_owners)
		process_hide_owner(&shown);
	json_open(&json, NULL, '{');
	json_put_field(&json, "name", &process_fields, PROC_NAME, &shown);
	json_open(&json, "sections", '[');
	put_section(&json, "Process", &process_fields, &shown);
	put_usages(&json, view->snapshot, &shown);
	json_close(&json, ']');
	json_close(&json, '}');
	buf_putc(out, '\n');
	return true;
}
