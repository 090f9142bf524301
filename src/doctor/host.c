/* Examines the host: huge pages, the allocation server, tracing. */
#include "doctor/doctor.h"

#include "basic/optional_part.h"
#include "basic/parse.h"
#include "basic/sibling_program.h"
#include "proto/traced.h"
#include "source/bpf_text.h"
#include "source/procfs.h"
#include "source/server.h"
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define HUGE_PAGES "sys/kernel/mm/hugepages/hugepages-1048576kB/"
#define TRACER	   "tt_smi-trace"

/* ---- huge pages ---- */

/* Does an IOMMU translate for the card? Then it needs no huge pages. */
static bool is_translated(const struct root *root, const struct device *dev)
{
	char path[96], type[32];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/iommu_group/type", dev->bdf);
	return device_knows(dev, DEV_BDF) && root_read(root, path, type, sizeof(type)) > 0 &&
	       strncmp(type, "DMA", 3) == 0;
}

/* Is a hugetlbfs with pages of 1 GiB mounted? -errno: unknown. */
static int find_huge_mount(const struct root *root)
{
	CLEANUP_BUF struct buf text = { 0 };
	int r = root_read_all(root, "proc/mounts", 4 << 20, &text);
	char *rest = text.data, *line;

	if (r < 0)
		return r;
	while ((line = strsep(&rest, "\n")))
		if (strstr(line, " hugetlbfs ") &&
		    (strstr(line, "pagesize=1024M") || strstr(line, "pagesize=1G")))
			return 1;
	return 0;
}

static bool read_pages(const struct root *root, const char *path, uint64_t *ret)
{
	char text[32];

	return root_read(root, path, text, sizeof(text)) > 0 && parse_u64(text, ret) >= 0;
}

/* A program uses at least one page for each chip; how many are enough depends on the program. */
static void examine_pages(const struct root *root, unsigned chips, struct report *report)
{
	uint64_t pages, unused;
	int mounted = find_huge_mount(root);

	if (!read_pages(root, HUGE_PAGES "nr_hugepages", &pages) ||
	    !read_pages(root, HUGE_PAGES "free_hugepages", &unused)) {
		if (!root->live) {
			report_add_unexamined(report, "not recorded in this tree");
			return;
		}
		report_add(report, LEVEL_WARN, "this kernel has no huge pages of 1 GiB");
		report_fix(report, "enable the IOMMU: the cards then need no huge pages");
		return;
	}
	report_add(report, pages < chips ? LEVEL_WARN : LEVEL_OK,
		   "%llu of 1 GiB, %llu free; without IOMMU: %u chip%s", (unsigned long long)pages,
		   (unsigned long long)unused, chips, chips == 1 ? "" : "s");
	if (pages < chips)
		report_fix(report, "enable tenstorrent-hugepages.service (tt-system-tools), which "
				   "reserves some for each chip");
	if (mounted == 0) {
		report_add(report, LEVEL_WARN, "no hugetlbfs with pages of 1 GiB is mounted");
		report_fix(report, "sudo mkdir -p /dev/hugepages-1G && sudo mount -t hugetlbfs -o "
				   "pagesize=1G,mode=777 none /dev/hugepages-1G");
	}
}

void examine_huge_pages(const struct doctor_context *context, struct report *report)
{
	unsigned needed = 0, local = 0;

	for (size_t i = 0; i < context->snapshot->n_devices; i++) {
		const struct device *dev = &context->snapshot->devices[i];

		if (!device_is_served(dev))
			continue;
		local++;
		needed += !is_translated(context->root, dev);
	}
	if (!local)
		return;
	if (needed)
		examine_pages(context->root, needed, report);
	else
		report_add(report, LEVEL_OK, "not needed: the IOMMU translates for %s",
			   local == 1 ? "the card" : "all cards");
}

/* ---- the allocation server ---- */

/* Why a server that replies has reported nothing; NULL: it has, or it does not reply. */
static const char *find_refusal(const struct snapshot *snapshot)
{
	const char *problem;

	if (!snapshot || snapshot->server_pid || snapshot->server_unresponsive)
		return NULL;
	problem = snapshot_problem(snapshot, source_daemon.name);
	return problem[0] ? problem : NULL;
}

void examine_server(const struct doctor_context *context, struct report *report)
{
	const struct snapshot *snapshot = context->snapshot;
	const char *refusal = find_refusal(snapshot);
	char path[SERVER_PATH_SIZE];
	CLEANUP_CLOSE int fd = -1;

	if (!context->root->live && !refusal && !(snapshot && snapshot->server_pid)) {
		report_add(report, LEVEL_NOTE, "not examined: this is not the running machine");
		return;
	}
	fd = server_connect_at(path);
	if (fd >= 0 && (!snapshot || snapshot->server_pid)) {
		report_add(report, LEVEL_OK, "answers at %s", path);
	} else if (fd >= 0 && refusal) {
		report_add(report, LEVEL_WARN, "%s: %s", path, refusal);
	} else if (fd >= 0 || fd == -EAGAIN) {
		report_add(report, LEVEL_FAIL, "%s does not answer", path);
		report_fix(report, SERVER_RESTART);
	} else if (fd == -EACCES || fd == -EPERM) {
		report_add(report, LEVEL_WARN, "%s: %s", path, strerror(-fd));
		report_fix(report, "sudo tt_smi doctor");
	} else {
		report_add(report, LEVEL_NOTE,
			   "not running (%s: %s): peaks, finished processes and memory of other "
			   "users' programs are unknown",
			   path, strerror(-fd));
		report_fix(report, SERVER_START);
	}
}

/* ---- tracing ---- */

/* Is the kernel probably too old? Vendors backport features, so the version is no proof. */
static bool is_old(const struct root *root, char *ret, size_t size)
{
	unsigned major, minor;

	if (root_read(root, "proc/sys/kernel/osrelease", ret, size) <= 0)
		return false;
	ret[strcspn(ret, "\n")] = '\0';
	return sscanf(ret, "%3u.%3u", &major, &minor) == 2 &&
	       (major < 5 || (major == 5 && minor < 15));
}

/* Does this kernel support tracing? */
static bool examine_kernel(const struct root *root, struct report *report)
{
	char text[128] = "";

	if (root_access(root, "sys/kernel/btf/vmlinux", F_OK) < 0) {
		report_add(report, LEVEL_NOTE,
			   "not supported by this kernel: it has no BTF "
			   "(/sys/kernel/btf/vmlinux)");
		report_fix(report, "use Linux 5.15 or later with CONFIG_DEBUG_INFO_BTF");
		return false;
	}
	if (root_read(root, "sys/kernel/security/lockdown", text, sizeof(text)) > 0 &&
	    strstr(text, "[confidentiality]")) {
		report_add(report, LEVEL_NOTE,
			   "this kernel forbids it: lockdown is set to confidentiality");
		return false;
	}
	if (is_old(root, text, sizeof(text))) {
		report_add(report, LEVEL_NOTE, "this kernel may be too old: %s", text);
		report_fix(report, "use Linux 5.15 or later");
	} else {
		report_add(report, LEVEL_OK, "supported by this kernel");
	}
	return true;
}

enum tracing find_tracing(const struct root *root)
{
	int r = root_access(root, TRACED_ALLOCATIONS, R_OK);

	if (r == 0)
		return root->live && !in_initial_pid_namespace() ? TRACING_ELSEWHERE : TRACING_ON;
	return r == -EACCES ? TRACING_UNREADABLE : TRACING_OFF;
}

static void examine_pinned(const struct doctor_context *context, bool possible,
			   struct report *report)
{
	switch (context->tracing) {
	case TRACING_OFF:
		report_add(report, LEVEL_NOTE,
			   "off: memory of programs that do not report it is unknown");
		if (possible)
			report_fix(report, "sudo tt_smi trace start");
		break;
	case TRACING_UNREADABLE:
		report_add(report, LEVEL_WARN, "on, but /" TRACED_ALLOCATIONS " is not readable");
		report_fix(report, "sudo tt_smi trace stop && sudo tt_smi trace start");
		break;
	case TRACING_ELSEWHERE:
		report_add(report, LEVEL_NOTE,
			   "on, but its pids are those of the host: not usable in this pid "
			   "namespace");
		report_fix(report, "run tt_smi on the host, or in a container with --pid=host");
		break;
	case TRACING_ON:
		report_add(report, LEVEL_OK, "on: /" TRACED_ALLOCATIONS);
		if (!context->root->live)
			break;
		if (tracer_is_watching(context->root)) {
			report_add(report, LEVEL_OK, "new programs are traced as they start");
			break;
		}
		report_add(report, LEVEL_NOTE,
			   "the tracer does not attach by itself to libraries that no program has "
			   "used yet");
		report_fix(report, "sudo systemctl enable --now tt-smi-trace, or once: "
				   "sudo tt_smi trace start");
		break;
	}
}

/* Is the tracer installed? */
static bool examine_tracer(const struct doctor_context *context, struct report *report)
{
	char path[PATH_MAX];

	if (!context->trace_built) {
		const struct optional_part_build *build = &optional_parts[PART_TRACER];

		report_add(report, LEVEL_NOTE, "not available: tt_smi was built without %s",
			   build->name);
		report_fix(report, "install %s, then build tt_smi again with %s (on x86-64)",
			   build->packages, build->option);
		return false;
	}
	if (sibling_program_find(TRACER, path, sizeof(path)) == 0)
		return true;
	report_add(report, LEVEL_NOTE,
		   "not available: the program " TRACER " is missing (searched beside tt_smi, "
		   "last at %s)",
		   path);
	report_fix(report, "install all of tt_smi again: sudo make install");
	return false;
}

bool examine_tracing(const struct doctor_context *context, struct report *report)
{
	/* Of a recorded machine, the programs and the kernel are unknown. */
	bool possible = !context->root->live ||
			(examine_tracer(context, report) && examine_kernel(context->root, report));

	examine_pinned(context, possible, report);
	return possible;
}
