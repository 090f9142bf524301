/* Fuzzes the parsers of the driver's attributes, of names in its class directory and of links. */
#include "fuzz.h"

#include "model/device_health.h"
#include "source/attribute.h"

#include <math.h>

static void check_value(const struct attribute *attribute, const struct device *dev)
{
	struct value value;

	field_get(&device_fields, attribute->field, dev, &value);
	if (value.text) {
		CHECK(value.text[0] && strlen(value.text) < 32);
		for (const char *p = value.text; *p; p++)
			CHECK(*p > ' ' && *p < 0x7F && !strchr(",\"\\/<>&%", *p));
	} else {
		CHECK(isfinite(value.number));
		if (attribute->low < attribute->high)
			CHECK(value.number >= attribute->low && value.number <= attribute->high);
	}
}

static void try(const struct attribute *attribute, const char *text)
{
	enum reason why;
	struct device dev;

	device_init(&dev, 0);
	why = attribute_parse(attribute, text, &dev);
	CHECK(why == dev.why[attribute->field]);
	CHECK(why == KNOWN || why == MALFORMED || why == IMPLAUSIBLE || why == NOT_ANSWERING ||
	      why == NOT_OFFERED || why == NOT_APPLICABLE);
	/* Each line is one record, or rejected. */
	if (why != MALFORMED && attribute->format != F_ERRORS)
		CHECK(strlen(text) <= 64 && strchr(text, '\n') == text + strlen(text) - 1);
	if (why == KNOWN)
		check_value(attribute, &dev);
	device_derive(&dev);
	device_judge(&dev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), bdf[24];
	uint32_t index;

	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		try(&attributes[i], text);
	for (size_t i = 0; i < DEVICE_COUNTERS; i++)
		try(&counter_attributes[i], text);
	if (attribute_parse_class_name(text, &index))
		CHECK(index <= 9999);
	if (attribute_parse_bdf(text, bdf, sizeof(bdf)))
		CHECK(fuzz_is_text(bdf, sizeof(bdf)) && strlen(bdf) >= 12 &&
		      strcmp(text + strlen(text) - strlen(bdf), bdf) == 0);
	if (attribute_parse_upstream(text, "0000:01:00.0", bdf, sizeof(bdf)) == KNOWN)
		CHECK(fuzz_is_text(bdf, sizeof(bdf)) && strlen(bdf) >= 12);
	free(text);
	return 0;
}
