/*
 * Which recording rules of share/prometheus/tt_smi.recording.yml the server has. They are used only
 * if they cover all machines: new machines, and those of another configuration, are not covered.
 */
#pragma once

#include "fleet/question.h"

/* The rules that queries use. */
enum recorded_rule {
	RULE_NONE, /* the value is not recorded */
	RULE_DEVICES,
	RULE_DEVICES_UP,
	RULE_DEVICES_EXPECTED,
	RULE_TEMPERATURE,
	RULE_POWER,
	RULE_MEMORY_USED,
	RULE_MEMORY_SIZE,
	RULE_MEMORY_COMPLETE,
	RULE_HOLDERS,
	RULE_OWNER_DEVICES,
	RULE_OWNER_MEMORY_USED,
	RULE_OWNER_QUIET,
	RULE_COUNT,
};

struct recorded_rules {
	bool found[RULE_COUNT];
	bool uncovered; /* they leave out machines */
};

/*
 * Adds the queries that fill it for the rules from first to last. The server reads all series of
 * these, so only rules that are needed should be asked for.
 */
void recorded_rules_ask(struct recorded_rules *rules, struct question_set *set,
			const char *matchers, enum recorded_rule first, enum recorded_rule last);

/* The recorded series to read instead of an expression; NULL: read the expression. */
const char *recorded_rules_find(const struct recorded_rules *rules, enum recorded_rule rule);

/* Is any used? */
bool recorded_rules_any(const struct recorded_rules *rules);
