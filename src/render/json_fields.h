/* Parts that several JSON documents share: values by their field tables, and more. */
#pragma once

#include "model/snapshot.h"
#include "render/json_writer.h"

/* One value under a key of the caller's; null if it is not known. */
void json_put_field(struct json *json, const char *key, const struct field_table *table,
		    unsigned index, const void *object);

/*
 * Fields from first up to end, each at its path: neighbours with a common beginning
 * share an object.
 */
void json_put_fields(struct json *json, const struct field_table *table, unsigned first,
		     unsigned end, const void *object);

/* "unavailable": why those of them that are null are so. */
void json_put_reasons(struct json *json, const struct field_table *table, unsigned first,
		      unsigned end, const void *object);

/* A PCIe device's id is its number; that of a chip behind it is a text. */
void json_put_id(struct json *json, const struct device *dev);

void json_put_time(struct json *json, int64_t wall_ns);
void json_put_server(struct json *json, const struct snapshot *snapshot);
void json_put_problems(struct json *json, const struct snapshot *snapshot);
