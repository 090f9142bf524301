#include "live.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "basic/optional_part.h"
#include "cleaner.h"
#include "command.h"
#include "environment.h"
#include "faultfs.h"
#include "jobs.h"
#include "options.h"
#include "pci.h"
#include "physics.h"
#include "place.h"
#include "setup.h"
#include "sysfs.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

struct live {
	struct machine *machine;
	struct place place;
	struct jobs jobs;
	struct inherited inherited;
	sigset_t signals;
	int signal_fd;
	int timer_fd;
	int64_t started;	   /* CLOCK_MONOTONIC, ns */
	int64_t advanced;	   /* time up to which physics was computed */
	struct faultfs *mounts[2]; /* over sys and proc/driver */
	pid_t command;
	bool over;
	int status;
};

static void kill_held(struct live *l, struct sim_device *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(l->mounts); i++)
		if (l->mounts[i])
			faultfs_kill(l->mounts[i], d);
}

/* Removes the device from the bus or from the driver, or adds it again, as the faults require. */
static void follow_place(struct live *l, struct sim_device *d)
{
	struct machine *m = l->machine;
	enum place_on_bus place = machine_place(m, d);

	if (d->present && place != PLACE_SERVED) {
		if (place == PLACE_GONE)
			sysfs_remove_device(m, d);
		else
			sysfs_unbind_device(m, d);
		kill_held(l, d);
	}
	if (place == PLACE_GONE && d->on_bus) {
		sysfs_remove_device(m, d);
	} else if (place == PLACE_SERVED && !d->present) {
		d->slot.hwmon = m->next_hwmon++;
		physics_reset(d);
		sysfs_add_device(m, d);
	} else if (place == PLACE_UNBOUND || place == PLACE_VFIO) {
		sysfs_add_unserved(m, d, place == PLACE_VFIO ? "vfio-pci" : NULL);
	}
	pci_write_list(m, &m->root);
}

static void follow_faults(struct live *l, struct sim_device *d)
{
	struct machine *m = l->machine;
	bool silent = machine_fault(m, d, FAULT_NO_TELEMETRY, NULL);
	bool was_reset = d->in_reset, was_off = d->off_bus;

	machine_judge(m, d);
	if (was_reset && !d->in_reset)
		physics_reset(d);
	if (was_reset != d->in_reset || was_off != d->off_bus)
		pci_update_config(&m->sys, d);
	if (machine_place(m, d) != d->place) {
		d->place = machine_place(m, d);
		follow_place(l, d);
	}
	if (d->present && d->has_telemetry && silent)
		sysfs_remove_telemetry(m, d);
	else if (d->present && !d->has_telemetry && !silent)
		sysfs_add_telemetry(m, d);
}

static void advance(struct live *l)
{
	struct machine *m = l->machine;
	int64_t now = clock_now(CLOCK_MONOTONIC);
	double seconds = (double)(now - l->advanced) / NS_PER_S;

	l->advanced = now;
	m->now_ms = (now - l->started) / NS_PER_MS;
	for (size_t i = 0; i < m->device_count; i++) {
		struct sim_device *d = &m->devices[i];

		follow_faults(l, d);
		physics_step(m, d, seconds);
		sysfs_update(m, d);
	}
	jobs_tick(&l->jobs);
}

/* Moves the clock to the time at which the next fault begins or ends. */
static void skip_to_next_fault(struct live *l)
{
	struct machine *m = l->machine;
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < m->opt.fault_count; i++) {
		const struct fault *f = &m->opt.faults[i];

		if (f->from_ms > m->now_ms)
			next = MIN(next, f->from_ms);
		if (f->to_ms > m->now_ms)
			next = MIN(next, f->to_ms);
	}
	if (next != INT64_MAX)
		l->started -= (next - m->now_ms) * NS_PER_MS;
	advance(l);
}

static void reap(struct live *l)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == l->command) {
			l->status = command_exit_status(status);
			l->over = true;
		} else {
			jobs_reap(&l->jobs, pid);
		}
	}
}

static void handle_signal(struct live *l)
{
	struct signalfd_siginfo info;

	if (read(l->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD)
		reap(l);
	else if (l->command)
		command_forward(l->command, &info);
	else if (info.ssi_signo == SIGUSR1)
		skip_to_next_fault(l);
	else if (info.ssi_signo != SIGUSR2)
		l->over = true;
}

/* Timeout until the next delayed read is due; -1: none. */
static int poll_timeout(const struct live *l)
{
	int timeout = -1;

	for (size_t i = 0; i < ARRAY_SIZE(l->mounts) && l->mounts[i]; i++) {
		int t = faultfs_timeout(l->mounts[i]);

		if (t >= 0 && (timeout < 0 || t < timeout))
			timeout = t;
	}
	return timeout;
}

static void loop(struct live *l)
{
	struct pollfd fds[] = {
		{ .fd = l->signal_fd, .events = POLLIN },
		{ .fd = l->timer_fd, .events = POLLIN },
		{ .fd = l->mounts[0] ? faultfs_fd(l->mounts[0]) : -1, .events = POLLIN },
		{ .fd = l->mounts[1] ? faultfs_fd(l->mounts[1]) : -1, .events = POLLIN },
	};
	uint64_t ticks;

	while (!l->over) {
		if (poll(fds, ARRAY_SIZE(fds), poll_timeout(l)) < 0)
			continue;
		if (fds[0].revents)
			handle_signal(l);
		if (fds[1].revents && read(l->timer_fd, &ticks, sizeof(ticks)) > 0)
			advance(l);
		for (size_t i = 0; i < ARRAY_SIZE(l->mounts) && l->mounts[i]; i++) {
			if (fds[2 + i].revents)
				faultfs_serve(l->mounts[i]);
			faultfs_expire(l->mounts[i]);
		}
	}
}

static int start_clock(struct live *l)
{
	struct itimerspec every = {
		.it_interval = clock_timespec(l->machine->opt.interval_ms * NS_PER_MS),
		.it_value = clock_timespec(l->machine->opt.interval_ms * NS_PER_MS),
	};

	l->started = l->advanced = clock_now(CLOCK_MONOTONIC);
	l->signal_fd = signalfd(-1, &l->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->signal_fd < 0 || l->timer_fd < 0 ||
	    timerfd_settime(l->timer_fd, 0, &every, NULL) < 0)
		return -errno;
	return 0;
}

/* Files of the host, since the workloads are its processes. */
static void add_host_links(struct machine *m)
{
	tree_link(&m->root, "/proc/stat", "proc/stat");
	tree_link(&m->root, "/proc/uptime", "proc/uptime");
	tree_link(&m->root, "/etc/passwd", "etc/passwd");
}

static int fail_without_fuse(int r)
{
	CLEANUP_BUF struct buf reason = { 0 }, others = { 0 };

	if (r == -EOPNOTSUPP)
		optional_part_put_missing(&reason, PART_FUSE);
	else
		buf_puts(&reason, "FUSE is not available here");
	fault_put_plain_kinds(&others);
	fprintf(stderr, "tt_smi sim: --fault: %s; these faults work without it: %s\n",
		buf_text(&reason), buf_text(&others));
	return EXIT_UNAVAILABLE;
}

static int mount_faults(struct live *l)
{
	struct machine *m = l->machine;
	char path[1100];
	int r;

	snprintf(path, sizeof(path), "%s/sys", l->place.path);
	r = faultfs_mount(&l->mounts[0], m, FAULTFS_SYS, path, &m->sys);
	if (r == 0) {
		snprintf(path, sizeof(path), "%s/proc/driver", l->place.path);
		r = faultfs_mount(&l->mounts[1], m, FAULTFS_PROC, path, &m->proc);
	}
	if (r < 0)
		l->status = fail_without_fuse(r);
	return r;
}

/* The cards start warm, as if they had been running for a while. */
static void settle(struct machine *m)
{
	for (size_t i = 0; i < m->device_count; i++) {
		physics_init(m, &m->devices[i]);
		sysfs_update(m, &m->devices[i]);
	}
}

/* A server that the command starts has its sockets in the tree. */
static int prepare_command(struct live *l)
{
	struct machine *m = l->machine;

	if (!m->opt.command)
		return 0;
	tree_dir(&m->root, 0755, "run");
	return environment_own_server(l->place.path);
}

static int start_command(struct live *l)
{
	struct machine *m = l->machine;

	if (!m->opt.command)
		return 0;
	environment_announce(m->opt.command, m->opt.boards);
	return command_start(m->opt.command, l->place.path, &l->inherited, &l->command);
}

/* Creates files and processes, and last the marker file: it exists once the tree is complete. */
static int populate(struct live *l)
{
	struct machine *m = l->machine;
	int r;

	r = setup_tree(m);
	if (r < 0)
		return r;
	add_host_links(m);
	r = m->has_fuse ? mount_faults(l) : 0;
	if (r == 0)
		r = start_clock(l);
	if (r == 0)
		r = prepare_command(l);
	if (r == 0)
		r = jobs_start(&l->jobs);
	if (r < 0)
		return r;
	settle(m);
	r = place_mark(m);
	return r == 0 ? start_command(l) : r;
}

int live_main(struct machine *m)
{
	struct live l = { .machine = m, .signal_fd = -1, .timer_fd = -1 };
	struct cleaner cleaner;
	int r;

	command_prepare(&l.inherited, &l.signals);
	r = place_open(&l.place, m->opt.directory, &m->root);
	if (r < 0)
		return EXIT_FAILED;
	r = cleaner_start(&cleaner, l.place.path, l.place.made);
	if (r < 0) {
		cleaner_remove(l.place.path, l.place.made);
		return EXIT_FAILED;
	}
	l.jobs = (struct jobs){ .machine = m, .root = l.place.path };
	r = populate(&l);
	if (r == 0)
		loop(&l);
	jobs_stop(&l.jobs);
	for (size_t i = 0; i < ARRAY_SIZE(l.mounts); i++)
		l.mounts[i] = faultfs_unmount(l.mounts[i]);
	cleanup_close(&l.signal_fd);
	cleanup_close(&l.timer_fd);
	if (!cleaner_finish(&cleaner))
		fprintf(stderr, "tt_smi sim: %s: cannot remove all files\n", l.place.path);
	place_close(&l.place, &m->root);
	return r < 0 && !l.status ? EXIT_FAILED : l.status;
}
