/* The files that exist once on a machine: the module, its driver, proc/devices. */
#include "sysfs.h"

#include <stdio.h>

static void write_parameters(struct machine *m)
{
	const struct version *v = &m->opt.driver;
	struct tree *sys = &m->sys;
	const char *at = "module/tenstorrent/parameters";

	tree_text(sys, 0444, "10\n", "%s/auto_reset_timeout", at);
	tree_text(sys, 0444, "0\n", "%s/dma_address_bits", at);
	tree_text(sys, 0444, version_at_least(v, 1, 29) ? "32\n" : "16\n", "%s/max_devices", at);
	tree_text(sys, 0444, "10\n", "%s/reset_limit", at);
	if (version_at_least(v, 2, 6))
		tree_text(sys, 0444, "Y\n", "%s/power_policy", at);
	if (version_at_least(v, 2, 9))
		tree_text(sys, 0644, "5000\n", "%s/idle_power_down_grace_ms", at);
}

static void write_devices(struct machine *m)
{
	tree_text(&m->root, 0444,
		  "Character devices:\n  1 mem\n  4 /dev/vc/0\n  4 tty\n  4 ttyS\n  5 /dev/tty\n"
		  "  5 /dev/console\n  5 /dev/ptmx\n  7 vcs\n 10 misc\n 13 input\n 29 fb\n128 ptm\n"
		  "136 pts\n153 spi\n246 tenstorrent\n247 cxl\n248 bsg\n249 ptp\n250 pps\n251 rtc\n"
		  "252 dax\n253 tpm\n254 gpiochip\n\nBlock devices:\n259 blkext\n",
		  "proc/devices");
}

void sysfs_add_machine(struct machine *m)
{
	static const char *const write_only[] = { "bind", "unbind", "new_id", "remove_id",
						  "uevent" };
	char version[40];

	snprintf(version, sizeof(version), "%s\n", m->opt.driver.text);
	tree_text(&m->sys, 0444, version, "module/tenstorrent/version");
	tree_text(&m->sys, 0444, "live\n", "module/tenstorrent/initstate");
	tree_text(&m->sys, 0444, "1DD697C309215E0B2069ECE\n", "module/tenstorrent/srcversion");
	m->refcnt_fd = tree_file(&m->sys, 0444, "0\n", 2, "module/tenstorrent/refcnt");
	write_parameters(m);
	for (size_t i = 0; i < ARRAY_SIZE(write_only); i++)
		tree_text(&m->sys, 0200, "", "bus/pci/drivers/tenstorrent/%s", write_only[i]);
	tree_link(&m->sys, "../../../../module/tenstorrent", "bus/pci/drivers/tenstorrent/module");
	tree_dir(&m->sys, 0755, "class/tenstorrent");
	tree_dir(&m->sys, 0755, "class/hwmon");
	tree_dir(&m->sys, 0755, "dev/char");
	tree_dir(&m->sys, 0755, "bus/pci/devices");
	if (version_at_least(&m->opt.driver, 2, 5)) {
		tree_dir(&m->proc, 0755, "tenstorrent");
		tree_dir(&m->sys, 0755, "kernel");
		tree_dir(&m->sys, 0700, "kernel/debug");
		tree_dir(&m->sys, 0755, "kernel/debug/tenstorrent");
	}
	tree_dir(&m->root, 0755, "dev");
	tree_dir(&m->root, 01777, "dev/shm");
	write_devices(m);
}
