/* Parts of the documents of the web page. */
#pragma once

#include "render/json_writer.h"
#include "render/process_column.h"
#include "render/style.h"

/* [label, text, known]: a field in a section of readings; the text has the reason if unknown. */
void web_put_reading(struct json *json, const struct field_table *table, unsigned field,
		     const void *object);

/* The array "pools": memory in use, of all devices or only of one. */
void web_put_pools(struct json *json, const struct snapshot *snapshot, const struct device *only);

/* The array "processes": the cells of each, in the order of the columns. */
void web_put_processes(struct json *json, const struct process_scope *scope, bool hide_owners);
