#include "model/process.h"

#include "basic/macros.h"
#include "basic/shared_text.h"
#include "basic/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tracking_names[TRACKING_N] = {
	[TRACKING_NONE] = "none",	[TRACKING_METAL] = "metal", [TRACKING_TRACED] = "traced",
	[TRACKING_PRELOAD] = "preload", [TRACKING_WIRE] = "wire",   [TRACKING_TABLE] = "table",
};

const char *const holding_names[HOLDINGS] = {
	[HOLDING_SEEN] = "seen",
	[HOLDING_LISTED] = "listed",
	[HOLDING_OPENER_GONE] = "opener gone",
	[HOLDING_COUNTERS] = "counters",
};

const char *const process_state_names[PROCESS_STATES] = {
	[PROCESS_RUNNING] = "running",
	[PROCESS_SLEEPING] = "sleeping",
	[PROCESS_DISK] = "disk",
	[PROCESS_STOPPED] = "stopped",
	[PROCESS_TRACED] = "traced",
	[PROCESS_ZOMBIE] = "zombie",
	[PROCESS_IDLE] = "idle",
	[PROCESS_DEAD] = "dead",
	[PROCESS_STATE_UNKNOWN] = "unknown",
};

void process_init(struct process *process, int32_t pid)
{
	*process = (struct process){ .pid = pid };
	memset(process->why, NOT_ASKED, sizeof(process->why));
	process->why[PROC_PID] = pid > 0 ? KNOWN : OTHER_NAMESPACE;
	process->why[PROC_PROGRAM] = NOT_APPLICABLE;
	process_set_role(process, ROLE_JOB);
}

void process_done(struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++)
		allocation_list_reset(&process->usages[i].list, NOT_ASKED);
	shared_text_unref(process->command);
	free(process->owner.block);
	free(process->reported_job);
	free(process->usages);
	*process = (struct process){ 0 };
}

struct usage *process_find_usage(const struct process *process, size_t device)
{
	for (size_t i = 0; i < process->n_usages; i++)
		if (process->usages[i].device == device)
			return &process->usages[i];
	return NULL;
}

struct usage *process_use(struct process *process, size_t device)
{
	struct usage *usage = process_find_usage(process, device), *grown;
	size_t at = process->n_usages;

	if (usage)
		return usage;
	grown = reallocarray(process->usages, process->n_usages + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	process->usages = grown;
	process->n_usages++;
	for (; at > 0 && grown[at - 1].device > device; at--)
		grown[at] = grown[at - 1];
	grown[at] = (struct usage){ .device = device, .list.why = NO_TRACKER };
	memset(grown[at].why, NO_TRACKER, sizeof(grown[at].why));
	grown[at].why[USE_TRACKING] = KNOWN;
	memset(grown[at].why + USE_UTILIZATION, NOT_TRACED, UTILIZATION_FIELDS);
	return &grown[at];
}

bool process_total(const struct process *process, enum usage_field field, uint64_t *ret)
{
	uint64_t sum = 0;
	bool known = false;

	for (size_t i = 0; i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];
		struct value value;

		field_get(&usage_fields, field, usage, &value);
		if (value.why != KNOWN || usage->stale)
			continue;
		known = true;
		sum += value.exact;
	}
	*ret = sum;
	return known;
}

const struct usage *process_find_busiest(const struct process *process)
{
	const struct usage *busiest = NULL;

	for (size_t i = 0; i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];

		if (utilization_is_shown(usage->why + USE_UTILIZATION, &usage->utilization) &&
		    (!busiest || usage->utilization.share > busiest->utilization.share))
			busiest = usage;
	}
	return busiest;
}

_Static_assert(USE_OPERATION - USE_UTILIZATION == UTIL_OPERATION,
	       "the fields of struct utilization");

void usage_set_utilization(struct usage *usage, const struct utilization_figure *figure)
{
	usage->utilization = figure->value;
	memcpy(usage->why + USE_UTILIZATION, figure->why, sizeof(figure->why));
}

struct utilization_figure usage_utilization(const struct usage *usage)
{
	struct utilization_figure figure = { .value = usage->utilization };

	memcpy(figure.why, usage->why + USE_UTILIZATION, sizeof(figure.why));
	return figure;
}

void usage_offer_utilization(struct usage *usage, const struct utilization_figure *figure)
{
	const struct utilization_figure now = usage_utilization(usage);

	if (!utilization_is_better(&now, figure))
		usage_set_utilization(usage, figure);
}

void usage_set_reason(struct usage *usage, enum reason why)
{
	for (unsigned i = 0; i < USAGE_N_FIELDS; i++)
		if (usage->why[i] == NO_TRACKER)
			usage->why[i] = (uint8_t)why;
}

void process_set_holding(struct process *process, enum holding how)
{
	process->holding = how;
	process->why[PROC_HOLDING] = KNOWN;
}

void process_set_role(struct process *process, enum role role)
{
	process->role = role;
	process->why[PROC_ROLE] = KNOWN;
}

/* Slurm job, pod, container, unit: the most specific one. */
static void label_owner(const struct owner *owner, char *text, size_t size)
{
	text[0] = '\0';
	if (owner->slurm_job[0])
		snprintf(text, size, "slurm %s%s%s", owner->slurm_job,
			 owner->slurm_step[0] ? "." : "", owner->slurm_step);
	else if (owner->pod[0] && owner->pod_name[0])
		snprintf(text, size, "pod %s/%s", owner->namespace, owner->pod_name);
	else if (owner->pod[0])
		snprintf(text, size, "pod %s", owner->pod);
	else if (owner->container[0])
		snprintf(text, size, "%s %.12s", owner->runtime, owner->container);
	else if (owner->unit[0])
		snprintf(text, size, "%s", owner->unit);
}

void process_set_owner(struct process *process, const struct owner *owner)
{
	struct owner_texts *texts = &process->owner;
	const uint8_t names = owner->names_why, job = owner->job_why;
	char label[sizeof(owner->pod_name) + sizeof(owner->namespace) + 8], *at;
	const struct {
		enum process_field field;
		const char *text;
		char **copy;
		uint8_t why; /* if it is empty: the reason; KNOWN: it has none */
	} parts[] = {
		{ PROC_OWNER, label, &texts->text },
		{ PROC_CONTAINER, owner->container, &texts->container },
		{ PROC_RUNTIME, owner->runtime, &texts->runtime },
		{ PROC_CONTAINER_NAME, owner->container_name, &texts->container_name, names },
		{ PROC_POD, owner->pod, &texts->pod },
		{ PROC_POD_NAME, owner->pod_name, &texts->pod_name, names },
		{ PROC_NAMESPACE, owner->namespace, &texts->namespace, names },
		{ PROC_SLURM_JOB, owner->slurm_job, &texts->slurm_job, job },
		{ PROC_SLURM_STEP, owner->slurm_step, &texts->slurm_step },
		{ PROC_SLURM_NAME, owner->slurm_name, &texts->slurm_name, job },
		{ PROC_SLURM_USER, owner->slurm_user, &texts->slurm_user, job },
		{ PROC_UNIT, owner->unit, &texts->unit },
	};
	size_t size = 0;

	label_owner(owner, label, sizeof(label));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		size += parts[i].text[0] ? strlen(parts[i].text) + 1 : 0;
	free(texts->block);
	*texts = (struct owner_texts){ .block = size ? malloc(size) : NULL };
	at = texts->block;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		process->why[parts[i].field] = parts[i].why ? parts[i].why : NOT_APPLICABLE;
		if (!parts[i].text[0] || !texts->block)
			continue;
		process->why[parts[i].field] = KNOWN;
		*parts[i].copy = strcpy(at, parts[i].text);
		at += strlen(at) + 1;
	}
}

void process_hide_owner(struct process *process)
{
	static const enum process_field names[] = { PROC_PROGRAM, PROC_COMMAND, PROC_USER,
						    PROC_UID };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		process->why[names[i]] = DENIED;
	memset(process->why + PROC_OWNER, DENIED, PROC_UNIT - PROC_OWNER + 1);
}

bool process_is_interpreter(const char *name)
{
	static const char *const names[] = {
		"python", "pypy", "perl", "ruby", "node", "bash", "sh"
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t length = strlen(names[i]);

		if (strncmp(name, names[i], length) == 0 &&
		    strspn(name + length, "0123456789.") == strlen(name + length))
			return true;
	}
	return false;
}

/*
 * The base name of the first argument that is not an option: "python3 -u a/b.py" runs b.py. After
 * -m and -c the next argument, a module or code, is returned unchanged.
 */
static const char *find_script(const char *command, size_t *ret_length)
{
	const char *word = strchr(command, ' ');

	while (word) {
		const char *base = ++word, *end;

		end = word + strcspn(word, " ");
		if (word[0] != '-') {
			for (const char *p = word; p < end; p++)
				if (*p == '/')
					base = p + 1;
			*ret_length = (size_t)(end - base);
			return *ret_length ? base : NULL;
		}
		word = *end ? end : NULL;
	}
	return NULL;
}

const char *process_script(const char *program, const char *command, size_t *ret_length)
{
	return process_is_interpreter(program) ? find_script(command, ret_length) : NULL;
}

void process_label(const struct process *process, char *text, size_t size)
{
	const char *script = NULL;
	size_t length = 0;

	if (process_knows(process, PROC_PROGRAM)) {
		text_copy(text, size, process->program);
		return;
	}
	if (!process_knows(process, PROC_NAME)) {
		text_copy(text, size, process->pid > 0 ? "?" : "(outside this pid namespace)");
		return;
	}
	if (process_knows(process, PROC_COMMAND))
		script = process_script(process->name, process->command, &length);
	if (script)
		snprintf(text, size, "%s %.*s", process->name, (int)MIN(length, size), script);
	else
		text_copy(text, size, process->name);
}
