/* Writes single values of the JSON documents and CSV lines of tt_smi fleet. */
#pragma once

#include "render/json_writer.h"

#include <stdint.h>

/* The nearest whole number that is not negative, since a server can send any number. 0 for NAN. */
uint64_t number_to_u64(double value);

/* A number, written in full if it is whole; null if it is not finite. */
void document_put_number(struct json *json, const char *key, double value);

/* One value of CSV (RFC 4180). A text gets quotes if needed, control characters are replaced. */
void csv_put_text(struct buf *out, const char *text);
void csv_put_number(struct buf *out, double value); /* nothing if it is not finite */
