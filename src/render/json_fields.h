/* Functions shared by the JSON documents, which write values according to their field tables. */
#pragma once

#include "model/snapshot.h"
#include "render/json_writer.h"

/* Writes one value under the given key; null if unknown. */
void json_put_field(struct json *json, const char *key, const struct field_table *table,
		    unsigned index, const void *object);

/*
 * Writes the fields [first, end), each at its path. Consecutive fields with a common prefix share
 * an object.
 */
void json_put_fields(struct json *json, const struct field_table *table, unsigned first,
		     unsigned end, const void *object);

/* Writes "unavailable": the reason for each of these fields that is null. */
void json_put_reasons(struct json *json, const struct field_table *table, unsigned first,
		      unsigned end, const void *object);

/* The id of a PCIe device is a number, that of a chip behind it a string. */
void json_put_id(struct json *json, const struct device *dev);

void json_put_time(struct json *json, int64_t wall_ns);
void json_put_server(struct json *json, const struct snapshot *snapshot);
void json_put_problems(struct json *json, const struct snapshot *snapshot);
