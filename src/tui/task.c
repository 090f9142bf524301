#include "tui/task.h"

#include "render/lower_bound.h"
#include "render/format.h"
#include "render/render.h"
#include "tui/paint.h"

#include <string.h>

/* clang-format off */
const struct task_info task_infos[TASK_N] = {
	[TASK_PID] = { "pid", "PID", 8, true, 0, KIND_NUMBER, "process id" },
	[TASK_USER] = { "user", "USER", 9, false, 3, KIND_TEXT, "who runs it" },
	[TASK_DEVICES] = { "dev", "DEV", 7, false, 1, KIND_TEXT, "devices it has open" },
	[TASK_DRAM] = { "dram", "DRAM", 9, true, 0, KIND_BYTES, "device memory on all of them" },
	[TASK_PEAK] = { "peak", "PEAK", 9, true, 6, KIND_BYTES, "most device memory it ever had" },
	[TASK_L1] = { "l1", "L1", 9, true, 2, KIND_BYTES, "L1 on all of them" },
	[TASK_CPU] = { "cpu", "CPU%", 6, true, 4, KIND_NUMBER, "share of one host core, in percent" },
	[TASK_HOST] = { "host", "HOST", 9, true, 5, KIND_BYTES, "host memory" },
	[TASK_TIME] = { "time", "TIME", 10, true, 4, KIND_SECONDS, "how long it has been running" },
	[TASK_STATE] = { "state", "STATE", 9, false, 8, KIND_TEXT, "what the kernel says it does" },
	[TASK_OWNER] = { "owner", "OWNER", 20, false, 7, KIND_TEXT, "container, pod, job or unit" },
	[TASK_STATUS] = { "status", "STATUS", 26, false, 6, KIND_TEXT, "how its memory is known" },
	[TASK_COMMAND] = { "command", "COMMAND", 16, false, 0, KIND_TEXT, "its command line" },
};
/* clang-format on */

int task_column_find(const char *name, size_t length)
{
	for (int i = 0; i < TASK_N; i++)
		if (strlen(task_infos[i].key) == length &&
		    strncasecmp(task_infos[i].key, name, length) == 0)
			return i;
	return -1;
}

static bool total_number(const struct process *process, enum usage_field field, double *ret)
{
	uint64_t sum;
	bool known = process_total(process, field, &sum);

	*ret = (double)sum;
	return known;
}

bool task_number(const struct process *process, enum task_column column, double *ret)
{
	switch (column) {
	case TASK_PID: *ret = process->pid; return true;
	case TASK_DRAM: return total_number(process, USE_DRAM, ret);
	case TASK_PEAK: return total_number(process, USE_PEAK_DRAM, ret);
	case TASK_L1: return total_number(process, USE_L1, ret);
	case TASK_CPU: *ret = process->cpu * 100; return process_knows(process, PROC_CPU);
	case TASK_HOST:
		*ret = (double)process->host_memory;
		return process_knows(process, PROC_HOST_MEMORY);
	case TASK_TIME: *ret = process->elapsed; return process_knows(process, PROC_ELAPSED);
	case TASK_DEVICES: /* the first of them orders the list */
		*ret = process->n_usages ? (double)process->usages[0].device : 0;
		return process->n_usages > 0;
	case TASK_USER:
	case TASK_STATE:
	case TASK_OWNER:
	case TASK_STATUS:
	case TASK_COMMAND:
	case TASK_N: break;
	}
	return false;
}

static void put_number(struct buf *out, enum task_column column, double number)
{
	switch (task_infos[column].kind) {
	case KIND_BYTES: format_bytes(out, (uint64_t)number); break;
	case KIND_SECONDS: format_duration(out, number); break;
	case KIND_NUMBER: buf_printf(out, column == TASK_PID ? "%.0f" : "%.1f", number); break;
	case KIND_TEXT: break;
	}
}

static void put_field(struct buf *out, const struct process *process, enum process_field field)
{
	struct value value;

	field_get(&process_fields, field, process, &value);
	if (value.why == KNOWN)
		buf_puts(out, value.text);
	else
		buf_puts(out, value.why == NOT_APPLICABLE ? "-" : "N/A");
}

static void put_command(struct buf *out, const struct process *process)
{
	char label[64];

	if (process_knows(process, PROC_COMMAND)) {
		buf_puts(out, process->command);
		return;
	}
	process_label(process, label, sizeof(label));
	buf_puts(out, label);
}

static bool is_device_memory(enum task_column column)
{
	return column == TASK_DRAM || column == TASK_PEAK || column == TASK_L1;
}

/* A figure that is not all there is says so. */
static const char *bound_of(const struct process *process, enum task_column column)
{
	if (column == TASK_DRAM)
		return lower_bound_of_process(process, USE_DRAM, paint_is_utf8());
	if (column == TASK_PEAK)
		return lower_bound_of_process(process, USE_PEAK_DRAM, paint_is_utf8());
	return column == TASK_L1 ? lower_bound_of_process(process, USE_L1, paint_is_utf8()) : "";
}

void task_text(struct buf *out, const struct snapshot *snapshot, const struct process *process,
	       enum task_column column)
{
	double number;

	switch (column) {
	case TASK_DEVICES: devices_text(out, snapshot, process); return;
	case TASK_USER: put_field(out, process, PROC_USER); return;
	case TASK_STATE: put_field(out, process, PROC_STATE); return;
	case TASK_OWNER: put_field(out, process, PROC_OWNER); return;
	case TASK_STATUS: status_text(out, process); return;
	case TASK_COMMAND: put_command(out, process); return;
	case TASK_PID:
	case TASK_DRAM:
	case TASK_PEAK:
	case TASK_L1:
	case TASK_CPU:
	case TASK_HOST:
	case TASK_TIME:
	case TASK_N: break;
	}
	if (column == TASK_PID && process->pid == 0) {
		buf_puts(out, "?");
	} else if (process->role == ROLE_MONITOR && is_device_memory(column)) {
		/* It has none; the column that is always there says why. */
		buf_puts(out, column == TASK_DRAM ? role_names[ROLE_MONITOR] : "-");
	} else if (task_number(process, column, &number)) {
		buf_puts(out, bound_of(process, column));
		put_number(out, column, number);
	} else {
		buf_puts(out, "N/A");
	}
}

/* Is it known? Texts that are no field of the process always say something. */
static bool has_text(const struct process *process, enum task_column column)
{
	if (column == TASK_USER)
		return process_knows(process, PROC_USER);
	if (column == TASK_STATE)
		return process_knows(process, PROC_STATE);
	return column != TASK_OWNER || process_knows(process, PROC_OWNER);
}

static int compare_texts(const struct snapshot *snapshot, const struct process *a,
			 const struct process *b, enum task_column column)
{
	CLEANUP_BUF struct buf left = { 0 }, right = { 0 };

	task_text(&left, snapshot, a, column);
	task_text(&right, snapshot, b, column);
	return strcmp(buf_text(&left), buf_text(&right));
}

int task_compare(const struct snapshot *snapshot, const struct process *a, const struct process *b,
		 enum task_column column, bool down)
{
	bool texts = task_infos[column].kind == KIND_TEXT && column != TASK_DEVICES;
	double left = 0, right = 0;
	bool has_left = texts ? has_text(a, column) : task_number(a, column, &left);
	bool has_right = texts ? has_text(b, column) : task_number(b, column, &right);
	int order;

	if (!has_left || !has_right)
		return has_right - has_left;
	order = texts ? compare_texts(snapshot, a, b, column) : (left > right) - (left < right);
	return down ? -order : order;
}
