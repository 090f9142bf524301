#include "model/field.h"

#include "basic/parse.h"

#include <string.h>

const struct unit_info unit_infos[U_N] = {
	[U_NONE] = { "", NULL, 1, 0 },
	[U_CELSIUS] = { "celsius", NULL, 1, 0,
			"celsius" }, /* like nvidia-smi: whole degrees, no unit */
	[U_WATT] = { "watt", "W", 1, 2, "watts" },
	[U_VOLT] = { "volt", "V", 1, 3, "volts" },
	[U_AMPERE] = { "ampere", "A", 1, 1, "amperes" },
	[U_HERTZ] = { "hertz", "MHz", 1e6, 0, "hertz" },
	[U_RPM] = { "revolution/minute", "rpm", 1, 0, "rpm" },
	[U_BYTE] = { "byte", "MiB", 1 << 20, 0, "bytes" },
	[U_BYTE_RATE] = { "byte/second", "MiB/s", 1 << 20, 1 },
	[U_RATIO] = { "ratio", "%", 0.01, 0, "ratio" },
	[U_SECOND] = { "second", "s", 1, 0, "seconds" },
	[U_PER_SECOND] = { "1/second", "1/s", 1, 1 },
	[U_TIME] = { "unix second", NULL, 1, 0, "seconds" },
	[U_JOULE] = { "joule", "J", 1, 0, "joules" },
};

void field_get(const struct field_table *table, unsigned index, const void *object,
	       struct value *ret)
{
	const struct field *field = &table->fields[index];
	const void *at = (const char *)object + field->offset;
	const uint8_t *why = (const uint8_t *)object + table->why_offset;

	*ret = (struct value){ .why = NEVER_OFFERED, .field = field };
	if (field->kind != K_NEVER)
		ret->why = why[index];
	if (ret->why != KNOWN)
		return;
	switch (field->kind) {
	case K_STRING: ret->text = at; break;
	case K_TEXT: ret->text = *(char *const *)at; break;
	case K_ENUM:
		ret->exact = *(const unsigned *)at;
		ret->text = field->names[ret->exact];
		break;
	case K_HEX16:
	case K_U32: ret->exact = *(const uint32_t *)at; break;
	case K_HEX64:
	case K_U64: ret->exact = *(const uint64_t *)at; break;
	case K_BOOL: ret->exact = *(const bool *)at; break;
	case K_I32: ret->number = *(const int32_t *)at; return;
	case K_DOUBLE: ret->number = *(const double *)at; return;
	case K_NEVER: break;
	}
	ret->number = (double)ret->exact;
}

int field_find(const struct field_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct field *field = &table->fields[i];

		if (strcmp(field->key, name) == 0 ||
		    parse_has_word(field->aliases, name, strlen(name)))
			return (int)i;
	}
	return -1;
}
