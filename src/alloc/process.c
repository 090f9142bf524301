/*
 * The table of this process, through fork, exec, dlclose and exit of the host program.
 *
 * fork: all state, including locks, is in memory that the kernel zeroes in a child
 * (MADV_WIPEONFORK), and the mapping of the table does not exist there (MADV_DONTFORK). So a child,
 * created in any way and at any instant, finds a library that was never used. It can neither wait
 * for a lock that another thread of its parent held, nor write into its parent's table. It does
 * inherit descriptors, and closes them at once, or at its first report if it was created by a
 * system call that bypasses the C library. pthread_atfork() handlers that take the lock are no
 * alternative: a program that forks in a signal handler, to start its debugger, would deadlock.
 *
 * exec: descriptors are close-on-exec. dlclose: the library stays (it is linked with -z nodelete).
 * exit: nothing is done, since other threads may still report.
 */
#include "alloc/process.h"

#include "alloc/device_order.h"
#include "alloc/release.h"
#include "alloc/slow_path.h"
#include "proto/tracking.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#define LISTED	 TABLE_SLOTS_MAX
#define UNLISTED (3 * TABLE_SLOTS_MAX)

/* Not zeroed in a child, which needs them: the pointer to the state, descriptors to close. */
static struct process_table *the_process;
static struct descriptor table_fd = { .fd = -1 };
static struct descriptor socket_fd = { .fd = -1 };
static uint64_t table_flags; /* a child has the same preloaded library */

static void descriptors_forget(void)
{
	descriptor_close(&socket_fd);
	descriptor_close(&table_fd);
}

/* Called in a child of fork(). */
static void fork_child(void)
{
	int saved = errno;

	descriptors_forget();
	errno = saved;
}

void process_set_flags(uint64_t flags)
{
	table_flags = flags;
}

static struct process_table *process_new(void)
{
	struct process_table *process = mmap(NULL, sizeof(*process), PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
			     *first = NULL;

	if (process == MAP_FAILED)
		return NULL;
	if (madvise(process, sizeof(*process), MADV_WIPEONFORK) < 0 ||
	    !__atomic_compare_exchange_n(&the_process, &first, process, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		munmap(process, sizeof(*process));
		return first; /* of another thread that was faster; NULL: out of memory */
	}
	pthread_atfork(NULL, NULL, fork_child);
	return process;
}

static enum phase process_start(struct process_table *process)
{
	int fd, r;

	descriptors_forget(); /* those of a parent that bypassed the C library's fork() */
	if (tracking_is_disabled())
		return PHASE_OFF;
	r = tracker_init(&process->tracker, LISTED, UNLISTED, table_flags, (uint64_t)clock_coarse(),
			 &fd);
	if (r < 0)
		return PHASE_FAILED;
	descriptor_set(&table_fd, fd);
	return PHASE_READY;
}

static enum phase phase_load(struct process_table *process)
{
	return (enum phase)__atomic_load_n(&process->phase, __ATOMIC_ACQUIRE);
}

/* Creates the table, or decides that there is none. */
static enum phase process_begin(struct process_table *process)
{
	struct slow_path path = slow_path_begin();
	enum phase phase;

	lock_take(&process->lock);
	phase = phase_load(process);
	if (phase == PHASE_NEW) {
		phase = process_start(process);
		__atomic_store_n(&process->phase, (uint32_t)phase, __ATOMIC_RELEASE);
	}
	lock_release(&process->lock);
	slow_path_end(path);
	return phase;
}

struct process_table *process_get(enum phase *ret_phase)
{
	struct process_table *process = __atomic_load_n(&the_process, __ATOMIC_ACQUIRE);

	*ret_phase = PHASE_FAILED;
	if (!process)
		process = process_new();
	if (!process)
		return NULL;
	*ret_phase = phase_load(process);
	if (*ret_phase == PHASE_NEW)
		*ret_phase = process_begin(process);
	return process;
}

void process_withdraw(void)
{
	struct slow_path path = slow_path_begin();
	struct process_table *process = __atomic_load_n(&the_process, __ATOMIC_ACQUIRE);

	if (!process)
		process = process_new();
	if (process) {
		lock_take(&process->lock);
		__atomic_store_n(&process->phase, PHASE_OFF, __ATOMIC_RELEASE);
		/* Waits for a thread that is checking the connection; no other will start. */
		lock_take(&process->link.lock);
		__atomic_store_n(&process->link.next_check, INT64_MAX, __ATOMIC_RELAXED);
		__atomic_store_n(&process->link.connected, false, __ATOMIC_RELAXED);
		descriptors_forget();
		lock_release(&process->link.lock);
		lock_release(&process->lock);
	}
	slow_path_end(path);
}

void process_check_link(struct process_table *process, int64_t now)
{
	struct slow_path path = slow_path_begin();

	link_check(&process->link, &socket_fd, &table_fd, now);
	slow_path_end(path);
}

int process_add_device(struct process_table *process, uint32_t device)
{
	struct slow_path path = slow_path_begin();
	const char *root = secure_getenv("TT_SMI_ROOT");
	struct table_device card;
	int r;

	lock_take(&process->cards);
	if (!process->visible_known) {
		visible_parse(getenv("TT_VISIBLE_DEVICES"), &process->visible);
		process->visible_known = true;
	}
	lock_release(&process->cards);
	device_order_find(root ? root : "", &process->visible, release_meaning(), device, &card);
	r = tracker_identify(&process->tracker, device, &card);
	slow_path_end(path);
	return r;
}
