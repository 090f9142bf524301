#include "trace/role.h"

#include "source/role_watch.h"
#include "trace/scan.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The kernel lists a role for this start only, and forgets it when the process executes a program.
 */
static int tell(const struct role_subject *subject, enum role_told told, void *arg)
{
	const struct scan *scan = arg;
	const struct trace_role role = {
		.start = subject->start_ticks,
		.role = told == ROLE_TOLD_MONITOR ? TRACE_ROLE_MONITOR : TRACE_ROLE_JOB,
	};
	int map = scan->tracer->maps[MAP_ROLES], r;
	uint32_t tgid = (uint32_t)subject->pid;
	struct trace_role known;
	bool is_known = bpf_map_lookup_elem(map, &tgid, &known) == 0;

	if (told == ROLE_TOLD_NOTHING) {
		r = is_known ? bpf_map_delete_elem(map, &tgid) : 0;
		return r == -ENOENT ? 0 : r;
	}
	if (is_known && memcmp(&known, &role, sizeof(role)) == 0)
		return 0;
	r = bpf_map_update_elem(map, &tgid, &role, BPF_ANY);
	return r == -E2BIG ? 0 : r < 0 ? r : 1; /* without room it has no role */
}

int role_update(struct scan *scan)
{
	CLEANUP_FREE struct role_subject *subjects = calloc(scan->n_holders + 1, sizeof(*subjects));

	if (!subjects)
		return -ENOMEM;
	for (size_t i = 0; i < scan->n_holders; i++) {
		const struct holder *holder = &scan->holders[i];

		_Static_assert(sizeof(holder->comm) == sizeof(subjects->comm), "the same names");
		subjects[i].pid = holder->pid;
		subjects[i].start_ticks = holder->start;
		memcpy(subjects[i].comm, holder->comm, sizeof(subjects[i].comm));
	}
	return role_watch_run(scan->roles, scan->workers, scan->wait, subjects, scan->n_holders,
			      tell, scan);
}
