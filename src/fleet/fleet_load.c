#include "fleet/fleet_load.h"

#include "basic/exit_code.h"
#include "fleet/promql.h"
#include "fleet/recorded_rules.h"

#include <errno.h>
#include <string.h>

/* A value per machine, or one for each value of a label. */
struct machine_query {
	enum recorded_rule rule;
	const char *raw; /* what the rule records */
	const char *label;
	struct {
		const char *text;
		enum machine_value value;
	} places[2];
};

static const struct machine_query queries[] = {
	{ RULE_DEVICES, "ttsmi_devices{@}", NULL, { { NULL, MACHINE_DEVICES } } },
	{ RULE_DEVICES_UP,
	  "sum without (device, uuid) (ttsmi_device_up{@}) or ttsmi_devices{@} == 0",
	  NULL,
	  { { NULL, MACHINE_UP } } },
	{ RULE_DEVICES_EXPECTED,
	  "ttsmi_devices_expected{@}",
	  NULL,
	  { { NULL, MACHINE_EXPECTED } } },
	{ RULE_TEMPERATURE,
	  "max without (device, uuid, sensor) (ttsmi_temperature_celsius{@})",
	  NULL,
	  { { NULL, MACHINE_TEMPERATURE } } },
	{ RULE_POWER,
	  "sum without (device, uuid, domain) (ttsmi_power_watts{domain=\"chip\",@})",
	  NULL,
	  { { NULL, MACHINE_POWER } } },
	{ RULE_MEMORY_USED,
	  "sum without (device, uuid) (ttsmi_memory_used_bytes{@})",
	  "pool",
	  { { "dram", MACHINE_DRAM_USED }, { "l1", MACHINE_L1_USED } } },
	{ RULE_MEMORY_SIZE,
	  "sum without (device, uuid) (ttsmi_memory_size_bytes{@})",
	  "pool",
	  { { "dram", MACHINE_DRAM_SIZE }, { "l1", MACHINE_L1_SIZE } } },
	{ RULE_MEMORY_COMPLETE,
	  "min without (device, uuid) (ttsmi_memory_complete{@} or "
	  "sum without (pool) (ttsmi_memory_size_bytes{pool=\"dram\",@}) * 0)",
	  NULL,
	  { { NULL, MACHINE_COMPLETE } } },
	/* Numbers of owners are counted from few series. */
	{ RULE_NONE,
	  "count by (instance) (count by (instance, kind, user, slurm_job, namespace, pod) "
	  "(ttsmi_owner_devices{kind=~\"slurm|pod|user\",@}) or "
	  "count by (instance, container) (ttsmi_owner_devices{kind=\"container\",@}))",
	  NULL,
	  { { NULL, MACHINE_JOBS } } },
	{ RULE_NONE,
	  "count by (instance) (count by (instance, user) (ttsmi_owner_devices{user!=\"\",@}))",
	  NULL,
	  { { NULL, MACHINE_USERS } } },
	{ RULE_HOLDERS,
	  "sum without (device, uuid) (ttsmi_holders{@})",
	  "role",
	  { { "job", MACHINE_HOLDERS }, { "monitor", MACHINE_MONITORS } } },
};

enum { N_QUERIES = ARRAY_SIZE(queries) };

/* One loading. */
struct loading {
	struct http_client *client;
	const struct fleet_filter *filter;
	struct fleet fleet;
	struct recorded_rules rules;
	bool has_alerts;
	struct buf *error;
};

/* The argument of functions that visit the values of machines. */
struct value_target {
	struct loading *loading;
	const struct machine_query *query;
};

static int get_machine(struct loading *loading, const struct label_set *labels,
		       struct fleet_machine **ret)
{
	return fleet_get(&loading->fleet, loading->filter, label_text(labels, "instance"), ret);
}

static int take_silent(void *arg, const struct label_set *labels, double value)
{
	struct fleet_machine *machine;
	int r = get_machine(arg, labels, &machine);

	(void)value;
	return MIN(r, 0);
}

static int take_alert(void *arg, const struct label_set *labels, double value)
{
	struct loading *loading = arg;
	struct fleet_machine *machine;
	int r;

	(void)value;
	loading->has_alerts = true;
	r = get_machine(loading, labels, &machine);
	if (r <= 0)
		return r;
	return machine_add_alert(machine, label_text(labels, "alertname"),
				 label_text(labels, "severity"), label_text(labels, "device"));
}

static int take_value(void *arg, const struct label_set *labels, double value)
{
	const struct value_target *target = arg;
	const struct machine_query *query = target->query;
	struct fleet_machine *machine;
	int r = get_machine(target->loading, labels, &machine);

	if (r <= 0)
		return r;
	machine->has_data = true;
	for (size_t i = 0; i < ARRAY_SIZE(query->places); i++)
		if (query->label
			    ? strcmp(label_text(labels, query->label), query->places[i].text) == 0
			    : i == 0)
			machine->values[query->places[i].value] = value;
	return 0;
}

static int take_hottest(void *arg, const struct label_set *labels, double value)
{
	struct loading *loading = arg;
	const char *device = label_get(labels, "device");

	(void)value;
	if (!device)
		return 0;
	free(loading->fleet.hottest_device);
	loading->fleet.hottest_device = strdup(device);
	return loading->fleet.hottest_device ? 0 : -ENOMEM;
}

static int ask(struct loading *loading, struct question_set *set)
{
	int code = question_ask(set, loading->client, loading->error);

	question_done(set);
	return code;
}

/*
 * Which rules there are, which alerts fire, and which machines are no longer scraped. For these, an
 * hour of one series per machine is read.
 */
static int ask_first(struct loading *loading)
{
	const char *matchers = loading->filter->matchers;
	struct question_set set = { .count = 0 };

	recorded_rules_ask(&loading->rules, &set, matchers, RULE_DEVICES, RULE_HOLDERS);
	question_add(&set, "ALERTS{alertname=~\"Tenstorrent.+\",alertstate=\"firing\",@}", matchers,
		     (struct vector_reader){ take_alert, loading });
	question_add(&set,
		     "max by (instance) (last_over_time(ttsmi_devices{@}[1h])) unless "
		     "max by (instance) (ttsmi_devices{@})",
		     matchers, (struct vector_reader){ take_silent, loading });
	return ask(loading, &set);
}

static int ask_values(struct loading *loading)
{
	struct value_target targets[N_QUERIES];
	struct question_set set = { .count = 0 };

	for (size_t i = 0; i < N_QUERIES; i++) {
		const struct machine_query *query = &queries[i];
		const char *recorded = recorded_rules_find(&loading->rules, query->rule);
		CLEANUP_BUF struct buf text = { 0 };

		targets[i] = (struct value_target){ loading, query };
		/* One machine may be the target of several jobs of the server. */
		buf_printf(&text, "max by (instance%s%s) (%s%s)", query->label ? ", " : "",
			   query->label ? query->label : "", recorded ? recorded : query->raw,
			   recorded ? "{@}" : "");
		question_add(&set, buf_text(&text), loading->filter->matchers,
			     (struct vector_reader){ take_value, &targets[i] });
	}
	loading->fleet.uses_rules = recorded_rules_any(&loading->rules);
	return ask(loading, &set);
}

static int ask_hottest(struct loading *loading)
{
	const struct fleet_machine *hottest = fleet_hottest(&loading->fleet);
	struct question_set set = { .count = 0 };
	CLEANUP_BUF struct buf matcher = { 0 };

	if (!hottest)
		return 0;
	buf_puts(&matcher, "instance=");
	promql_put_string(&matcher, hottest->instance);
	buf_printf(&matcher, ",%s", loading->filter->matchers);
	question_add(&set, "topk(1, ttsmi_temperature_celsius{@})", buf_text(&matcher),
		     (struct vector_reader){ take_hottest, loading });
	return ask(loading, &set);
}

/*
 * No alert fires: because all is well, or because the server has no alerting rules? A server that
 * cannot answer this leaves it unknown.
 */
static void ask_alerting(struct loading *loading)
{
	struct request request = { .path = "/api/v1/rules?type=alert" };
	CLEANUP_BUF struct buf error = { 0 };

	loading->fleet.knows_alerts = loading->has_alerts;
	if (!loading->has_alerts && http_client_ask(loading->client, &request, 1, &error) == 0)
		loading->fleet.knows_alerts =
			rules_have(buf_text(&request.answer), request.answer.length, "Tenstorrent",
				   &error) == 1;
	buf_done(&request.answer);
}

int fleet_load(struct http_client *client, const struct fleet_filter *filter, struct fleet *ret,
	       struct buf *error)
{
	struct loading loading = { .client = client, .filter = filter, .error = error };
	int code;

	http_client_begin(client);
	code = ask_first(&loading);
	if (code == 0)
		code = ask_values(&loading);
	if (code == 0)
		code = ask_hottest(&loading);
	if (code) {
		fleet_done(&loading.fleet);
		return code;
	}
	for (size_t i = 0; i < loading.fleet.count; i++) {
		machine_derive(&loading.fleet.machines[i]);
		machine_sort_alerts(&loading.fleet.machines[i]);
	}
	ask_alerting(&loading);
	fleet_sort(&loading.fleet, ORDER_ATTENTION);
	*ret = loading.fleet;
	return 0;
}
