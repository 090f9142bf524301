/* Processes in the documents of the web page, and what their columns are. */
#include "render/web_json.h"

#include "render/web_parts.h"

#include "render/format.h"

/* [text, number, reason]: the number is null if there is none; the reason is absent if known. */
static void put_cell(struct json *json, const struct process_scope *scope,
		     const struct process *process, enum process_column column)
{
	CLEANUP_BUF struct buf text = { 0 };
	enum reason why = process_column_reason(scope, process, column);
	double number;

	process_column_text(&text, scope, process, column, true);
	json_open(json, NULL, '[');
	json_text(json, NULL, buf_text(&text));
	if (process_column_number(scope, process, column, &number))
		json_double(json, NULL, number);
	else
		json_null(json, NULL);
	if (why != KNOWN)
		json_text(json, NULL, reason_text(why));
	json_close(json, ']');
}

static void put_process(struct json *json, const struct process_scope *scope,
			const struct process *process)
{
	json_open(json, NULL, '{');
	json_open(json, "devices", '[');
	for (size_t i = 0; i < process->n_usages; i++)
		json_text(json, NULL, scope->snapshot->devices[process->usages[i].device].id);
	json_close(json, ']');
	json_open(json, "cells", '[');
	for (enum process_column i = 0; i < PROCESS_COLUMNS; i++)
		put_cell(json, scope, process, i);
	json_close(json, ']');
	json_close(json, '}');
}

void web_put_processes(struct json *json, const struct process_scope *scope, bool hide_owners)
{
	const struct snapshot *snapshot = scope->snapshot;

	json_open(json, "columns", '[');
	for (enum process_column i = 0; i < PROCESS_COLUMNS; i++)
		json_bool(json, NULL, process_column_is_used(i, scope));
	json_close(json, ']');
	json_open(json, "processes", '[');
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		struct process shown = snapshot->processes[i];

		if (scope->dev &&
		    !process_find_usage(&shown, (size_t)(scope->dev - snapshot->devices)))
			continue;
		if (hide_owners)
			process_hide_owner(&shown);
		put_process(json, scope, &shown);
	}
	json_close(json, ']');
}

static void put_columns(struct json *json)
{
	static const char *const kinds[] = { [KIND_TEXT] = "text",
					     [KIND_NUMBER] = "number",
					     [KIND_BYTES] = "bytes",
					     [KIND_SECONDS] = "seconds" };

	json_open(json, "columns", '[');
	for (enum process_column i = 0; i < PROCESS_COLUMNS; i++) {
		const struct column_form *form = process_column_form(i);

		json_open(json, NULL, '{');
		json_text(json, "key", process_columns[i].key);
		json_text(json, "title", form->brief ? form->brief : form->heading);
		json_text(json, "help", process_columns[i].help);
		json_text(json, "kind", kinds[process_column_kind(i)]);
		json_bool(json, "right", form->align == ALIGN_RIGHT);
		json_bool(json, "down", process_column_starts_down(i));
		json_u64(json, "width", (uint64_t)process_column_screen_width(i));
		json_u64(json, "rank", (uint64_t)process_columns[i].rank);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void web_put_about(struct buf *out, const char *version)
{
	struct json json = { .out = out, .first = true };

	json_open(&json, NULL, '{');
	json_text(&json, "version", version);
	json_double(&json, "kilo", format_unit_size(1));
	put_columns(&json);
	json_close(&json, '}');
	buf_putc(out, '\n');
}
