#include "fleet/recorded_rules.h"

#include <string.h>

static const char *const names[RULE_COUNT] = {
	[RULE_DEVICES] = "instance:ttsmi_devices:count",
	[RULE_DEVICES_UP] = "instance:ttsmi_devices_up:count",
	[RULE_DEVICES_EXPECTED] = "instance:ttsmi_devices_expected:max",
	[RULE_TEMPERATURE] = "instance:ttsmi_temperature_celsius:max",
	[RULE_POWER] = "instance:ttsmi_power_watts:sum",
	[RULE_MEMORY_USED] = "instance:ttsmi_memory_used_bytes:sum",
	[RULE_MEMORY_SIZE] = "instance:ttsmi_memory_size_bytes:sum",
	[RULE_MEMORY_COMPLETE] = "instance:ttsmi_memory_complete:min",
	[RULE_HOLDERS] = "instance:ttsmi_holders:sum",
	[RULE_OWNER_DEVICES] = "instance:ttsmi_owner_devices:count",
	[RULE_OWNER_MEMORY_USED] = "instance:ttsmi_owner_memory_used_bytes:sum",
	[RULE_OWNER_QUIET] = "instance:ttsmi_owner_quiet_seconds:min",
};

static int take_rule(void *arg, const struct label_set *labels, double value)
{
	struct recorded_rules *rules = arg;
	const char *name = label_text(labels, "__name__");

	(void)value;
	for (size_t i = RULE_NONE + 1; i < RULE_COUNT; i++)
		rules->found[i] |= strcmp(name, names[i]) == 0;
	return 0;
}

static int take_uncovered(void *arg, const struct label_set *labels, double value)
{
	struct recorded_rules *rules = arg;

	(void)labels;
	rules->uncovered = value > 0;
	return 0;
}

void recorded_rules_ask(struct recorded_rules *rules, struct question_set *set,
			const char *matchers, enum recorded_rule first, enum recorded_rule last)
{
	CLEANUP_BUF struct buf text = { 0 };

	/* A list of names: servers find these without comparing all names with an expression. */
	buf_puts(&text, "count by (__name__) ({__name__=~\"");
	for (enum recorded_rule rule = first; rule <= last; rule++)
		buf_printf(&text, "%s%s", rule == first ? "" : "|", names[rule]);
	buf_puts(&text, "\",@})");
	question_add(set, buf_text(&text), matchers, (struct vector_reader){ take_rule, rules });
	question_add(set,
		     "count(max by (instance) (ttsmi_devices{@}) unless "
		     "max by (instance) (instance:ttsmi_devices:count{@}))",
		     matchers, (struct vector_reader){ take_uncovered, rules });
}

const char *recorded_rules_find(const struct recorded_rules *rules, enum recorded_rule rule)
{
	return rules->found[rule] && !rules->uncovered ? names[rule] : NULL;
}

bool recorded_rules_any(const struct recorded_rules *rules)
{
	for (size_t i = RULE_NONE + 1; i < RULE_COUNT; i++)
		if (recorded_rules_find(rules, i))
			return true;
	return false;
}
