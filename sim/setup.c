#include "setup.h"

#include "kmsg.h"
#include "pci.h"
#include "physics.h"
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int make_devices(struct machine *m)
{
	struct slot slots[MAX_DEVICES];
	char error[128];
	int count;

	count = board_list_parse(m->opt.boards, &m->opt.driver, m->opt.seed, slots, error);
	if (count < 0) {
		fprintf(stderr, "tt_smi sim: --boards: %s\n", error);
		return -EINVAL;
	}
	for (int i = 0; i < count; i++) {
		struct sim_device *d = &m->devices[m->device_count++];

		if (slots[i].board->arch == BLACKHOLE && !version_at_least(&m->opt.driver, 1, 31)) {
			fprintf(stderr, "tt_smi sim: driver %s does not support %s\n",
				m->opt.driver.text, slots[i].board->name);
			return -EINVAL;
		}
		d->slot = slots[i];
		sysfs_name(d);
	}
	m->next_hwmon = (unsigned)count;
	if (!m->opt.workload_count && !m->opt.no_workloads && !m->opt.write_once)
		m->opt.workload_count = workload_defaults(slots, (size_t)count, m->opt.workloads);
	if (m->opt.no_workloads)
		m->opt.workload_count = 0;
	return 0;
}

/* Keys that such a machine cannot follow. */
static int check_keys(const struct machine *m, const struct workload *w)
{
	const char *only = m->opt.write_once ? w->only_running : w->only_static;

	if (!only[0])
		return 0;
	fprintf(stderr, "tt_smi sim: --workload: %s %s --static\n", only,
		m->opt.write_once ? "cannot be combined with" : "needs");
	return -EINVAL;
}

static int check_workloads(struct machine *m)
{
	for (size_t i = 0; i < m->opt.workload_count; i++) {
		const struct workload *w = &m->opt.workloads[i];

		if (check_keys(m, w) < 0)
			return -EINVAL;
		for (size_t j = 0; j < w->device_count; j++) {
			if (machine_device(m, w->devices[j]))
				continue;
			fprintf(stderr, "tt_smi sim: --workload: there is no device %u\n",
				w->devices[j]);
			return -EINVAL;
		}
	}
	return 0;
}

/* Does its target exist, and can the fault be simulated? */
static int check_fault(struct machine *m, const struct fault *f)
{
	if (f->kind == FAULT_KILL) {
		if (f->number < m->opt.workload_count && !m->opt.write_once)
			return 0;
		fprintf(stderr, "tt_smi sim: --fault: there is no workload %u\n", f->number);
		return -EINVAL;
	}
	if (!machine_device(m, f->number)) {
		fprintf(stderr, "tt_smi sim: --fault: there is no device %u\n", f->number);
		return -EINVAL;
	}
	if (f->kind == FAULT_LOG && !kmsg_has(f->text)) {
		fprintf(stderr, "tt_smi sim: --fault: no record \"%s\" of the kernel log\n",
			f->text);
		return -EINVAL;
	}
	if (!fault_needs_fuse(f))
		return 0;
	if (m->opt.write_once) {
		fprintf(stderr,
			"tt_smi sim: --fault: this fault cannot be combined with --static\n");
		return -EINVAL;
	}
	m->has_fuse = true;
	return 0;
}

int setup_machine(struct machine *m)
{
	int r;

	r = make_devices(m);
	if (r < 0)
		return r;
	r = check_workloads(m);
	for (size_t i = 0; i < m->opt.fault_count && r == 0; i++)
		r = check_fault(m, &m->opt.faults[i]);
	return r;
}

static int open_tree(struct tree *t, int root, const char *path)
{
	t->fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return t->fd < 0 ? -errno : 0;
}

static int report(const struct tree *t, const char *prefix)
{
	if (t->error)
		fprintf(stderr, "tt_smi sim: %s%s: %s\n", prefix, t->where, strerror(-t->error));
	return t->error;
}

/* If FUSE is used, the files themselves are in directories beside the mount point. */
static int make_directories(struct machine *m)
{
	int r;

	tree_dir(&m->root, 0755, "sys");
	tree_dir(&m->root, 0755, "proc/driver");
	if (m->has_fuse) {
		tree_dir(&m->root, 0755, ".sys");
		tree_dir(&m->root, 0755, ".driver");
	}
	if (m->root.error)
		return report(&m->root, "");
	r = open_tree(&m->sys, m->root.fd, m->has_fuse ? ".sys" : "sys");
	if (r == 0)
		r = open_tree(&m->proc, m->root.fd, m->has_fuse ? ".driver" : "proc/driver");
	if (r < 0)
		fprintf(stderr, "tt_smi sim: %s\n", strerror(-r));
	return r;
}

/* Advances a --static machine to its age. */
static void advance_to_age(struct machine *m, struct sim_device *d)
{
	int64_t end = 1000 * (int64_t)m->opt.after_s, step = m->opt.interval_ms;

	for (m->now_ms = 0; m->now_ms < end; m->now_ms += step)
		physics_step(m, d, (double)step / 1000);
}

int setup_tree(struct machine *m)
{
	int r;

	r = make_directories(m);
	if (r < 0)
		return r;
	sysfs_add_machine(m);
	for (size_t i = 0; i < m->device_count; i++) {
		struct sim_device *d = &m->devices[i];

		physics_init(m, d);
		advance_to_age(m, d);
		machine_judge(m, d);
		d->place = machine_place(m, d);
		if (d->place == PLACE_SERVED)
			sysfs_add_device(m, d);
		else if (d->place != PLACE_GONE)
			sysfs_add_unserved(m, d, d->place == PLACE_VFIO ? "vfio-pci" : NULL);
	}
	pci_write_list(m, &m->root);
	kmsg_write(m);
	r = report(&m->root, "");
	if (r == 0)
		r = report(&m->sys, "sys/");
	if (r == 0)
		r = report(&m->proc, "proc/driver/");
	return r;
}

/* Leaks on a device share the memory that its workloads leave. */
static uint64_t leak_room(const struct machine *m, const struct sim_device *d)
{
	uint64_t capacity = board_dram(d->slot.board), used = 0, leaks = 0;

	for (size_t i = 0; i < m->opt.workload_count; i++) {
		const struct workload *w = &m->opt.workloads[i];

		if (!workload_uses(w, d->slot.number))
			continue;
		used += workload_dram(w);
		leaks += w->leak > 0;
	}
	if (!leaks || used >= capacity)
		return 0;
	return (capacity - used) / leaks;
}

/* TT-Metal numbers chips without PCIe after all others, in the order of their gateways. */
static unsigned behind_logical(const struct machine *m, const struct sim_device *gateway)
{
	unsigned number = (unsigned)m->device_count;

	for (size_t i = 0; i < m->device_count; i++)
		number += m->devices[i].slot.board->hidden &&
			  m->devices[i].slot.logical < gateway->slot.logical;
	return number;
}

void setup_job(struct machine *m, const struct workload *w, const char *root,
	       struct worker_job *ret)
{
	uint64_t room;

	memset(ret, 0, sizeof(*ret)); /* sent through a socket: padding is zero, too */
	snprintf(ret->root, sizeof(ret->root), "%s", root);
	ret->workload = *w;
	ret->leak_room = UINT64_MAX;
	for (size_t i = 0; i < m->device_count; i++) {
		const struct sim_device *d = &m->devices[i];

		if (!workload_uses(w, d->slot.number))
			continue;
		ret->devices[ret->device_count++] = (struct worker_device){
			.number = d->slot.number,
			.position = (unsigned)i,
			.logical = d->slot.logical,
			.asic_id = d->slot.asic_id,
			.umd_id = slot_umd_id(&d->slot, false),
			.has_behind = d->slot.board->hidden,
			.behind_id = slot_umd_id(&d->slot, true),
			.behind_logical = behind_logical(m, d),
			.arch = d->slot.board->arch,
			.cores = d->slot.board->tensix,
		};
		room = leak_room(m, d);
		ret->leak_room = MIN(ret->leak_room, room);
	}
}

void setup_done(struct machine *m)
{
	for (size_t i = 0; i < m->device_count; i++) {
		sysfs_close(&m->devices[i]);
		free(m->devices[i].files);
		free(m->devices[i].holders);
	}
	if (m->refcnt_fd > 0)
		close(m->refcnt_fd);
	if (m->sys.fd > 0)
		close(m->sys.fd);
	if (m->proc.fd > 0)
		close(m->proc.fd);
}
