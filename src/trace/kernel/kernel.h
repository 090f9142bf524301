/*
 * For the BPF programs only: the members of kernel structures that they read, which libbpf
 * relocates to the running kernel, and the maps.
 */
#pragma once

#include <linux/bpf.h>
/* These headers need the types of linux/bpf.h. */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "trace/program_state.h"
#include "trace/state.h"

#define KERNEL_STRUCT __attribute__((preserve_access_index))

struct bpf_map;

struct signal_struct {
	struct {
		int counter;
	} live;
} KERNEL_STRUCT;

struct task_struct {
	int tgid;
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	uint64_t start_boottime;
	char comm[TRACE_COMM];
	struct signal_struct *signal;
	struct files_struct *files;
	int exit_code;
} KERNEL_STRUCT;

struct inode {
	unsigned short i_mode;
	unsigned int i_nlink;
	uint32_t i_rdev;
} KERNEL_STRUCT;

struct file {
	struct inode *f_inode;
} KERNEL_STRUCT;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} KERNEL_STRUCT;

struct files_struct {
	struct fdtable *fdt;
} KERNEL_STRUCT;

/*
 * Weak: each object that is linked into the final one defines them. BPF_F_NO_PREALLOC allocates
 * entries when they are added: probes run in process context, where that is possible.
 */
#define TABLE(name, kind, key_type, value_type, limit, how) \
	struct {                                            \
		__uint(type, kind);                         \
		__uint(max_entries, limit);                 \
		__uint(map_flags, how);                     \
		__type(key, key_type);                      \
		__type(value, value_type);                  \
	} name __weak SEC(".maps")

TABLE(processes, BPF_MAP_TYPE_HASH, uint32_t, struct trace_process, TRACE_PROCESSES,
      BPF_F_NO_PREALLOC);
TABLE(live, BPF_MAP_TYPE_HASH, struct trace_key, struct trace_buffer, 1, BPF_F_NO_PREALLOC);
TABLE(threads, BPF_MAP_TYPE_HASH, uint64_t, struct trace_thread, TRACE_THREADS, BPF_F_NO_PREALLOC);
TABLE(allocators, BPF_MAP_TYPE_HASH, struct trace_key, struct trace_allocator, TRACE_ALLOCATORS,
      BPF_F_NO_PREALLOC);
TABLE(views, BPF_MAP_TYPE_HASH, struct trace_key, struct trace_view, TRACE_VIEWS,
      BPF_F_NO_PREALLOC);
TABLE(view_places, BPF_MAP_TYPE_ARRAY, uint32_t, struct trace_view_place, TRACE_LIBRARIES, 0);
TABLE(libraries, BPF_MAP_TYPE_ARRAY, uint32_t, struct trace_library, TRACE_LIBRARIES, 0);
TABLE(devices, BPF_MAP_TYPE_HASH, uint32_t, struct trace_device, TRACE_DEVICES, 0);
TABLE(deaths, BPF_MAP_TYPE_HASH, uint32_t, struct trace_death, TRACE_DEVICES, 0);
TABLE(fd_groups, BPF_MAP_TYPE_ARRAY, uint32_t, uint32_t, TRACE_FD_GROUPS, 0);
TABLE(roles, BPF_MAP_TYPE_HASH, uint32_t, struct trace_role, TRACE_ROLES, 0);
TABLE(programs, BPF_MAP_TYPE_HASH, uint32_t, struct trace_programs, PROGRAM_PROCESSES, 0);
TABLE(program_users, BPF_MAP_TYPE_LRU_HASH, uint32_t, struct trace_program_user, PROGRAM_USERS, 0);
TABLE(no_programs, BPF_MAP_TYPE_ARRAY, uint32_t, struct trace_programs, 1, 0);
TABLE(queues, BPF_MAP_TYPE_HASH, struct trace_queue_key, struct trace_queue, PROGRAM_QUEUES,
      BPF_F_NO_PREALLOC);
TABLE(operations, BPF_MAP_TYPE_LRU_HASH, struct trace_operation_key, struct trace_operation,
      PROGRAM_OPERATIONS, 0);
TABLE(lines, BPF_MAP_TYPE_HASH, struct trace_line_key, struct trace_line, PROGRAM_LINES, 0);
TABLE(sums, BPF_MAP_TYPE_LRU_HASH, uint64_t, struct trace_sums, 256, 0);
TABLE(listed, BPF_MAP_TYPE_LRU_HASH, uint64_t, struct trace_listed, 256, 0);
TABLE(blank, BPF_MAP_TYPE_ARRAY, uint32_t, struct trace_process, 1, 0);
TABLE(state, BPF_MAP_TYPE_ARRAY, uint32_t, struct trace_state, 1, 0);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, PROGRAM_BUFFER);
} records __weak SEC(".maps");
