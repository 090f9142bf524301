#include "fleet/who_load.h"

#include "fleet/question.h"

#include <stdlib.h>

/* One machine may be the target of several jobs of the server: hence a maximum first. */
#define OWNER "instance, kind, user, slurm_job, slurm_job_name, namespace, pod, container"

static const char *const expressions[OWNED_VALUES] = {
	[OWNED_DEVICES] = "max by (" OWNER ") (ttsmi_owner_devices{@})",
	[OWNED_DRAM] = "sum by (" OWNER ") (max by (" OWNER
		       ", device, uuid) (ttsmi_owner_memory_used_bytes{pool=\"dram\",@}))",
	[OWNED_QUIET] = "max by (" OWNER ") (ttsmi_owner_quiet_seconds{@})",
};

struct who_loading {
	struct who who;
	const struct fleet_filter *filter;
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

int who_load(struct http_client *client, const struct fleet_filter *filter, struct who *ret,
	     struct buf *error)
{
	struct who_loading loading = { .filter = filter };
	struct owner_target targets[OWNED_VALUES];
	struct question_set set = { .count = 0 };
	int code;

	http_client_begin(client);
	for (size_t i = 0; i < OWNED_VALUES; i++) {
		targets[i] = (struct owner_target){ &loading, i };
		question_add(&set, expressions[i], filter->matchers,
			     (struct vector_reader){ take_owner, &targets[i] });
	}
	question_add(&set, "max by (instance) (ttsmi_devices{@})", filter->matchers,
		     (struct vector_reader){ take_machine, &loading });
	question_add(&set,
		     "sum by (instance) (ttsmi_holders{role=\"job\",@}) > 0 unless "
		     "max by (instance) (ttsmi_owner_devices{@})",
		     filter->matchers, (struct vector_reader){ take_without, &loading });
	code = question_ask(&set, client, error);
	question_done(&set);
	if (code) {
		who_done(&loading.who);
		return code;
	}
	who_sort(&loading.who);
	*ret = loading.who;
	return 0;
}
