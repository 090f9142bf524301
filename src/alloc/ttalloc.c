/* The functions of ttalloc.h: check arguments, take the lock, call the tracker. */
#include "ttalloc.h"

#include "alloc/process.h"
#include "basic/pci_address.h"

#include <errno.h>
#include <string.h>

static_assert((int)TTALLOC_DRAM == POOL_DRAM && (int)TTALLOC_L1 == POOL_L1 &&
		      (int)TTALLOC_SYSTEM == POOL_SYSTEM &&
		      (int)TTALLOC_L1_SMALL == POOL_L1_SMALL && (int)TTALLOC_TRACE == POOL_TRACE &&
		      (int)TTALLOC_CB == POOL_CB && (int)TTALLOC_KERNEL == POOL_KERNEL,
	      "pools");
static_assert((int)TTALLOC_DOUBLE_FREE == TABLE_DOUBLE_FREE &&
		      (int)TTALLOC_UNKNOWN_FREE == TABLE_UNKNOWN_FREE &&
		      (int)TTALLOC_DUPLICATE == TABLE_DUPLICATE &&
		      (int)TTALLOC_ZERO_SIZE == TABLE_ZERO_SIZE &&
		      (int)TTALLOC_OVERFLOW == TABLE_OVERFLOW &&
		      (int)TTALLOC_UNKNOWN_DEVICE == TABLE_UNKNOWN_DEVICE &&
		      (int)TTALLOC_UNKNOWN_POOL == TABLE_UNKNOWN_POOL &&
		      (int)TTALLOC_UNLISTED == TABLE_UNLISTED && (int)TTALLOC_LOST == TABLE_LOST &&
		      TABLE_MISUSES == 9,
	      "misuses");

int ttalloc_report_alloc(unsigned device, enum ttalloc_pool pool, uint64_t id, uint64_t size)
{
	int64_t now;
	struct process_table *process = process_enter_device(device, &now);
	int r;

	if (!process)
		return 0;
	r = process_prepare_device(process, device);
	if (r == 0)
		r = tracker_alloc(&process->tracker, device, pool, id, size, (uint64_t)now);
	process_leave_device(process, device, now);
	return r;
}

int ttalloc_report_free(unsigned device, enum ttalloc_pool pool, uint64_t id)
{
	int64_t now;
	struct process_table *process = process_enter_device(device, &now);
	int r;

	if (!process)
		return 0;
	r = tracker_free(&process->tracker, device, pool, id, (uint64_t)now);
	process_leave_device(process, device, now);
	return r;
}

int ttalloc_report_failure(unsigned device, enum ttalloc_pool pool)
{
	int64_t now;
	struct process_table *process = process_enter_device(device, &now);
	int r;

	if (!process)
		return 0;
	r = process_prepare_device(process, device);
	if (r == 0)
		r = tracker_failure(&process->tracker, device, pool);
	process_leave_device(process, device, now);
	return r;
}

static int device_bind(unsigned device, const struct table_device *card)
{
	struct process_table *process;
	int64_t now;
	int r;

	if (device >= TABLE_DEVICES)
		return -ENODEV;
	process = process_enter_device(device, &now);
	if (!process)
		return 0;
	r = tracker_identify(&process->tracker, device, card);
	process_leave_device(process, device, now);
	return r;
}

int ttalloc_bind_node(unsigned device, unsigned node)
{
	if (node > TABLE_NODE_MAX)
		return -EINVAL;
	return device_bind(device, &(struct table_device){ .known = TABLE_HAS_NODE | TABLE_STATED,
							   .node = node });
}

int ttalloc_bind_bdf(unsigned device, const char *bdf)
{
	struct table_device card = { .known = TABLE_HAS_BDF | TABLE_STATED };

	if (!bdf || pci_address_parse(bdf, &card.bdf) < 0)
		return -EINVAL;
	return device_bind(device, &card);
}

int ttalloc_bind_asic(unsigned device, uint64_t asic)
{
	return device_bind(device, &(struct table_device){ .known = TABLE_HAS_ASIC | TABLE_STATED,
							   .asic = asic });
}

int ttalloc_set_program(const char *name)
{
	struct process_table *process;
	int64_t now;

	if (!name)
		return -EINVAL;
	process = process_enter(&now);
	if (!process)
		return 0;
	tracker_set_program(&process->tracker, name);
	process_leave(process, now);
	return 0;
}

void ttalloc_poll(void)
{
	enum phase phase;
	struct process_table *process = process_get(&phase);

	if (phase == PHASE_READY)
		process_look_if_due(process, clock_coarse());
}

enum ttalloc_state ttalloc_get_state(void)
{
	enum phase phase;
	struct process_table *process = process_get(&phase);

	switch (phase) {
	case PHASE_OFF: return TTALLOC_OFF;
	case PHASE_READY:
		return link_is_connected(&process->link) ? TTALLOC_CONNECTED : TTALLOC_LOCAL;
	case PHASE_NEW:
	case PHASE_FAILED: break;
	}
	return TTALLOC_UNAVAILABLE;
}

int ttalloc_get_usage(unsigned device, enum ttalloc_pool pool, struct ttalloc_usage *usage,
		      size_t size)
{
	struct ttalloc_usage result = { 0 };
	struct process_table *process;
	const uint64_t *word;
	int64_t now;

	if (device >= TABLE_DEVICES)
		return -ENODEV;
	if ((unsigned)pool >= POOL_COUNT)
		return -EINVAL;
	process = process_enter_device(device, &now);
	if (process) {
		word = process->tracker.devices[device].pool[pool];
		result = (struct ttalloc_usage){
			.now_bytes = word[TABLE_NOW],
			.peak_bytes = word[TABLE_PEAK],
			.allocs = word[TABLE_ALLOCS],
			.frees = word[TABLE_FREES],
			.failures = word[TABLE_FAILURES],
		};
		lock_release(&process->tracker.devices[device].lock);
	}
	memcpy(usage, &result, MIN(size, sizeof(result)));
	return 0;
}

uint64_t ttalloc_get_misuse(enum ttalloc_misuse kind)
{
	enum phase phase;
	struct process_table *process = process_get(&phase);

	if (phase != PHASE_READY || (unsigned)kind >= TABLE_MISUSES)
		return 0;
	return word_load(&process->tracker.header->misuse[kind]);
}

const char *ttalloc_version(void)
{
	return TTALLOC_VERSION;
}
