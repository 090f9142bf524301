#include "render/field_text.h"

#include "render/format.h"
#include "render/lower_bound.h"
#include "render/utilization_text.h"

#include "model/snapshot.h"

#include <string.h>

/* The mark of a figure that is a lower bound. */
static const char *bound_of(const struct field_table *table, unsigned field, const void *object,
			    bool utf8)
{
	if (table == &device_fields)
		return lower_bound_of_device(object, field, utf8);
	if (table == &usage_fields)
		return lower_bound_of_usage(object, field, utf8);
	return "";
}

void field_put_known(struct buf *out, const struct field_table *table, const struct value *value,
		     const void *object, bool utf8)
{
	const struct device *dev = object;
	const struct usage *usage = object;
	unsigned field = (unsigned)(value->field - table->fields);

	if (table == &device_fields && field == DEV_DISPATCH) {
		utilization_put_percent(out, dev->why + DEV_DISPATCH, &dev->utilization, " %",
					utf8);
	} else if (table == &usage_fields && field == USE_UTILIZATION) {
		utilization_put_percent(out, usage->why + USE_UTILIZATION, &usage->utilization,
					" %", utf8);
	} else if (table == &device_fields && field == DEV_MEMORY_RATIO) {
		buf_puts(out, bound_of(table, field, object, utf8));
		rounding_put_percent(out, dev->memory_ratio, 0, lower_bound_rounding(dev, field));
		buf_puts(out, " %");
	} else {
		buf_puts(out, bound_of(table, field, object, utf8));
		format_reading(out, value, utf8);
	}
}

/* Rounds to whole units of plain numbers. */
static void round_to_units(struct value *value, enum rounding rounding)
{
	double scale = unit_infos[value->field->unit].csv_scale;

	value->number = rounding_whole(value->number / scale, rounding) * scale;
}

void field_round_bound(const struct field_table *table, const void *object, struct value *value)
{
	const struct unit_info *unit = &unit_infos[value->field->unit];
	unsigned field = (unsigned)(value->field - table->fields);
	const struct usage *usage = object;
	const struct device *dev = object;
	const char *bound = bound_of(table, field, object, false);

	if (table == &device_fields && field == DEV_DISPATCH)
		value->number =
			utilization_whole_percent(dev->why + DEV_DISPATCH, &dev->utilization) *
			unit->csv_scale;
	else if (table == &usage_fields && field == USE_UTILIZATION)
		value->number = utilization_whole_percent(usage->why + USE_UTILIZATION,
							  &usage->utilization) *
				unit->csv_scale;
	else if (*bound && unit->csv_digits == 0)
		round_to_units(value, *bound == '>' ? ROUND_DOWN : ROUND_UP);
}

void field_put_text(struct buf *out, const struct field_table *table, unsigned field,
		    const void *object, bool utf8)
{
	struct value value;

	field_get(table, field, object, &value);
	if (value.why == NOT_APPLICABLE) {
		buf_puts(out, "-");
	} else if (value.why != KNOWN) {
		buf_printf(out, "N/A (%s)", reason_text(value.why));
	} else {
		field_put_known(out, table, &value, object, utf8);
	}
}

bool field_is_in_section(const struct field_table *table, unsigned field, const char *section)
{
	const struct field *info = &table->fields[field];

	return info->section && info->label && strcmp(info->section, section) == 0;
}

bool field_begins_section(const struct field_table *table, unsigned field)
{
	const char *section = table->fields[field].section;

	for (unsigned i = 0; section && i < field; i++)
		if (table->fields[i].section && strcmp(table->fields[i].section, section) == 0)
			return false;
	return section != NULL;
}
