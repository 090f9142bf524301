/*
 * Runs at the hooks of metal/program_hook.h: notes where the rings of TT-Metal's profiler are, what
 * was launched, and what has finished. It runs inside the traced program and only reads.
 */
#include "trace/kernel/library.h"
#include "trace/kernel/program_share.h"

#include <asm/ptrace.h>

/* One call, seen at its first instruction. */
struct program_hit {
	struct pt_regs *regs;
	struct trace_programs *process;
	uint32_t tgid, library;
	uint64_t now;
};

/* Offsets of the vector of events in a SystemMemoryManager: v0.65 and later, v0.57 to v0.63. */
enum { EVENTS_NEW = 72, EVENTS_OLD = 104 };

/* A new entry is part of the share of this user; an old one is made empty. */
static __always_inline struct trace_programs *empty_entry(uint32_t tgid, uint32_t *uid)
{
	struct trace_programs *old = bpf_map_lookup_elem(&programs, &tgid), *empty;
	uint32_t zero = 0;

	empty = bpf_map_lookup_elem(&no_programs, &zero);
	if (!empty)
		return NULL;
	if (old) {
		*uid = old->uid;
		bpf_map_update_elem(&programs, &tgid, empty, BPF_EXIST);
	} else if (!share_take(*uid)) {
		return NULL;
	} else if (bpf_map_update_elem(&programs, &tgid, empty, BPF_NOEXIST) != 0) {
		share_return(*uid); /* no room, or another thread has added it */
	}
	return bpf_map_lookup_elem(&programs, &tgid);
}

static __always_inline struct trace_programs *process_add_programs(uint32_t tgid, uint64_t start,
								   uint32_t id)
{
	struct trace_library *library = library_find(id);
	uint32_t uid = bpf_get_current_uid_gid();
	struct trace_program_user *user;
	struct trace_programs *process;

	process = library ? empty_entry(tgid, &uid) : NULL;
	user = bpf_map_lookup_elem(&program_users, &uid);
	if (!process || !user)
		return NULL;
	process->uid = uid;
	process->library = id;
	process->from_start =
		library->followed && start > library->followed && start > user->refused_ns;
	process->begun_ns = bpf_ktime_get_ns();
	process->start_ns = start;
	return process;
}

static __always_inline bool program_hit_begin(struct program_hit *hit, uint64_t cookie)
{
	struct task_struct *task = bpf_get_current_task_btf();
	uint64_t start = task->group_leader->start_boottime;

	hit->tgid = task->tgid;
	hit->library = cookie >> 8;
	hit->now = bpf_ktime_get_ns();
	hit->process = bpf_map_lookup_elem(&programs, &hit->tgid);
	if (!hit->process || hit->process->start_ns != start)
		hit->process = process_add_programs(hit->tgid, start, hit->library);
	return hit->process;
}

/*
 * Is the call of another copy of TT-Metal in the process, or of a second name of its file? Such
 * calls are not counted, which is noted.
 */
static __always_inline bool is_other_library(const struct program_hit *hit)
{
	if (hit->process->library == hit->library)
		return false;
	hit->process->launches.uncounted_ns = hit->now;
	return true;
}

static __always_inline void on_launch(const struct program_hit *hit, bool is_counted)
{
	if (!is_other_library(hit))
		program_launch(&hit->process->launches, hit->regs->rdi, is_counted, hit->now);
}

static __always_inline struct trace_queue *queue_of(const struct program_hit *hit)
{
	struct trace_queue_key key = { .tgid = hit->tgid };
	struct trace_library *library = library_find(hit->library);
	struct trace_queue fresh = { .start_ns = hit->process->start_ns,
				     .made_ns = hit->now,
				     .manager = hit->regs->rdi },
			   *queue;

	if (!library || !read_user(&key.chip, 4, hit->regs->rdi + (library->chip == 24 ? 4 : 0)) ||
	    key.chip >= TRACE_CHIPS)
		return NULL;
	queue = bpf_map_lookup_elem(&queues, &key);
	if (queue && queue->start_ns == fresh.start_ns && queue->manager == fresh.manager &&
	    queue->made_ns >= hit->process->begun_ns)
		return queue;
	fresh.state.chip = key.chip;
	bpf_map_update_elem(&queues, &key, &fresh, BPF_ANY);
	return bpf_map_lookup_elem(&queues, &key);
}

/* The number of the last event of a queue; 0: the vector is not where it should be. */
static __always_inline uint32_t last_event(uint64_t manager, uint32_t offset, uint32_t number,
					   uint32_t completed, uint32_t *ret_queues)
{
	uint64_t vector[2];
	uint32_t event;

	if (!read_user(vector, sizeof(vector), manager + offset) || vector[0] % 4 ||
	    vector[1] <= vector[0] || vector[1] - vector[0] > 32 ||
	    vector[0] + 4 * number >= vector[1] ||
	    !read_user(&event, sizeof(event), vector[0] + 4 * number))
		return 0;
	*ret_queues = (vector[1] - vector[0]) / 4;
	return event - completed < (1U << 30) ? event : 0;
}

static __always_inline void on_next_event(const struct program_hit *hit)
{
	struct trace_library *library = library_find(hit->library);
	struct trace_queue *queue = queue_of(hit);
	uint32_t number = hit->regs->rsi & 0xff;

	if (is_other_library(hit) || !queue || !library)
		return;
	if (library->followed && bpf_ktime_get_boot_ns() > library->followed)
		queue->issued |= 1U << number % 32;
	program_next_event(&hit->process->launches, &queue->state, number, hit->now);
}

static __always_inline void on_completed(const struct program_hit *hit)
{
	struct trace_queue *queue = queue_of(hit);
	uint32_t number = hit->regs->rsi & 0xff, event = hit->regs->rdx, last, count = 0;

	if (is_other_library(hit) || !queue)
		return;
	last = last_event(hit->regs->rdi, EVENTS_NEW, number, event, &count);
	if (!last)
		last = last_event(hit->regs->rdi, EVENTS_OLD, number, event, &count);
	if (last != event)
		return;
	queue->count = count;
	queue->settled |= queue->issued & 1U << number % 32;
	program_complete(&hit->process->launches, &queue->state, number, hit->now);
}

static __always_inline bool count_record(struct trace_record_count *records, uint64_t now,
					 uint64_t limit)
{
	if (now - records->period_ns >= PROGRAM_PERIOD) {
		records->period_ns = now;
		records->count = 0;
	}
	return __sync_fetch_and_add(&records->count, 1) < limit;
}

static __always_inline struct trace_record *reserve_record(const struct program_hit *hit)
{
	struct trace_program_user *user;

	if (!count_record(&hit->process->records, hit->now, PROGRAM_RECORDS))
		return NULL;
	user = share_of(hit->process->uid);
	if (!user || !count_record(&user->records, hit->now, PROGRAM_USER_RECORDS))
		return NULL;
	return bpf_ringbuf_reserve(&records, sizeof(struct trace_record), 0);
}

static __always_inline void on_record(const struct program_hit *hit)
{
	struct trace_record *record;
	uint64_t words[5]; /* of a ProgramRealtimeRecord, and what follows it in later releases */

	if (!read_user(words, sizeof(words), hit->regs->rdi))
		return;
	record = reserve_record(hit);
	if (!record) {
		hit->process->dropped_ns = hit->now;
		return;
	}
	*record = (struct trace_record){
		.start_ns = hit->process->start_ns,
		.tgid = hit->tgid,
		.id = words[0],
		.words = { words[0] >> 32, words[4] },
		.start = words[1],
		.end = words[2],
		.rate = words[3],
		.arrived_ns = hit->now,
	};
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

static __always_inline void on_operation(const struct program_hit *hit)
{
	struct trace_operation operation = { .id = hit->regs->rsi & 0xffff };
	struct trace_operation_key key = { hit->tgid, operation.id % PROGRAM_NAMED };
	uint32_t length = hit->regs->rdx;

	if (length >= PROGRAM_NAME)
		length = PROGRAM_NAME - 1;
	barrier_var(length);
	if (length == 0 || length >= PROGRAM_NAME ||
	    !read_user(operation.name, length, hit->regs->rcx))
		return;
	bpf_map_update_elem(&operations, &key, &operation, BPF_ANY);
}

static __always_inline void on_profiler(struct program_hit *hit, bool is_on)
{
	struct trace_programs *process = hit->process;
	uint32_t chip = hit->regs->rdi;

	if (chip >= TRACE_CHIPS || is_other_library(hit))
		return;
	if (!is_on) {
		__sync_fetch_and_and(&process->profiled, ~(1ULL << chip));
		return;
	}
	/* The process closed all devices and opens them again: the queues and rings are new. */
	if (!process->profiled && process->launches.launched)
		process = process_add_programs(hit->tgid, process->start_ns, hit->library);
	if (process)
		__sync_fetch_and_or(&process->profiled, 1ULL << chip);
}

SEC("uprobe")
int program_hook(struct pt_regs *regs)
{
	uint64_t cookie = bpf_get_attach_cookie(regs);
	struct program_hit hit = { .regs = regs };

	if (!program_hit_begin(&hit, cookie))
		return 0;
	switch ((enum program_hook)(cookie & 0xff)) {
	case PROGRAM_PROFILER_ON: on_profiler(&hit, true); break;
	case PROGRAM_PROFILER_OFF: on_profiler(&hit, false); break;
	case PROGRAM_SYNC_CHECK:
	case PROGRAM_PUBLISH: hit.process->manager = regs->rdi; break;
	case PROGRAM_RECORD: on_record(&hit); break;
	case PROGRAM_LAUNCH:
	case PROGRAM_LAUNCH_DEVICE: on_launch(&hit, true); break;
	case PROGRAM_LAUNCH_TRACE:
	case PROGRAM_LAUNCH_DEVICE_TRACE: on_launch(&hit, false); break;
	case PROGRAM_LAUNCH_SLOW: program_launch_slow(&hit.process->launches, hit.now); break;
	case PROGRAM_NEXT_EVENT: on_next_event(&hit); break;
	case PROGRAM_COMPLETED: on_completed(&hit); break;
	case PROGRAM_BYPASS: hit.process->launches.bypassed = regs->rsi & 0xff; break;
	case PROGRAM_OPERATION: on_operation(&hit); break;
	case PROGRAM_HOOKS: break;
	}
	return 0;
}
