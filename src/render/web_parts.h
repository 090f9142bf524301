/* Parts of the documents of the web page. */
#pragma once

#include "render/json_writer.h"
#include "render/process_column.h"
#include "render/style.h"

/* The array "pools": memory in use, of all devices or only of one. */
void web_put_pools(struct json *json, const struct snapshot *snapshot, const struct device *only);

/* The array "processes": the cells of each, in the order of the columns. */
void web_put_processes(struct json *json, const struct process_scope *scope, bool hide_owners);
