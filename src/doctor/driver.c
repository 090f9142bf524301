/* The driver and its device nodes. */
#include "doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRIVER_FOLDER "/sys/bus/pci/drivers/tenstorrent/"

/* Features that older drivers lack, newest first: all lines newer than the driver apply. */
static const struct {
	unsigned major, minor; /* available since this version */
	enum level level;
	const char *text;
	const char *traced; /* the text if tracing is on and replaces the feature */
} driver_gaps[] = {
	{ 2, 9, LEVEL_NOTE,
	  "before 2.9: no limits on Blackhole; readings may be wrong after a firmware update "
	  "without a reload of the driver; a reset looks like a fault",
	  NULL },
	{ 2, 7, LEVEL_WARN,
	  "before 2.7: the kernel can crash if readings are taken while a device is removed, and "
	  "processes in containers are listed by the pids of their own namespace",
	  NULL },
	{ 2, 5, LEVEL_WARN,
	  "before 2.5: no list of processes that have a device open; /proc is searched instead, "
	  "where only root sees other users' processes",
	  "before 2.5: no list of processes that have a device open; the tracer's list is used" },
};

void examine_driver(const struct doctor_context *context, struct report *report)
{
	const struct host *host = context->snapshot ? &context->snapshot->host : NULL;
	unsigned major, minor;

	if (!context->snapshot || !context->snapshot->driver_loaded) {
		report_add(report, LEVEL_FAIL, "%s", context->problem);
		if (context->driver_loaded)
			report_fix(report, "lspci -d 1e52: shows whether a card is on the bus");
		else
			report_fix(report, "sudo modprobe tenstorrent (the package of tt-kmd)");
		return;
	}
	if (host->why[HOST_DRIVER] != KNOWN || sscanf(host->driver, "%u.%u", &major, &minor) != 2) {
		report_add(report, LEVEL_NOTE, "loaded; its version is unknown");
		return;
	}
	report_add(report, LEVEL_OK, "loaded, version %s", host->driver);
	for (size_t i = 0; i < ARRAY_SIZE(driver_gaps); i++) {
		if (major > driver_gaps[i].major ||
		    (major == driver_gaps[i].major && minor >= driver_gaps[i].minor))
			break;
		if (driver_gaps[i].traced && context->tracing == TRACING_ON) {
			report_add(report, LEVEL_NOTE, "%s", driver_gaps[i].traced);
			continue;
		}
		report_add(report, driver_gaps[i].level, "%s", driver_gaps[i].text);
		report_fix(report, "upgrade tt-kmd to %u.%u or later", driver_gaps[i].major,
			   driver_gaps[i].minor);
	}
}

static void advise_driver(const struct device *dev, bool loaded, struct report *report)
{
	if (!loaded)
		return; /* examine_driver() reports it once for all cards */
	if (dev->arch == ARCH_GRAYSKULL)
		report_fix(report, "drivers since 2.2 do not serve Grayskull cards");
	else
		report_fix(report,
			   "echo %s | sudo tee " DRIVER_FOLDER "bind; sudo dmesg says why if "
			   "that fails",
			   dev->bdf);
}

/*
 * vfio-pci hands a card to a virtual machine on purpose; any other driver is a mistake, and so is
 * one of a device that -i names.
 */
static void examine_other_driver(const struct doctor_context *context, const struct device *dev,
				 struct report *report)
{
	bool meant = strcmp(dev->driver, "vfio-pci") == 0 && !context->named;

	report_add(report, meant ? LEVEL_NOTE : LEVEL_FAIL,
		   "%s: %s: %s, so Tenstorrent's driver cannot use it", dev->id, board_name(dev),
		   dev->health);
	report_fix(report,
		   "unless a virtual machine uses it: echo %s | sudo tee "
		   "/sys/bus/pci/devices/%s/driver/unbind, then echo %s | sudo tee " DRIVER_FOLDER
		   "bind",
		   dev->bdf, dev->bdf, dev->bdf);
}

void examine_unserved(const struct doctor_context *context, struct report *report)
{
	for (size_t i = 0; i < context->snapshot->n_devices; i++) {
		const struct device *dev = &context->snapshot->devices[i];

		report->device = dev->id;
		if (dev->state == DEVICE_OTHER_DRIVER) {
			examine_other_driver(context, dev, report);
		} else if (dev->state == DEVICE_NO_DRIVER) {
			report_add(report, LEVEL_FAIL,
				   "%s: %s: on the bus, but no driver is bound to it", dev->id,
				   board_name(dev));
			advise_driver(dev, context->snapshot->driver_loaded, report);
		}
	}
}

/*
 * A node is usable if all users may open it, or, on a live machine, if this process may. Root
 * always may, so restrictions for other users are only a note. The node is never opened.
 */
static bool examine_node(const struct root *root, uint32_t index, struct report *report)
{
	char path[48];
	struct stat st;
	bool ours;
	int r;

	snprintf(path, sizeof(path), "dev/tenstorrent/%u", index);
	r = root_stat(root, path, &st);
	if (r < 0) {
		report_add(report, LEVEL_FAIL, "/%s: %s", path, strerror(-r));
		report_fix(report, "sudo udevadm trigger; in a container: --device /%s", path);
		return false;
	}
	ours = root->live && root_access(root, path, R_OK | W_OK) == 0;
	if ((st.st_mode & 0006) == 0006 || (ours && geteuid() != 0))
		return true;
	report_add(report, ours ? LEVEL_NOTE : LEVEL_WARN,
		   "/%s is not accessible to all users: mode %04o, uid %u, gid %u", path,
		   st.st_mode & 07777, st.st_uid, st.st_gid);
	report_fix(report, "install the udev rule of tt-kmd (mode 0666), or: sudo chmod 0666 /%s",
		   path);
	return ours;
}

void examine_nodes(const struct doctor_context *context, struct report *report)
{
	const struct snapshot *snapshot = context->snapshot;
	unsigned fine = 0;

	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (device_is_served(&snapshot->devices[i]))
			fine += examine_node(context->root, snapshot->devices[i].index, report);
	if (fine)
		report_add(report, LEVEL_OK, "%u node%s of /dev/tenstorrent accessible", fine,
			   fine == 1 ? "" : "s");
}
