/* Single fields as text for human readers, with the reason for what is unknown. */
#pragma once

#include "basic/buf.h"
#include "model/field.h"

#include <stdbool.h>

/* The value, which is known, of one of the fields of an object: "65°C", "≥7.7GB", "<1 %" */
void field_put_known(struct buf *out, const struct field_table *table, const struct value *value,
		     const void *object, bool utf8);

/*
 * Rounds a known number, to the digits that tables of plain numbers have, if it is a bound: such
 * tables have no sign before it.
 */
void field_round_bound(const struct field_table *table, const void *object, struct value *value);

/* "65°C", "≥7.7GB", "N/A (no permission)", "-" */
void field_put_text(struct buf *out, const struct field_table *table, unsigned field,
		    const void *object, bool utf8);

/* Is it shown in this section of details, by a label? */
bool field_is_in_section(const struct field_table *table, unsigned field, const char *section);

/* Is it the first one of its section? */
bool field_begins_section(const struct field_table *table, unsigned field);
