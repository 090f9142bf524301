#include "render/tips.h"

#define DOCTOR "   Run tt_smi doctor to see why memory is unknown and how to fix it\n"

/* A monitor has no memory that could be tracked. */
static bool is_tracked(const struct process *process)
{
	if (process->role == ROLE_MONITOR)
		return true;
	for (size_t i = 0; i < process->n_usages; i++)
		if (process->usages[i].why[USE_DRAM] == KNOWN)
			return true;
	return false;
}

/* In the words of the first tool: people look for them. */
void tips_put(struct buf *out, const struct render_options *options,
	      const struct snapshot *snapshot)
{
	const char *mark = options->utf8 ? "💡 " : "";
	size_t untracked = 0;

	for (size_t i = 0; i < snapshot->n_processes; i++)
		untracked += !is_tracked(&snapshot->processes[i]);
	if (!untracked)
		return;
	if (snapshot->server_mute)
		buf_printf(out, "\n%sTIP: The allocation server does not answer\n" DOCTOR, mark);
	else if (snapshot->server_pid)
		buf_printf(out,
			   "\n%sTIP: Processes must be instrumented to report memory to the "
			   "server\n" DOCTOR,
			   mark);
	else
		buf_printf(out,
			   "\n%sTIP: For memory tracking, start the allocation server:\n"
			   "   ./allocation_server_poc\n" DOCTOR,
			   mark);
}
