#include "trace/role.h"

#include "source/role_watch.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Writes a role into the map. The BPF programs show it for a process with this start only, and
 * remove it when the process calls execve().
 */
static int put_role(const struct role_subject *subject, enum role_report reported, void *arg)
{
	const struct tracer *tracer = arg;
	const struct trace_role role = {
		.start = subject->start_ticks,
		.role = reported == ROLE_REPORTED_MONITOR ? TRACE_ROLE_MONITOR : TRACE_ROLE_JOB,
	};
	int map = tracer->maps[MAP_ROLES], r;
	uint32_t tgid = (uint32_t)subject->pid;
	struct trace_role known;
	bool is_known = bpf_map_lookup_elem(map, &tgid, &known) == 0;

	if (reported == ROLE_NOT_REPORTED) {
		r = is_known ? bpf_map_delete_elem(map, &tgid) : 0;
		return r == -ENOENT ? 0 : r;
	}
	if (is_known && memcmp(&known, &role, sizeof(role)) == 0)
		return 0;
	r = bpf_map_update_elem(map, &tgid, &role, BPF_ANY);
	return r == -E2BIG ? 0 : r < 0 ? r : 1; /* the map is full: it has no role */
}

int role_update(struct scan_state *scan, struct role_watch *roles,
		const struct device_holder *holders, size_t count)
{
	CLEANUP_FREE struct role_subject *subjects = calloc(count + 1, sizeof(*subjects));

	if (!subjects)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct device_holder *holder = &holders[i];

		_Static_assert(sizeof(holder->comm) == sizeof(subjects->comm), "the same names");
		subjects[i].pid = holder->pid;
		subjects[i].start_ticks = holder->start;
		memcpy(subjects[i].comm, holder->comm, sizeof(subjects[i].comm));
	}
	return role_watch_run(roles, scan->round.workers, scan->round.deadline, subjects, count,
			      put_role, scan->tracer);
}
