#include "source/process_clocks.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "basic/parse.h"

#include <fcntl.h>
#include <unistd.h>

struct clock_entry {
	uint64_t pid;
	int64_t ns;
};

static uint64_t hash(const void *entry)
{
	return hash_u64(((const struct clock_entry *)entry)->pid);
}

static bool same_key(const void *a, const void *b)
{
	return ((const struct clock_entry *)a)->pid == ((const struct clock_entry *)b)->pid;
}

static const struct hash_kind kind = {
	.entry_size = sizeof(struct clock_entry),
	.used_at = offsetof(struct clock_entry, pid),
	.hash = hash,
	.same_key = same_key,
	.alloc = hash_heap_alloc,
	.release = hash_heap_release,
};

/*
 * Are the pids below this root those of our pid namespace? Not in a container that sees the /proc
 * of its host.
 */
static bool has_our_pids(const struct root *root)
{
	char link[24];
	uint32_t pid;

	return (root->live || root->simulated) &&
	       file_readlink(AT_FDCWD, "/proc/self", link, sizeof(link)) > 0 &&
	       parse_u32(link, &pid) == 0 && pid == (uint32_t)getpid();
}

/*
 * As clock_getcpuclockid() computes it, which in addition asks the kernel whether the process
 * exists.
 */
static clockid_t clock_of(int32_t pid)
{
	enum { PRECISE = 2 };

	return (clockid_t)(~(uint32_t)pid << 3 | PRECISE);
}

void process_clocks_begin(struct process_clocks *clocks)
{
	if (clocks->read.count)
		memset(clocks->read.entries, 0, clocks->read.room * kind.entry_size);
	clocks->read.count = 0;
}

int64_t process_clocks_read(struct process_clocks *clocks, int32_t pid)
{
	struct clock_entry entry = { .pid = (uint64_t)pid, .ns = -1 };
	const struct clock_entry *known;
	struct timespec time;

	if (clocks->state == CLOCKS_UNTRIED)
		clocks->state = has_our_pids(clocks->root) ? CLOCKS_USABLE : CLOCKS_UNUSABLE;
	if (clocks->state == CLOCKS_UNUSABLE || pid <= 0)
		return -1;
	known = hash_table_find(&clocks->read, &kind, &entry);
	if (known)
		return known->ns;
	if (clock_gettime(clock_of(pid), &time) == 0)
		entry.ns = time.tv_sec * NS_PER_S + time.tv_nsec;
	/* Out of memory, it is read again by the next caller. */
	(void)!hash_table_add(&clocks->read, &kind, &entry);
	return entry.ns;
}

void process_clocks_done(struct process_clocks *clocks)
{
	hash_table_done(&clocks->read, &kind);
}
