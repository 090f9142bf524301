#include "worker.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "basic/file.h"
#include "basic/parse.h"
#include "metal.h"
#include "programs.h"
#include "report.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <ttalloc.h>

#define TICK_MS	     200
#define POLL_MS	     1000
#define WAVE_HALF_MS INT64_C(15000)
#define MAPPED_BYTES (1u << 20)

struct worker {
	struct worker_job job;
	char shm[1100];
	char comm[16];
	int64_t started; /* CLOCK_MONOTONIC, ns */
	struct metal metal[MAX_DEVICES], behind[MAX_DEVICES];
	struct workload_report report;
	bool begun; /* reporting has started */
	struct sim_programs *programs;
	int64_t next_programs; /* when they are due, ns */
	bool settled;	       /* and that was said */
};

/*
 * One function for each way of reporting allocations. Called with the amounts at the start and
 * whenever they change, and with NULL at a graceful end.
 */
typedef int publish_function(struct worker *w, const uint64_t *bytes);

static int publish_none(struct worker *w, const uint64_t *bytes)
{
	(void)w;
	(void)bytes;
	return 0;
}

/* Updates one chip's file; bytes as in publish_function. */
static int publish_chip(struct worker *w, struct metal *metal, uint64_t id, unsigned logical,
			const uint64_t *bytes)
{
	uint64_t now = (uint64_t)clock_now(CLOCK_REALTIME);
	int r;

	if (!bytes) {
		metal_detach(metal, now);
		return 0;
	}
	if (!metal->file) {
		r = metal_attach(metal, w->shm, id, logical, getpid(), w->comm);
		if (r < 0)
			return r;
	}
	metal_set(metal, bytes, now);
	return 0;
}

static int publish_metal(struct worker *w, const uint64_t *bytes)
{
	const uint64_t behind[POOLS] = { [POOL_DRAM] = w->job.workload.behind };
	int r = 0;

	for (size_t i = 0; i < w->job.device_count && r >= 0; i++) {
		const struct worker_device *d = &w->job.devices[i];

		r = publish_chip(w, &w->metal[i], d->umd_id, d->logical, bytes);
		if (r >= 0 && d->has_behind && behind[POOL_DRAM])
			r = publish_chip(w, &w->behind[i], d->behind_id, d->behind_logical,
					 bytes ? behind : NULL);
	}
	return r;
}

static void reach(struct worker *w, const uint64_t *bytes, report_function *tell)
{
	static const uint64_t nothing[POOLS];

	for (unsigned i = 0; i < w->job.device_count; i++)
		report_reach(&w->report, i, w->job.devices[i].logical, bytes ? bytes : nothing,
			     tell);
}

/*
 * Simulated devices must not be reported to the host's server: only one named by the environment,
 * or the one below DIR, is used.
 */
static int publish_table(struct worker *w, const uint64_t *bytes)
{
	char path[1100];

	if (!w->begun) {
		snprintf(path, sizeof(path), "%s/run/tt-smi/allocd.sock", w->job.root);
		setenv("TT_ALLOCD_SOCKET", path, 0);
		for (unsigned i = 0; i < w->job.device_count; i++)
			ttalloc_bind_node(i, w->job.devices[i].number);
		w->begun = true;
	}
	reach(w, bytes, report_to_table);
	ttalloc_poll();
	return 0;
}

/*
 * Starts when a server is available, which is started after the tree exists. A lost connection is
 * not restored, as in the original client.
 */
static int publish_socket(struct worker *w, const uint64_t *bytes)
{
	if (!w->begun)
		w->begun = report_connect(&w->report, w->job.workload.legacy) >= 0;
	if (w->begun)
		reach(w, bytes, report_to_socket);
	return 0;
}

static publish_function *const publish[VIAS] = {
	[VIA_METAL] = publish_metal,   [VIA_NONE] = publish_none,   [VIA_TABLE] = publish_table,
	[VIA_SOCKET] = publish_socket, [VIA_TRACED] = publish_none, /* the tracer counts */
	[VIA_MONITOR] = publish_none,
};

void worker_amounts(const struct worker_job *job, int64_t ms, uint64_t ret[static POOLS])
{
	const struct workload *w = &job->workload;
	uint64_t leaked = w->leak * (uint64_t)ms / 1000;
	int64_t phase = ms % (2 * WAVE_HALF_MS);

	if (phase > WAVE_HALF_MS)
		phase = 2 * WAVE_HALF_MS - phase;
	memcpy(ret, w->bytes, sizeof(w->bytes));
	ret[POOL_DRAM] += (uint64_t)((double)w->wave * (double)phase / (double)WAVE_HALF_MS);
	if (job->leak_room)
		ret[POOL_DRAM] += leaked % job->leak_room;
	ret[POOL_DRAM] &= w->wave || w->leak ? ~UINT64_C(4095) : UINT64_MAX;
}

/*
 * Executing /proc/self/exe would start valgrind under valgrind; it is used only if the file was
 * replaced, since the job needs this build.
 */
const char *worker_path(char *path, size_t size)
{
	static const char link[] = "/proc/self/exe";

	if (file_readlink(AT_FDCWD, link, path, size) < 0 || strstr(path, " (deleted)"))
		return link;
	return path;
}

/* Opens the nodes and maps a window of each, as tt-umd does. */
static int open_devices(const struct worker_job *job)
{
	char path[1200];
	int fd = -1;

	for (size_t i = 0; i < job->device_count; i++) {
		snprintf(path, sizeof(path), "%s/dev/tenstorrent/%u", job->root,
			 job->devices[i].number);
		for (unsigned j = 0; j < job->workload.opens; j++) {
			fd = open(path, O_RDWR | O_CLOEXEC);
			if (fd < 0)
				return -errno;
		}
		/* Never accessed: the node of a simulated device is empty. */
		if (!workload_is_idle(&job->workload))
			(void)mmap(NULL, MAPPED_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	}
	return 0;
}

static int publish_util(const struct worker *w)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);
	int r;

	for (size_t i = 0; i < w->job.device_count && w->job.workload.util >= 0; i++) {
		const struct worker_device *d = &w->job.devices[i];
		struct util_source s = {
			.asic_id = d->asic_id,
			.arch = d->arch,
			.cores = d->cores,
			.pid = getpid(),
			.start_us = (uint64_t)w->started / 1000,
		};

		r = util_write(w->shm, &s, (unsigned)w->job.workload.util, (uint64_t)now / 1000);
		if (r < 0)
			return r;
	}
	return 0;
}

static int update(struct worker *w)
{
	int64_t ms = (clock_now(CLOCK_MONOTONIC) - w->started) / NS_PER_MS;
	uint64_t bytes[POOLS];
	int r;

	worker_amounts(&w->job, ms, bytes);
	r = publish[w->job.workload.via](w, bytes);
	if (r < 0)
		return r;
	return publish_util(w);
}

/* Time until the next change: for ever if the job never changes. */
static int64_t pause_ms(const struct worker *w)
{
	const struct workload *load = &w->job.workload;
	int64_t ms = (clock_now(CLOCK_MONOTONIC) - w->started) / NS_PER_MS;
	/* These still have to look for a server. */
	bool polls = load->via == VIA_TABLE || (load->via == VIA_SOCKET && !w->begun);
	int64_t idle = polls ? POLL_MS : INT32_MAX;
	int64_t wait = load->leak || load->wave || load->util >= 0 ? TICK_MS : idle;

	return load->lifetime_ms ? MIN(wait, MAX(load->lifetime_ms - ms, 0)) : wait;
}

static bool is_over(const struct worker *w)
{
	int64_t ms = (clock_now(CLOCK_MONOTONIC) - w->started) / NS_PER_MS;

	return w->job.workload.lifetime_ms && ms >= w->job.workload.lifetime_ms;
}

/* ---- programs ---- */

static void step_programs(struct worker *w, int socket)
{
	if (!w->programs || clock_now(CLOCK_MONOTONIC) < w->next_programs)
		return;
	w->next_programs = programs_step(w->programs);
	if (w->settled || !programs_are_settled(w->programs))
		return;
	w->settled = true;
	(void)send(socket, "", 1, MSG_NOSIGNAL);
}

/* False: the machine has ended. */
static bool receive_stopped(struct worker *w, int socket)
{
	uint64_t stopped;

	if (recv(socket, &stopped, sizeof(stopped), MSG_WAITALL) != (ssize_t)sizeof(stopped))
		return false;
	programs_stop_chips(w->programs, stopped);
	w->next_programs = 0;
	return true;
}

/* ---- the process ---- */

static int begin(struct worker *w, int socket)
{
	int r;

	w->started = clock_now(CLOCK_MONOTONIC);
	r = open_devices(&w->job);
	if (r == 0)
		r = update(w);
	if (r == 0 && programs_are_run(&w->job))
		r = programs_open(&w->programs, &w->job);
	if (r < 0)
		return r;
	return write(socket, "", 1) == 1 ? 0 : -EPIPE;
}

static int timeout_ms(const struct worker *w)
{
	int64_t ms = pause_ms(w), ns = clock_now(CLOCK_MONOTONIC);

	if (w->programs && w->next_programs != INT64_MAX)
		ms = MIN(ms, (MAX(w->next_programs - ns, 0) + NS_PER_MS - 1) / NS_PER_MS);
	return (int)ms;
}

static int run(struct worker *w, int signals, int socket)
{
	struct pollfd fds[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = w->programs ? socket : -1, .events = POLLIN },
	};
	int r = 0;

	do {
		step_programs(w, socket);
		if (poll(fds, ARRAY_SIZE(fds), timeout_ms(w)) < 0)
			continue;
		if (fds[0].revents || (fds[1].revents && !receive_stopped(w, socket)))
			break;
		r = update(w);
	} while (r == 0 && !is_over(w));
	return r;
}

static int run_job(struct worker *w, int socket)
{
	CLEANUP_CLOSE int signals = -1;
	sigset_t end;
	int r;

	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	signals = signalfd(-1, &end, SFD_CLOEXEC);
	if (signals < 0)
		return -errno;
	r = begin(w, socket);
	if (r < 0)
		return r;
	r = run(w, signals, socket);
	programs_close(w->programs);
	return r < 0 ? r : publish[w->job.workload.via](w, NULL);
}

int worker_start(char **argv)
{
	char path[PATH_MAX];

	unsetenv(WORKER_START_VARIABLE);
	execv(worker_path(path, sizeof(path)), argv + 1);
	return EXIT_NO_COMMAND;
}

int worker_main(const char *socket_number)
{
	static struct worker w; /* static: too big for the stack of a sanitized build */
	uint32_t fd;
	int r;

	unsetenv(WORKER_VARIABLE);
	if (parse_u32(socket_number, &fd) < 0 || fd > INT32_MAX)
		return 2;
	if (recv((int)fd, &w.job, sizeof(w.job), MSG_WAITALL) != (ssize_t)sizeof(w.job))
		return 2;
	snprintf(w.shm, sizeof(w.shm), "%s/dev/shm", w.job.root);
	workload_comm(&w.job.workload, w.comm);
	prctl(PR_SET_NAME, w.comm);
	fcntl((int)fd, F_SETFD, FD_CLOEXEC);
	r = run_job(&w, (int)fd);
	if (r < 0)
		fprintf(stderr, "tt_smi sim: workload %s: %s\n", w.comm, strerror(-r));
	return r < 0 ? 1 : 0;
}
