#include "procfs.h"

#include "basic/buf.h"
#include "workload.h"

#include <stdio.h>
#include <string.h>

/* Arbitrary sizes and addresses, the same for all. */
#define PARENT	   1
#define VM_KIB	   8192000ull
#define RSS_KIB	   1048576ull
#define CODE	   0x400000ull
#define CODE_END   0x9a0000ull
#define STACK	   0x7ffe3d5f1000ull
#define MAP_BASE   0x7f2964000000ull
#define MAP_SIZE   0x200000ull
#define NODE_INODE 101 /* of node 0; the others are consecutive */

void procfs_add_machine(struct tree *root, int64_t now, int64_t uptime)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "cpu  1200000 0 400000 18000000 20000 0 9000 0 0 0\n"
		 "cpu0 600000 0 200000 9000000 10000 0 4500 0 0 0\n"
		 "cpu1 600000 0 200000 9000000 10000 0 4500 0 0 0\n"
		 "intr 0\nctxt 90000000\nbtime %lld\nprocesses 20000\nprocs_running 1\n"
		 "procs_blocked 0\n",
		 (long long)(now - uptime));
	tree_text(root, 0444, text, "proc/stat");
	snprintf(text, sizeof(text), "%lld.00 %lld.00\n", (long long)uptime,
		 (long long)(2 * uptime * 9 / 10));
	tree_text(root, 0444, text, "proc/uptime");
	tree_text(root, 0644,
		  "root:x:0:0:root:/root:/bin/bash\n"
		  "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
		  "user:x:1000:1000::/home/user:/bin/bash\n",
		  "etc/passwd");
}

static void add_cmdline(struct tree *root, pid_t pid, const struct workload *w)
{
	CLEANUP_BUF struct buf text = { 0 };
	char words[sizeof(w->args)], path[64], *rest = words, *word;
	int fd;

	buf_add(&text, w->name, strlen(w->name) + 1);
	snprintf(words, sizeof(words), "%s", w->args);
	while ((word = strsep(&rest, " ")))
		if (*word)
			buf_add(&text, word, strlen(word) + 1);
	snprintf(path, sizeof(path), "proc/%d/cmdline", pid);
	fd = tree_file(root, 0444, buf_text(&text), text.length, path);
	if (fd >= 0)
		close(fd);
}

uint64_t procfs_start_ticks(const struct workload *w)
{
	return (uint64_t)(UPTIME_S * TICKS - w->age_ms * TICKS / 1000);
}

/* A computing process keeps one core of the host busy, as TT-Metal does while it waits. */
static void add_stat(struct tree *root, pid_t pid, const struct worker_job *job, const char *comm,
		     uint32_t after_s)
{
	long long busy = workload_is_idle(&job->workload) ? 0 : after_s * TICKS;
	long long start = (long long)procfs_start_ticks(&job->workload);
	char text[512];

	snprintf(text, sizeof(text),
		 "%d (%s) S %d %d %d 0 -1 4194304 9000 0 12 0 %lld 700 0 0 20 0 9 0 %lld %llu %llu "
		 "18446744073709551615 %llu %llu %llu 0 0 0 0 4096 16386 0 0 0 17 1 0 0 0 0 0 %llu "
		 "%llu "
		 "%llu %llu %llu %llu %llu 0\n",
		 pid, comm, PARENT, pid, pid, 3000 + busy, start, VM_KIB * 1024, RSS_KIB / 4, CODE,
		 CODE_END, STACK, CODE_END + 0x1000, CODE_END + 0x9000, CODE_END + 0x100000,
		 STACK + 0x100, STACK + 0x180, STACK + 0x180, STACK + 0x200);
	tree_text(root, 0444, text, "proc/%d/stat", pid);
}

static void add_status(struct tree *root, pid_t pid, unsigned uid, const char *comm)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_printf(&text, "Name:\t%s\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t%d\nNgid:\t0\n",
		   comm, pid);
	buf_printf(&text, "Pid:\t%d\nPPid:\t%d\nTracerPid:\t0\n", pid, PARENT);
	buf_printf(&text, "Uid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\n", uid, uid, uid, uid, uid,
		   uid, uid, uid);
	buf_printf(&text,
		   "FDSize:\t64\nGroups:\t \nNStgid:\t%d\nNSpid:\t%d\nNSpgid:\t%d\nNSsid:\t%d\n",
		   pid, pid, pid, pid);
	buf_printf(&text, "VmPeak:\t%8llu kB\nVmSize:\t%8llu kB\nVmLck:\t       0 kB\n", VM_KIB,
		   VM_KIB);
	buf_printf(&text, "VmPin:\t       0 kB\nVmHWM:\t%8llu kB\nVmRSS:\t%8llu kB\n", RSS_KIB,
		   RSS_KIB);
	buf_puts(&text, "Threads:\t9\nSigQ:\t0/1773\nNoNewPrivs:\t0\nSeccomp:\t0\n"
			"voluntary_ctxt_switches:\t900\nnonvoluntary_ctxt_switches:\t30\n");
	tree_text(root, 0444, buf_text(&text), "proc/%d/status", pid);
}

/* Open files and mappings: fd 0 to 2, then each device as often as it was opened. */
static void add_files(struct tree *root, pid_t pid, const struct worker_job *job)
{
	CLEANUP_BUF struct buf maps = { 0 };
	unsigned fd = 0;
	char target[64];

	while (fd < 3)
		tree_link(root, "/dev/null", "proc/%d/fd/%u", pid, fd++);
	for (size_t i = 0; i < job->device_count; i++) {
		unsigned n = job->devices[i].number;
		unsigned long long start = MAP_BASE + 4 * MAP_SIZE * i;

		snprintf(target, sizeof(target), "/dev/tenstorrent/%u", n);
		for (unsigned j = 0; j < job->workload.opens; j++)
			tree_link(root, target, "proc/%d/fd/%u", pid, fd++);
		if (workload_is_idle(&job->workload))
			continue;
		buf_printf(&maps, "%llx-%llx rw-s 00000000 00:05 %-26u %s\n", start,
			   start + MAP_SIZE, NODE_INODE + n, target);
	}
	tree_text(root, 0444, buf_text(&maps), "proc/%d/maps", pid);
}

void procfs_add_running(struct tree *root, pid_t pid, const struct workload *w)
{
	static const char *const real[] = { "cgroup", "cmdline", "comm", "environ",
					    "fd",     "maps",	 "root", "stat" };
	char target[64], comm[16];

	if (!w->has_uid) {
		snprintf(target, sizeof(target), "/proc/%d", pid);
		tree_link(root, target, "proc/%d", pid);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(real); i++) {
		snprintf(target, sizeof(target), "/proc/%d/%s", pid, real[i]);
		tree_link(root, target, "proc/%d/%s", pid, real[i]);
	}
	workload_comm(w, comm);
	add_status(root, pid, w->uid, comm);
}

void procfs_add_process(struct tree *root, pid_t pid, const struct worker_job *job,
			uint32_t after_s)
{
	const struct workload *w = &job->workload;
	char comm[16], text[160];

	workload_comm(w, comm);
	snprintf(text, sizeof(text), "%s\n", comm);
	tree_text(root, 0444, text, "proc/%d/comm", pid);
	snprintf(text, sizeof(text), "0::%s\n", w->cgroup[0] ? w->cgroup : "/");
	tree_text(root, 0444, text, "proc/%d/cgroup", pid);
	add_cmdline(root, pid, w);
	add_stat(root, pid, job, comm, after_s);
	add_status(root, pid, w->uid, comm);
	add_files(root, pid, job);
}
