#include "dispatch.h"

#include "basic/clock.h"
#include "programs.h"

#include <stdio.h>
#include <string.h>

#define ROW "%-8s %-16s %-5s %-12s %-6s %-12s %-12s %-5s %-10s %-12s %-12s %-12s %-14s %s\n"

bool dispatch_is_on(const struct machine *m)
{
	for (size_t i = 0; i < m->opt.workload_count; i++)
		if (workload_is_measured(&m->opt.workloads[i]))
			return true;
	return false;
}

void dispatch_begin(struct dispatch_file *file, int64_t now_ns)
{
	*file = (struct dispatch_file){ .now_ns = now_ns };
	buf_printf(&file->text, ROW, "PID", "Comm", "CHIP", "START", "DEVICE", "BUSY", "WINDOW",
		   "BOUND", "PROGRAMS", "RUNNING", "LAST", "UPDATED", "STATE", "OPERATION");
	buf_printf(&file->text, ROW, "--------", "----------------", "-----", "------------",
		   "------", "------------", "------------", "-----", "----------", "------------",
		   "------------", "------------", "--------------", "---------");
}

/* Upper bounds are computed from launches, and need neither the profiler nor its records. */
static bool is_upper(const struct workload *w)
{
	return strcmp(w->bound, "upper") == 0;
}

static bool has_figure(const struct workload *w, const struct worker_device *device)
{
	return w->busy >= 0 && (programs_are_covered(device) || is_upper(w));
}

static const char *state_of(const struct workload *w, const struct worker_device *device)
{
	if (w->unmeasured[0])
		return w->unmeasured;
	if (!programs_are_covered(device))
		return "not-covered";
	return is_upper(w) ? "no-profiler" : "ok";
}

/* The number of programs in the window, if each takes 1 ms. */
static long long programs_of(const struct workload *w)
{
	return w->running_ms || is_upper(w) ? 0 : (long long)(w->busy * 10 + 0.5);
}

static void add_figure(struct buf *out, double share, const char *bound, long long programs)
{
	buf_printf(out, "%-12lld %-12lld %-5s %-10lld ", (long long)(share * NS_PER_S + 0.5),
		   (long long)NS_PER_S, bound, programs);
}

/* The columns behind the figure. */
static void add_rest(struct dispatch_file *file, int64_t running_ms, bool has_ended,
		     const char *state, const char *operation)
{
	if (running_ms)
		buf_printf(&file->text, "%-12lld ", (long long)(running_ms * NS_PER_MS));
	else
		buf_printf(&file->text, "%-12s ", "-");
	buf_printf(&file->text, "%-12s %-12lld %-14s %s\n", has_ended ? "1000000" : "-",
		   (long long)file->now_ns, state, operation);
}

static struct dispatch_device *find_device(struct dispatch_file *file, unsigned number)
{
	struct dispatch_device *device = file->devices;

	while (device < file->devices + file->device_count && device->number != number)
		device++;
	if (device == file->devices + file->device_count) {
		*device = (struct dispatch_device){ .number = number, .idle = 1 };
		file->device_count++;
	}
	return device;
}

/* Processes launch independently of each other, so their times overlap by chance. */
static void count_figure(struct dispatch_device *device, const struct workload *w)
{
	device->measured++;
	device->lower += strcmp(w->bound, "lower") == 0;
	device->upper += is_upper(w);
	device->programs += programs_of(w);
	device->idle *= 1 - w->busy / 100.0;
	device->sum += w->busy / 100.0;
}

void dispatch_add(struct dispatch_file *file, const struct traced_process *process)
{
	const struct workload *w = &process->job->workload;
	char comm[16];

	if (!workload_is_measured(w))
		return;
	traced_comm(w, comm);
	for (size_t i = 0; i < process->job->device_count; i++) {
		const struct worker_device *device = &process->job->devices[i];
		bool is_known = has_figure(w, device),
		     has_ended = is_known && w->busy > 0 && !is_upper(w);

		buf_printf(&file->text, "%-8d %-16s %-5u %-12llu %-6s ", process->pid, comm,
			   worker_chip(process->job, i), (unsigned long long)process->start_ticks,
			   "-");
		if (is_known) {
			count_figure(find_device(file, device->number), w);
			add_figure(&file->text, w->busy / 100.0, w->bound, programs_of(w));
		} else {
			buf_printf(&file->text, "%-12s %-12s %-5s %-10s ", "-", "-", "-", "-");
		}
		add_rest(file, is_known ? w->running_ms : 0, has_ended, state_of(w, device),
			 has_ended ? "ttnn::matmul" : "-");
	}
}

/*
 * The union of several processes, as the tracer would publish it. The sum of upper bounds and exact
 * figures is an upper bound. If there are upper and lower bounds, no line of the device is written.
 */
static void add_device(struct dispatch_file *file, const struct dispatch_device *device)
{
	if (device->measured < 2 || (device->lower && device->upper))
		return;
	buf_printf(&file->text, "%-8d %-16s %-5s %-12d %-6u ", 0, "-", "-", 0, device->number);
	add_figure(&file->text, device->upper ? MIN(device->sum, 1) : 1 - device->idle,
		   device->upper   ? "upper"
		   : device->lower ? "lower"
				   : "exact",
		   device->programs);
	add_rest(file, 0, device->upper < device->measured && device->sum > 0, "ok", "-");
}

void dispatch_end(struct dispatch_file *file, struct tree *root)
{
	for (size_t i = 0; i < file->device_count; i++)
		add_device(file, &file->devices[i]);
	tree_dir(root, 0755, "run/tt-smi/bpf");
	traced_put(root, "bpf/dispatch", &file->text);
	buf_done(&file->text);
}
