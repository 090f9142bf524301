#include "daemon/descriptors.h"

#include "basic/macros.h"
#include "daemon/log.h"
#include "daemon/observed_process.h"

#include <sys/resource.h>

/* Descriptors: three per client (socket, pidfd, table), and those of the server itself. */
enum { FDS_PER_CLIENT = 3, FDS_OWN = 512 + OBSERVED_WATCHED_MAX };

void descriptors_raise(struct limits *limits)
{
	uint32_t *clients = &limits->value[LIMIT_CLIENTS];
	rlim_t own = (rlim_t)limits->value[LIMIT_NEW] + FDS_OWN;
	rlim_t needed = (rlim_t)*clients * FDS_PER_CLIENT + own;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= needed)
		return;
	limit.rlim_cur = MIN(needed, limit.rlim_max);
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0 && getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	if (limit.rlim_cur >= needed)
		return;
	/* The documented limit must be the one that is enforced. */
	*clients = (uint32_t)MAX((limit.rlim_cur - MIN(limit.rlim_cur, own)) / FDS_PER_CLIENT, 1);
	if (limits->given[LIMIT_CLIENTS])
		log_line(LOG_NOTE,
			 "accepting at most %u clients, since RLIMIT_NOFILE permits no more "
			 "descriptors",
			 *clients);
}
