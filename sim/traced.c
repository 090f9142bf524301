#include "traced.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define ROW "%-8s %-16s %-10s %-10s %-10s %-10s %-10s %-10s %-5s %-12s %s\n"

bool traced_is_on(const struct machine *m)
{
	for (size_t i = 0; i < m->opt.workload_count; i++)
		if (m->opt.workloads[i].via == VIA_TRACED)
			return true;
	return false;
}

void traced_begin(struct traced_files *files)
{
	*files = (struct traced_files){ 0 };
	buf_printf(&files->allocations, ROW, "PID", "Comm", "DRAM", "L1", "L1_SMALL", "TRACE",
		   "BUFFERS", "SYSTEM", "CHIP", "START", "STATE");
	buf_printf(&files->allocations, ROW, "--------", "----------------", "----------",
		   "----------", "----------", "----------", "----------", "----------", "-----",
		   "------------", "-----");
	buf_printf(&files->holders, "%-8s %-16s %-8s %-8s %-12s %s\n", "PID", "Comm", "DEVICE",
		   "FD", "START", "ROLE");
	buf_puts(&files->holders,
		 "-------- ---------------- -------- -------- ------------ ----\n");
}

void traced_comm(const struct workload *w, char comm[static 16])
{
	workload_comm(w, comm);
	for (char *p = comm; *p; p++)
		if (*p <= ' ' || *p == 0x7f)
			*p = '_';
}

static void add_numbers(struct buf *out, const uint64_t *numbers)
{
	for (unsigned i = 0; i < 6; i++)
		buf_printf(out, "%-10llu ", (unsigned long long)numbers[i]);
}

static void add_memory(struct traced_files *files, const struct traced_process *process)
{
	const struct workload *w = &process->job->workload;
	uint64_t bytes[POOLS], numbers[6] = { 0 };
	char comm[16];

	traced_comm(w, comm);
	worker_amounts(process->job, process->age_ms, bytes);
	numbers[0] = bytes[POOL_DRAM];
	numbers[1] = bytes[POOL_L1];
	numbers[2] = bytes[POOL_L1_SMALL];
	numbers[3] = bytes[POOL_TRACE];
	for (unsigned i = 0; i < 4; i++)
		numbers[4] += numbers[i] > 0; /* one buffer per pool */
	for (size_t i = 0; i < process->job->device_count; i++) {
		char chip[16];

		snprintf(chip, sizeof(chip), "%u", worker_chip(process->job, i));
		buf_printf(&files->allocations, "%-8d %-16s ", process->pid, comm);
		add_numbers(&files->allocations, numbers);
		buf_printf(&files->allocations, "%-5s %-12llu %s\n", numbers[4] ? chip : "-",
			   (unsigned long long)process->start_ticks, w->state);
		for (unsigned k = 0; k < 6 && !strchr(w->state, ':'); k++)
			files->sums[k] += numbers[k];
		if (!numbers[4])
			break; /* a single line if it has nothing */
	}
}

void traced_add(struct traced_files *files, const struct traced_process *process)
{
	const struct worker_job *job = process->job;
	unsigned fd = 3;
	char comm[16];

	traced_comm(&job->workload, comm);
	for (size_t i = 0; i < job->device_count; i++)
		for (unsigned k = 0; k < job->workload.opens; k++)
			buf_printf(&files->holders, "%-8d %-16s %-8u %-8u %-12llu %s\n",
				   process->pid, comm, job->devices[i].number, fd++,
				   (unsigned long long)process->start_ticks,
				   job->workload.via == VIA_MONITOR ? "monitor" : "-");
	if (job->workload.via == VIA_TRACED)
		add_memory(files, process);
}

/* It is written to a temporary file and renamed. */
void traced_put(struct tree *root, const char *name, const struct buf *text)
{
	char path[64], beside[72];
	int fd;

	snprintf(path, sizeof(path), "run/tt-smi/%s", name);
	snprintf(beside, sizeof(beside), "%s.new", path);
	unlinkat(root->fd, beside, 0);
	fd = tree_file(root, 0444, buf_text(text), text->length, beside);
	if (fd < 0)
		return;
	close(fd);
	if (renameat(root->fd, beside, root->fd, path) < 0 && !root->error) {
		root->error = -errno;
		snprintf(root->where, sizeof(root->where), "%s", path);
	}
}

void traced_end(struct traced_files *files, struct tree *root)
{
	buf_printf(&files->allocations, "\n%-8s %-16s ", "TOTAL", "-");
	add_numbers(&files->allocations, files->sums);
	buf_printf(&files->allocations, "%-5s %-12s %s\n", "-", "-", "-");
	tree_dir(root, 0755, "run/tt-smi/bpf");
	traced_put(root, "bpf/allocations", &files->allocations);
	traced_put(root, "bpf/holders", &files->holders);
	buf_done(&files->allocations);
	buf_done(&files->holders);
}
