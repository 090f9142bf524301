#include "model/role.h"

#include <errno.h>
#include <string.h>

/* TASK_COMM_LEN without the NUL */
#define COMM_LENGTH 15

static const char *const built_in[] = {
	"tt_telemetry_collector",
	"tt-telemetry",
	"tt-smi",
	"tt-mgmtd",
	"tt-flash",
	"tt-topology",
	/* Our own programs open no device, but may inherit a descriptor. */
	"tt_smi",
	"tt_smi-tui",
	"tt_smi-trace",
	"tt_allocd",
	"allocation_server_poc",
	"allocation_monitor_client",
};

bool role_is_candidate(const struct role_evidence *evidence)
{
	if (evidence->uid_is_root && evidence->script_listed)
		return true;
	if (evidence->exe_read)
		return evidence->exe_listed && evidence->exe_protected;
	return evidence->uid_is_root && evidence->comm_listed;
}

bool role_is_settled(const struct role_evidence *evidence)
{
	bool listed = evidence->exe_listed || evidence->comm_listed || evidence->script_listed;

	return listed && evidence->exe_read &&
	       (!role_is_candidate(evidence) || evidence->code_read);
}

/*
 * A user who may not read the executable may not read the mapped code either. Then the name alone
 * decides, which is sufficient only for root's processes.
 */
static bool has_no_metal(const struct role_evidence *evidence)
{
	if (!evidence->code_read)
		return !evidence->exe_read && evidence->uid_is_root;
	return !evidence->code_is_metal && (evidence->uid_is_root || !evidence->code_unprotected);
}

/* Was a role reported for this process, rather than for an earlier one with its pid? */
static bool was_reported(const struct role_evidence *evidence)
{
	return evidence->reported != ROLE_NOT_REPORTED &&
	       (!evidence->reported_start || !evidence->start_ticks ||
		evidence->reported_start == evidence->start_ticks);
}

enum role role_judge(const struct role_evidence *evidence)
{
	if (evidence->reports)
		return ROLE_JOB;
	if (!evidence->exe_read && was_reported(evidence))
		return evidence->reported == ROLE_REPORTED_MONITOR ? ROLE_MONITOR : ROLE_JOB;
	return role_is_candidate(evidence) && has_no_metal(evidence) ? ROLE_MONITOR : ROLE_JOB;
}

const char *const role_names[ROLES] = {
	[ROLE_JOB] = "job",
	[ROLE_MONITOR] = "monitor",
};

/* ---- names of monitors ---- */

static int add_name(struct monitor_names *names, const char *name, size_t length)
{
	char(*grown)[MONITOR_NAME] =
		reallocarray(names->list, names->count + 1, sizeof(*names->list));

	if (!grown)
		return -ENOMEM;
	names->list = grown;
	memcpy(grown[names->count], name, length);
	grown[names->count++][length] = '\0';
	return 0;
}

int monitor_names_parse(struct monitor_names *names, const char *text, unsigned *ret_bad)
{
	unsigned bad = 0;
	int r = 0;

	for (unsigned number = 1; *text && r >= 0; number++) {
		const char *line = text + strspn(text, " \t\r");
		size_t length = strcspn(line, "\n");

		text = line + length;
		text += *text == '\n';
		while (length && strchr(" \t\r", line[length - 1]))
			length--;
		if (length == 0 || line[0] == '#')
			continue;
		if (length < MONITOR_NAME && strcspn(line, "/ \t") >= length)
			r = add_name(names, line, length);
		else if (!bad)
			bad = number;
	}
	*ret_bad = bad;
	return r;
}

void monitor_names_done(struct monitor_names *names)
{
	free(names->list);
	*names = (struct monitor_names){ 0 };
}

static bool find(const struct monitor_names *names, const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(built_in); i++)
		if (strncmp(built_in[i], name, length) == 0)
			return true;
	for (size_t i = 0; names && i < names->count; i++)
		if (strncmp(names->list[i], name, length) == 0)
			return true;
	return false;
}

bool monitor_names_have(const struct monitor_names *names, const char *name)
{
	return find(names, name, strlen(name) + 1);
}

bool monitor_names_have_comm(const struct monitor_names *names, const char *comm)
{
	size_t length = strlen(comm);

	return find(names, comm, length < COMM_LENGTH ? length + 1 : COMM_LENGTH);
}
