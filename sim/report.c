#include "report.h"

#include "basic/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <ttalloc.h>

/* The first amount of a pool is allocated in this many pieces, like the layers of a model. */
enum { FIRST_PIECES = 16 };

/* Ids look like addresses: device, pool, index. */
static uint64_t make_id(const struct report_event *event, unsigned place)
{
	return (uint64_t)event->pool << 40 | (uint64_t)(place + 1) << 20;
}

static void push(struct workload_report *report, struct report_stack *stack,
		 struct report_event event, uint64_t size, report_function *tell)
{
	event.size = size;
	event.id = make_id(&event, stack->count);
	stack->sizes[stack->count++] = size;
	stack->bytes += size;
	tell(report, &event);
}

static void pop(struct workload_report *report, struct report_stack *stack,
		struct report_event event, report_function *tell)
{
	event.size = 0;
	event.id = make_id(&event, --stack->count);
	stack->bytes -= stack->sizes[stack->count];
	tell(report, &event);
}

static void reach_pool(struct workload_report *report, struct report_stack *stack,
		       const struct report_event *event, uint64_t bytes, report_function *tell)
{
	while (stack->bytes > bytes)
		pop(report, stack, *event, tell);
	/* The limit is reached: frees the last one and allocates it again with a larger size. */
	if (stack->bytes < bytes && stack->count == REPORT_MOST)
		pop(report, stack, *event, tell);
	if (stack->count == 0 && bytes >= FIRST_PIECES << 20)
		for (unsigned i = 0; i < FIRST_PIECES; i++)
			push(report, stack, *event, bytes / FIRST_PIECES, tell);
	if (stack->bytes < bytes)
		push(report, stack, *event, bytes - stack->bytes, tell);
}

void report_reach(struct workload_report *report, unsigned device, unsigned logical,
		  const uint64_t bytes[static POOLS], report_function *tell)
{
	for (enum sim_pool pool = 0; pool < POOLS; pool++) {
		const struct report_event event = { .device = device,
						    .logical = logical,
						    .pool = pool };

		reach_pool(report, &report->stacks[device][pool], &event, bytes[pool], tell);
	}
}

/* ---- libttalloc ---- */

void report_to_table(struct workload_report *report, const struct report_event *event)
{
	static const enum ttalloc_pool pools[POOLS] = {
		[POOL_DRAM] = TTALLOC_DRAM,
		[POOL_L1] = TTALLOC_L1,
		[POOL_L1_SMALL] = TTALLOC_L1_SMALL,
		[POOL_TRACE] = TTALLOC_TRACE,
		[POOL_CB] = TTALLOC_CB,
	};

	(void)report;
	if (event->size)
		ttalloc_report_alloc(event->device, pools[event->pool], event->id, event->size);
	else
		ttalloc_report_free(event->device, pools[event->pool], event->id);
}

/* ---- the legacy socket ---- */

enum { RECORD = 144, CB_ALLOC = 8, CB_FREE = 9, ALLOC = 1, FREE = 2 };

static void put(uint8_t *at, uint64_t value, size_t length)
{
	for (size_t i = 0; i < length; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/*
 * Blocking, like the last version of the original client: one message per event, and none is lost.
 */
void report_to_socket(struct workload_report *report, const struct report_event *event)
{
	static const uint8_t types[POOLS] = {
		[POOL_DRAM] = 0,
		[POOL_L1] = 1,
		[POOL_L1_SMALL] = 3,
		[POOL_TRACE] = 4,
	};
	bool cb = event->pool == POOL_CB;
	uint8_t record[RECORD] = { 0 };

	if (report->socket < 0)
		return;
	record[0] = event->size ? (cb ? CB_ALLOC : ALLOC) : (cb ? CB_FREE : FREE);
	put(record + 4, event->logical, 4);
	put(record + 8, event->size, 8);
	record[16] = types[event->pool];
	put(record + 20, (uint64_t)getpid(), 4);
	put(record + 24, event->id, 8);
	put(record + 32, (uint64_t)clock_now(CLOCK_REALTIME), 8);
	if (send(report->socket, record, sizeof(record), MSG_NOSIGNAL) == sizeof(record))
		return;
	close(report->socket);
	report->socket = -1;
}

int report_connect(struct workload_report *report, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	CLEANUP_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	report->socket = -1;
	if (fd < 0)
		return -errno;
	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	report->socket = TAKE_FD(fd);
	return 0;
}
