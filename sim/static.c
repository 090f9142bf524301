#include "static.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "cleaner.h"
#include "metal.h"
#include "place.h"
#include "procfs.h"
#include "setup.h"
#include "sysfs.h"
#include "traced_report.h"
#include "util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FIRST_PID    1001
#define DEFAULT_TIME 1767225600 /* 2026-01-01, without --time */
#define AGE_MS	     600000 /* of the first workload; each of the following is a minute younger */

static int publish_chip(const char *shm, uint64_t id, unsigned logical, pid_t pid, const char *comm,
			const uint64_t bytes[static POOLS], int64_t now)
{
	struct metal metal;
	int r;

	r = metal_attach(&metal, shm, id, logical, pid, comm);
	if (r < 0)
		return r;
	metal_set(&metal, bytes, (uint64_t)(now * NS_PER_S));
	metal_abandon(&metal);
	return 0;
}

static int publish_metal(const struct worker_job *job, const char *shm, pid_t pid, int64_t now,
			 int64_t after_ms)
{
	const uint64_t behind[POOLS] = { [POOL_DRAM] = job->workload.behind };
	uint64_t bytes[POOLS];
	char comm[16];
	int r = 0;

	workload_comm(&job->workload, comm);
	worker_amounts(job, job->workload.age_ms + after_ms, bytes);
	for (size_t i = 0; i < job->device_count && r >= 0; i++) {
		const struct worker_device *d = &job->devices[i];

		r = publish_chip(shm, d->umd_id, d->logical, pid, comm, bytes, now);
		if (r >= 0 && d->has_behind && behind[POOL_DRAM])
			r = publish_chip(shm, d->behind_id, d->behind_logical, pid, comm, behind,
					 now);
	}
	return r;
}

static int publish_util(const struct worker_job *job, const char *shm, pid_t pid, uint32_t after_s)
{
	uint64_t boot_us = (uint64_t)UPTIME_S * 1000000;
	int r;

	for (size_t i = 0; i < job->device_count && job->workload.util >= 0; i++) {
		struct util_source s = {
			.asic_id = job->devices[i].asic_id,
			.arch = job->devices[i].arch,
			.cores = job->devices[i].cores,
			.pid = pid,
			.start_us = boot_us - (uint64_t)job->workload.age_ms * 1000,
		};

		r = util_write(shm, &s, (unsigned)job->workload.util,
			       boot_us + after_s * 1000000ull);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_holder(struct sim_device *d, pid_t pid, const struct workload *w)
{
	struct sim_holder *grown =
		reallocarray(d->holders, d->holder_count + w->opens, sizeof(*d->holders));

	if (!grown)
		return -ENOMEM;
	d->holders = grown;
	for (unsigned i = 0; i < w->opens; i++, d->holder_count++) {
		d->holders[d->holder_count].pid = pid;
		workload_comm(w, d->holders[d->holder_count].comm);
	}
	return 0;
}

static void set_age(struct workload *w, size_t index)
{
	if (!w->age_ms)
		w->age_ms = MAX(AGE_MS - 60000 * (int64_t)index, 1000);
}

static int add_workload(struct machine *m, const struct place *p, size_t index, int64_t now)
{
	struct workload w = m->opt.workloads[index];
	pid_t pid = FIRST_PID + (pid_t)index;
	struct worker_job job;
	char shm[1100];
	int r = 0;

	set_age(&w, index);
	setup_job(m, &w, p->path, &job);
	procfs_add_process(&m->root, pid, &job, m->opt.after_s);
	snprintf(shm, sizeof(shm), "%s/dev/shm", p->path);
	if (w.via == VIA_METAL)
		r = publish_metal(&job, shm, pid, now, 1000 * (int64_t)m->opt.after_s);
	if (r == 0)
		r = publish_util(&job, shm, pid, m->opt.after_s);
	for (size_t i = 0; i < job.device_count && r == 0; i++)
		r = add_holder(machine_device(m, job.devices[i].number), pid, &w);
	return r;
}

/* Iterates over the workloads again: the files list all processes together. */
static void add_traced(struct machine *m, const struct place *p)
{
	struct traced_report report;

	if (!traced_report_begin(&report, m, (UPTIME_S + m->opt.after_s) * NS_PER_S))
		return;
	for (size_t i = 0; i < m->opt.workload_count; i++) {
		struct worker_job job;

		setup_job(m, &m->opt.workloads[i], p->path, &job);
		set_age(&job.workload, i);
		traced_report_add(&report, &(struct traced_process){
						   .pid = FIRST_PID + (pid_t)i,
						   .start_ticks = procfs_start_ticks(&job.workload),
						   .age_ms = job.workload.age_ms +
							     1000 * (int64_t)m->opt.after_s,
						   .job = &job,
					   });
	}
	traced_report_end(&report, &m->root);
}

static int write_tree(struct machine *m, const struct place *p)
{
	int64_t now = m->opt.has_time ? m->opt.time : DEFAULT_TIME + m->opt.after_s;
	char text[32];
	int r;

	r = setup_tree(m);
	if (r < 0)
		return r;
	procfs_add_machine(&m->root, now, UPTIME_S + m->opt.after_s);
	for (size_t i = 0; i < m->opt.workload_count && r == 0; i++)
		r = add_workload(m, p, i, now);
	for (size_t i = 0; i < m->device_count; i++)
		sysfs_update_holders(m, &m->devices[i]);
	add_traced(m, p);
	if (m->opt.has_time) {
		snprintf(text, sizeof(text), "%lld\n", (long long)now);
		tree_text(&m->root, 0444, text, "captured_at");
	}
	if (r < 0)
		fprintf(stderr, "tt_smi sim: %s: %s\n", p->path, strerror(-r));
	return r < 0 ? r : place_mark(m);
}

int static_main(struct machine *m)
{
	struct place place;
	int r;

	umask(0);
	r = place_open(&place, m->opt.directory, &m->root);
	if (r < 0)
		return EXIT_FAILED;
	r = write_tree(m, &place);
	if (r < 0)
		cleaner_remove(place.path, place.made);
	place_close(&place, &m->root);
	return r < 0 ? EXIT_FAILED : EXIT_FINE;
}
