#include "sysfs.h"

#include "attr.h"
#include "pci.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CLASS_DIR "%s/tenstorrent/tenstorrent!%u"

void sysfs_name(struct sim_device *d)
{
	const struct slot *s = &d->slot;

	snprintf(d->bdf, sizeof(d->bdf), "0000:%02x:00.0", s->bus & 0xff);
	snprintf(d->directory, sizeof(d->directory),
		 "devices/pci0000:%02x/0000:%02x:%02x.%x/0000:%02x:00.0", s->root_bus & 0xff,
		 s->root_bus & 0xff, s->port >> 3 & 0x1f, s->port & 7, s->bus & 0xff);
	d->pids_fd = d->mappings_fd = -1;
}

/* The path below sys of an attribute, or of its directory (name ""). */
static void attr_path(const struct sim_device *d, enum attr_place place, const char *name,
		      char *path, size_t size)
{
	switch (place) {
	case IN_CLASS:
		snprintf(path, size, CLASS_DIR "/%s", d->directory, d->slot.number, name);
		break;
	case IN_COUNTERS:
		snprintf(path, size, CLASS_DIR "/pcie_perf_counters/%s", d->directory,
			 d->slot.number, name);
		break;
	case IN_HWMON:
		snprintf(path, size, "%s/hwmon/hwmon%u/%s", d->directory, d->slot.hwmon, name);
		break;
	case IN_PCI: snprintf(path, size, "%s/%s", d->directory, name); break;
	}
}

static void keep_file(struct sim_device *d, const struct attr *a, int fd, const char *text)
{
	struct live_file *f;

	if (!d->files)
		d->files = calloc(attr_count, sizeof(*d->files));
	if (!d->files) {
		close(fd);
		return;
	}
	f = &d->files[d->file_count++];
	f->attr = a;
	f->fd = fd;
	snprintf(f->text, sizeof(f->text), "%s", text);
}

static void add_attrs(struct machine *m, struct sim_device *d, enum attr_place place)
{
	CLEANUP_BUF struct buf text = { 0 };
	char path[256];
	int fd;

	for (const struct attr *a = attrs; a < attrs + attr_count; a++) {
		if (a->place != place || !attr_is_offered(m, d, a))
			continue;
		buf_reset(&text);
		attr_print(m, d, a, &text);
		attr_path(d, place, a->name, path, sizeof(path));
		fd = tree_file(&m->sys, 0444, buf_text(&text), text.length, path);
		if (fd < 0)
			continue;
		if (attr_may_change(m, d, a))
			keep_file(d, a, fd, buf_text(&text));
		else
			close(fd);
	}
}

/* Closes the open files of one directory. */
static void drop_files(struct sim_device *d, enum attr_place place)
{
	size_t left = 0;

	for (size_t i = 0; i < d->file_count; i++) {
		if (d->files[i].attr->place == place)
			close(d->files[i].fd);
		else
			d->files[left++] = d->files[i];
	}
	d->file_count = left;
}

static void close_lists(struct sim_device *d)
{
	if (d->pids_fd >= 0)
		close(d->pids_fd);
	if (d->mappings_fd >= 0)
		close(d->mappings_fd);
	d->pids_fd = d->mappings_fd = -1;
}

void sysfs_close(struct sim_device *d)
{
	drop_files(d, IN_CLASS);
	drop_files(d, IN_COUNTERS);
	drop_files(d, IN_HWMON);
	drop_files(d, IN_PCI);
	close_lists(d);
}

static void add_class_device(struct machine *m, struct sim_device *d)
{
	unsigned n = d->slot.number;
	char path[160], target[200], text[80];

	snprintf(path, sizeof(path), CLASS_DIR, d->directory, n);
	snprintf(text, sizeof(text), "%u:%u\n", MAJOR, n);
	tree_text(&m->sys, 0444, text, "%s/dev", path);
	snprintf(text, sizeof(text), "MAJOR=%u\nMINOR=%u\nDEVNAME=tenstorrent/%u\n", MAJOR, n, n);
	tree_text(&m->sys, 0644, text, "%s/uevent", path);
	snprintf(target, sizeof(target), "../../../%s", d->bdf);
	tree_link(&m->sys, target, "%s/device", path);
	tree_link(&m->sys, "../../../../../../class/tenstorrent", "%s/subsystem", path);
	pci_add_power(m, &m->sys, d, path);
	add_attrs(m, d, IN_COUNTERS);
	snprintf(target, sizeof(target), "../../%s", path);
	tree_link(&m->sys, target, "class/tenstorrent/tenstorrent!%u", n);
	tree_link(&m->sys, target, "dev/char/%u:%u", MAJOR, n);
}

static void add_pci_device(struct machine *m, struct sim_device *d)
{
	char target[160];

	if (!d->incarnation)
		pci_add_port(m, &m->sys, d);
	pci_add_device(m, &m->sys, d);
	add_attrs(m, d, IN_PCI);
	snprintf(target, sizeof(target), "../../../%s", d->directory);
	tree_link(&m->sys, target, "bus/pci/devices/%s", d->bdf);
	d->on_bus = true;
}

/* Binds it to another driver, or to none (NULL). */
static void set_driver(struct machine *m, struct sim_device *d, const char *driver)
{
	char target[160];

	if (d->driver)
		tree_removef(&m->sys, "bus/pci/drivers/%s/%s", d->driver, d->bdf);
	d->driver = driver;
	if (!driver || !d->on_bus)
		return;
	snprintf(target, sizeof(target), "../../../../%s", d->directory);
	tree_link(&m->sys, target, "bus/pci/drivers/%s/%s", driver, d->bdf);
}

static void bind(struct machine *m, struct sim_device *d, const char *driver)
{
	if (!d->on_bus) {
		d->driver = driver;
		add_pci_device(m, d);
		d->driver = NULL;
	}
	set_driver(m, d, driver);
	pci_update_driver(m, &m->sys, d);
}

/* Adds the lists of processes that have the device open (driver 2.5 and later). */
static void add_lists(struct machine *m, struct sim_device *d)
{
	char path[80];

	if (!version_at_least(&m->opt.driver, 2, 5))
		return;
	if (!machine_fault(m, d, FAULT_MISSING, "pids")) {
		snprintf(path, sizeof(path), "tenstorrent/%u/pids", d->slot.number);
		d->pids_fd = tree_file(&m->proc, 0444, "", 0, path);
		path[strlen(path) - strlen("/pids")] = '\0';
		fchmodat(m->proc.fd, path, 0555, 0);
	}
	snprintf(path, sizeof(path), "kernel/debug/tenstorrent/%u/mappings", d->slot.number);
	d->mappings_fd = tree_file(&m->sys, 0444, "", 0, path);
}

void sysfs_add_unserved(struct machine *m, struct sim_device *d, const char *driver)
{
	bind(m, d, driver);
}

void sysfs_add_device(struct machine *m, struct sim_device *d)
{
	bind(m, d, "tenstorrent");
	add_class_device(m, d);
	tree_text(&m->root, 0666, "", "dev/tenstorrent/%u", d->slot.number);
	add_lists(m, d);
	d->present = true;
	sysfs_update_holders(m, d);
	if (!machine_fault(m, d, FAULT_NO_TELEMETRY, NULL))
		sysfs_add_telemetry(m, d);
}

void sysfs_unbind_device(struct machine *m, struct sim_device *d)
{
	unsigned n = d->slot.number;

	sysfs_remove_telemetry(m, d);
	drop_files(d, IN_COUNTERS);
	close_lists(d);
	d->holder_count = 0; /* it is removed from the lists */
	tree_removef(&m->sys, "class/tenstorrent/tenstorrent!%u", n);
	tree_removef(&m->sys, "dev/char/%u:%u", MAJOR, n);
	tree_removef(&m->sys, "%s/tenstorrent", d->directory);
	tree_removef(&m->sys, "kernel/debug/tenstorrent/%u", n);
	tree_removef(&m->proc, "tenstorrent/%u", n);
	tree_removef(&m->root, "dev/tenstorrent/%u", n);
	/* succeeds after the last node */
	unlinkat(m->root.fd, "dev/tenstorrent", AT_REMOVEDIR);
	set_driver(m, d, NULL);
	pci_update_driver(m, &m->sys, d);
	d->present = false;
	sysfs_update_holders(m, d);
}

void sysfs_remove_device(struct machine *m, struct sim_device *d)
{
	if (d->present)
		sysfs_unbind_device(m, d);
	set_driver(m, d, NULL);
	sysfs_close(d);
	tree_removef(&m->sys, "bus/pci/devices/%s", d->bdf);
	tree_removef(&m->sys, "%s", d->directory);
	d->on_bus = false;
	d->incarnation++;
}

static void add_hwmon(struct machine *m, struct sim_device *d)
{
	char path[160], target[200];

	snprintf(path, sizeof(path), "%s/hwmon/hwmon%u", d->directory, d->slot.hwmon);
	add_attrs(m, d, IN_HWMON);
	tree_text(&m->sys, 0644, "", "%s/uevent", path);
	snprintf(target, sizeof(target), "../../../%s", d->bdf);
	tree_link(&m->sys, target, "%s/device", path);
	tree_link(&m->sys, "../../../../../../class/hwmon", "%s/subsystem", path);
	pci_add_power(m, &m->sys, d, path);
	snprintf(target, sizeof(target), "../../%s", path);
	tree_link(&m->sys, target, "class/hwmon/hwmon%u", d->slot.hwmon);
}

/* The name that udev derives from the ASIC id. */
static void by_id_path(const struct sim_device *d, char *path, size_t size)
{
	snprintf(path, size, "dev/tenstorrent/by-id/%s-%016llX",
		 d->slot.board->arch == WORMHOLE ? "wormhole" : "blackhole",
		 (unsigned long long)d->slot.asic_id);
}

void sysfs_add_telemetry(struct machine *m, struct sim_device *d)
{
	char path[96], target[16];

	d->has_telemetry = true;
	add_attrs(m, d, IN_CLASS);
	if (attr_has_hwmon(m, d))
		add_hwmon(m, d);
	if (version_at_least(&m->opt.driver, 2, 6)) {
		by_id_path(d, path, sizeof(path));
		snprintf(target, sizeof(target), "../%u", d->slot.number);
		tree_link(&m->root, target, "%s", path);
	}
}

void sysfs_remove_telemetry(struct machine *m, struct sim_device *d)
{
	char path[256];

	if (!d->has_telemetry)
		return;
	d->has_telemetry = false;
	for (const struct attr *a = attrs; a < attrs + attr_count; a++) {
		if (a->place != IN_CLASS)
			continue;
		attr_path(d, IN_CLASS, a->name, path, sizeof(path));
		tree_removef(&m->sys, "%s", path);
	}
	drop_files(d, IN_CLASS);
	drop_files(d, IN_HWMON);
	tree_removef(&m->sys, "%s/hwmon", d->directory);
	tree_removef(&m->sys, "class/hwmon/hwmon%u", d->slot.hwmon);
	by_id_path(d, path, sizeof(path));
	tree_removef(&m->root, "%s", path);
	unlinkat(m->root.fd, "dev/tenstorrent/by-id", AT_REMOVEDIR);
}

/* Overwrites the text in place with one write; truncates a longer old one. */
static void rewrite(int fd, const char *text, size_t length, size_t old_length)
{
	if (pwrite(fd, text, length, 0) == (ssize_t)length && length < old_length)
		(void)!ftruncate(fd, (off_t)length);
}

void sysfs_update(struct machine *m, struct sim_device *d)
{
	CLEANUP_BUF struct buf text = { 0 };

	for (size_t i = 0; i < d->file_count; i++) {
		struct live_file *f = &d->files[i];

		buf_reset(&text);
		attr_print(m, d, f->attr, &text);
		if (text.failed || !strcmp(f->text, buf_text(&text)))
			continue;
		rewrite(f->fd, buf_text(&text), text.length, strlen(f->text));
		snprintf(f->text, sizeof(f->text), "%s", buf_text(&text));
	}
}

static void update_refcnt(struct machine *m)
{
	size_t count = 0;
	char text[24];

	for (size_t i = 0; i < m->device_count; i++)
		count += m->devices[i].holder_count;
	snprintf(text, sizeof(text), "%zu\n", count);
	rewrite(m->refcnt_fd, text, strlen(text), SIZE_MAX);
}

void sysfs_update_holders(struct machine *m, struct sim_device *d)
{
	CLEANUP_BUF struct buf pids = { 0 };
	CLEANUP_BUF struct buf mappings = { 0 };

	buf_puts(&mappings, "WARNING: This file is for diagnostic purposes only.\n"
			    "Its format is not stable and may change in future driver versions.\n"
			    "Do not write scripts that parse this file.\n\n"
			    "PID      Comm             Type           Mapping Details\n"
			    "----     ----             ----           ---------------\n");
	for (size_t i = d->holder_count; i-- > 0;) {
		const struct sim_holder *h = &d->holders[i];

		buf_printf(&pids, "%d\n", h->pid);
		buf_printf(&mappings, "%-8d %-16s %-14s\n", h->pid, h->comm, "OPEN_FD");
	}
	if (d->pids_fd >= 0)
		rewrite(d->pids_fd, buf_text(&pids), pids.length, SIZE_MAX);
	if (d->mappings_fd >= 0)
		rewrite(d->mappings_fd, buf_text(&mappings), mappings.length, SIZE_MAX);
	update_refcnt(m);
}
