#include "fleet/who_load.h"

#include "fleet/recorded_rules.h"

#define OWNER "instance, kind, user, slurm_job, slurm_job_name, namespace, pod, container"

/* A value per machine and owner. */
struct owner_query {
	enum recorded_rule rule;
	const char *matchers; /* of the recorded series, besides those of the filter */
	const char *raw;      /* what the rule records */
};

static const struct owner_query queries[OWNED_VALUES] = {
	[OWNED_DEVICES] = { RULE_OWNER_DEVICES, "", "ttsmi_owner_devices{@}" },
	[OWNED_DRAM] = { RULE_OWNER_MEMORY_USED, "pool=\"dram\",",
			 "sum without (device, uuid) "
			 "(ttsmi_owner_memory_used_bytes{pool=\"dram\",@})" },
	[OWNED_QUIET] = { RULE_OWNER_QUIET, "", "ttsmi_owner_quiet_seconds{@}" },
};

struct who_loading {
	struct who who;
	const struct fleet_filter *filter;
	struct recorded_rules rules;
};

struct owner_target {
	struct who_loading *loading;
	enum owned_value which;
};

/* 0: the machine was not requested. */
static int find_machine(struct who_loading *loading, const struct label_set *labels, size_t *ret)
{
	struct fleet_machine *machine;
	int r = fleet_get(&loading->who.fleet, loading->filter, label_text(labels, "instance"),
			  &machine);

	if (r > 0)
		*ret = (size_t)(machine - loading->who.fleet.machines);
	return r;
}

static int take_owner(void *arg, const struct label_set *labels, double value)
{
	const struct owner_target *target = arg;
	const char *texts[OWNED_TEXTS];
	size_t machine;
	int r = find_machine(target->loading, labels, &machine);

	if (r <= 0)
		return r;
	for (size_t i = 0; i < OWNED_TEXTS; i++)
		texts[i] = label_text(labels, owned_labels[i]);
	return who_add(&target->loading->who, texts, machine, target->which, value);
}

static int take_machine(void *arg, const struct label_set *labels, double value)
{
	size_t machine;
	int r = find_machine(arg, labels, &machine);

	(void)value;
	return r < 0 ? r : 0;
}

static int take_without(void *arg, const struct label_set *labels, double value)
{
	struct who_loading *loading = arg;
	size_t machine;
	int r = find_machine(loading, labels, &machine);

	(void)value;
	loading->who.n_without += r > 0;
	return r < 0 ? r : 0;
}

static void add_owner_query(struct question_set *set, struct owner_target *target)
{
	const struct who_loading *loading = target->loading;
	const struct owner_query *query = &queries[target->which];
	const char *recorded = recorded_rules_find(&loading->rules, query->rule);
	CLEANUP_BUF struct buf text = { 0 };

	/* One machine may be the target of several jobs of the server: hence the maximum. */
	buf_puts(&text, "max by (" OWNER ") (");
	if (recorded)
		buf_printf(&text, "%s{%s@}", recorded, query->matchers);
	else
		buf_puts(&text, query->raw);
	buf_putc(&text, ')');
	question_add(set, buf_text(&text), loading->filter->matchers,
		     (struct vector_reader){ take_owner, target });
}

/* Machines with jobs, but without series of owners. */
static void add_without(struct question_set *set, struct who_loading *loading)
{
	const char *recorded = recorded_rules_find(&loading->rules, RULE_HOLDERS);
	CLEANUP_BUF struct buf text = { 0 };

	buf_printf(&text,
		   "sum by (instance) (%s{role=\"job\",@}) > 0 unless "
		   "max by (instance) (ttsmi_owner_devices{@})",
		   recorded ? recorded : "ttsmi_holders");
	question_add(set, buf_text(&text), loading->filter->matchers,
		     (struct vector_reader){ take_without, loading });
}

static int ask(struct question_set *set, struct http_client *client, struct buf *error)
{
	int code = question_ask(set, client, error);

	question_done(set);
	return code;
}

static int load(struct who_loading *loading, struct http_client *client, struct buf *error)
{
	const char *matchers = loading->filter->matchers;
	struct owner_target targets[OWNED_VALUES];
	struct question_set set = { .count = 0 };
	int code;

	recorded_rules_ask(&loading->rules, &set, matchers, RULE_HOLDERS, RULE_OWNER_QUIET);
	question_add(&set, "max by (instance) (ttsmi_devices{@})", matchers,
		     (struct vector_reader){ take_machine, loading });
	code = ask(&set, client, error);
	if (code)
		return code;
	for (size_t i = 0; i < OWNED_VALUES; i++) {
		targets[i] = (struct owner_target){ loading, i };
		add_owner_query(&set, &targets[i]);
	}
	add_without(&set, loading);
	return ask(&set, client, error);
}

int who_load(struct http_client *client, const struct fleet_filter *filter, struct who *ret,
	     struct buf *error)
{
	struct who_loading loading = { .filter = filter };
	int code;

	http_client_begin(client);
	code = load(&loading, client, error);
	if (code) {
		who_done(&loading.who);
		return code;
	}
	who_sort(&loading.who);
	*ret = loading.who;
	return 0;
}
