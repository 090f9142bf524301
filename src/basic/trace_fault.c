#include "basic/trace_fault.h"

#include <string.h>

#define ROW(name, word, reason, text, meaning, fix) [TRACE_FAULT_##name] = { word, meaning, fix },

static const struct {
	const char *word, *meaning, *fix;
} rows[TRACE_FAULT_N] = { TRACE_FAULTS(ROW) };

const char *trace_fault_word(enum trace_fault fault)
{
	return rows[fault].word;
}

const char *trace_fault_meaning(enum trace_fault fault)
{
	return rows[fault].meaning;
}

const char *trace_fault_fix(enum trace_fault fault)
{
	return rows[fault].fix;
}

enum trace_fault trace_fault_find(const char *word)
{
	for (enum trace_fault i = TRACE_FAULT_NONE + 1; i < TRACE_FAULT_N; i++)
		if (strcmp(rows[i].word, word) == 0)
			return i;
	return TRACE_FAULT_NONE;
}
