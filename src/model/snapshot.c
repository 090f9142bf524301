#include "model/snapshot.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct host, member)

/* clang-format off */
static const struct field table[HOST_N_FIELDS] = {
	[HOST_TIMESTAMP] = { "timestamp", NULL, NULL, NULL, NULL,
		"local time of the sample", K_STRING, U_NONE, AT(timestamp) },
	[HOST_DRIVER] = { "driver_version", "kmd_version", "driver_version", NULL, NULL,
		"version of the kernel driver", K_STRING, U_NONE, AT(driver) },
	[HOST_COUNT] = { "count", NULL, NULL, NULL, NULL,
		"number of PCIe devices that the driver serves, or served until they were lost", K_U32, U_NONE, AT(count) },
	[HOST_HOSTNAME] = { "hostname", NULL, "hostname", NULL, NULL,
		"name of the machine", K_STRING, U_NONE, AT(hostname) },
	[HOST_KERNEL] = { "kernel", NULL, "kernel", NULL, NULL,
		"version of the kernel", K_STRING, U_NONE, AT(kernel) },
};
/* clang-format on */

const struct field_table host_fields = {
	.fields = table,
	.count = ARRAY_SIZE(table),
	.why_offset = offsetof(struct host, why),
	.of = OF_HOST,
};

const char *snapshot_server(const struct snapshot *snapshot)
{
	if (snapshot->server_pid)
		return "server running";
	return snapshot->server_unresponsive ? "server does not answer" : NULL;
}

int snapshot_new(struct snapshot **ret)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (!snapshot)
		return -ENOMEM;
	memset(snapshot->host.why, NOT_OFFERED, sizeof(snapshot->host.why));
	atomic_init(&snapshot->refs, 1);
	*ret = snapshot;
	return 0;
}

/* Frees the part that can be borrowed. */
static void free_processes(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_processes; i++)
		process_done(&snapshot->processes[i]);
	for (size_t i = 0; i < snapshot->n_problems; i++)
		free(snapshot->problems[i].text);
	free(snapshot->processes);
	free(snapshot->stale_usages);
	free(snapshot->accounts);
	free(snapshot->problems);
}

struct snapshot *snapshot_free(struct snapshot *snapshot)
{
	/* Acquire-release: the last owner sees the writes of all others before it frees. */
	if (!snapshot || atomic_fetch_sub_explicit(&snapshot->refs, 1, memory_order_acq_rel) > 1)
		return NULL;
	if (snapshot->lender)
		snapshot_free(snapshot->lender);
	else
		free_processes(snapshot);
	free(snapshot->devices);
	free(snapshot);
	return NULL;
}

size_t snapshot_bytes(const struct snapshot *snapshot)
{
	size_t bytes = sizeof(*snapshot) + snapshot->n_devices * sizeof(snapshot->devices[0]) +
		       snapshot->n_stale_usages * sizeof(snapshot->stale_usages[0]) +
		       snapshot->n_accounts * sizeof(snapshot->accounts[0]);

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];

		bytes += sizeof(*process) + (process->command ? strlen(process->command) : 0);
		for (size_t k = 0; k < process->n_usages; k++)
			bytes += sizeof(process->usages[k]) +
				 process->usages[k].list.room * sizeof(struct allocation);
	}
	return bytes;
}

static bool devices_are_same(const struct snapshot *a, const struct snapshot *b)
{
	for (size_t i = 0; i < a->n_devices && i < b->n_devices; i++) {
		const struct device *x = &a->devices[i], *y = &b->devices[i];

		if (strcmp(x->id, y->id) != 0 || strcmp(x->bdf, y->bdf) != 0 ||
		    x->state != y->state)
			return false;
	}
	return a->n_devices == b->n_devices;
}

bool snapshot_borrow(struct snapshot *snapshot, struct snapshot *before)
{
	struct snapshot *lender = before->lender ? before->lender : before;

	if (!devices_are_same(snapshot, before))
		return false;
	free_processes(snapshot);
	atomic_fetch_add_explicit(&lender->refs, 1, memory_order_relaxed);
	snapshot->lender = lender;
	snapshot->asked_ns = lender->asked_ns;
	snapshot->server_pid = lender->server_pid;
	snapshot->server_unresponsive = lender->server_unresponsive;
	snapshot->processes = lender->processes;
	snapshot->n_processes = lender->n_processes;
	snapshot->stale_usages = lender->stale_usages;
	snapshot->n_stale_usages = lender->n_stale_usages;
	snapshot->accounts = lender->accounts;
	snapshot->n_accounts = lender->n_accounts;
	snapshot->problems = lender->problems;
	snapshot->n_problems = lender->n_problems;
	for (size_t i = 0; i < snapshot->n_devices; i++)
		device_copy_use(&snapshot->devices[i], &before->devices[i]);
	return true;
}

/* Grows an array by doubling to hold one more item. NULL: out of memory. */
static void *grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? count * 2 : 1, size);
}

struct device *snapshot_add_device(struct snapshot *snapshot, const struct device *device)
{
	struct device *grown =
		grow(snapshot->devices, snapshot->n_devices, sizeof(*snapshot->devices));
	size_t at = snapshot->n_devices;

	if (!grown)
		return NULL;
	snapshot->devices = grown;
	snapshot->n_devices++;
	for (; at > 0 && (grown[at - 1].index > device->index ||
			  (grown[at - 1].index == device->index && grown[at - 1].remote));
	     at--)
		grown[at] = grown[at - 1];
	grown[at] = *device;
	return &grown[at];
}

struct process *snapshot_find_process(const struct snapshot *snapshot, int32_t pid)
{
	size_t low = 0, high = snapshot->n_processes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (snapshot->processes[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < snapshot->n_processes && snapshot->processes[low].pid == pid)
		return &snapshot->processes[low];
	return NULL;
}

struct process *snapshot_add_process(struct snapshot *snapshot, int32_t pid)
{
	struct process *found = snapshot_find_process(snapshot, pid), *grown;
	size_t at = snapshot->n_processes;

	if (found)
		return found;
	grown = grow(snapshot->processes, at, sizeof(*snapshot->processes));
	if (!grown)
		return NULL;
	snapshot->processes = grown;
	snapshot->n_processes++;
	for (; at > 0 && grown[at - 1].pid > pid; at--)
		grown[at] = grown[at - 1];
	process_init(&grown[at], pid);
	return &grown[at];
}

/* Inserts by device: the files that they come from are unordered. */
int snapshot_add_stale_usage(struct snapshot *snapshot, const struct stale_usage *stale)
{
	struct stale_usage *grown = grow(snapshot->stale_usages, snapshot->n_stale_usages,
					 sizeof(*snapshot->stale_usages));
	size_t at = snapshot->n_stale_usages;

	if (!grown)
		return -ENOMEM;
	snapshot->stale_usages = grown;
	snapshot->n_stale_usages++;
	for (; at > 0 && grown[at - 1].device > stale->device; at--)
		grown[at] = grown[at - 1];
	grown[at] = *stale;
	return 0;
}

int snapshot_add_accounted(struct snapshot *snapshot, const struct accounted *account)
{
	struct accounted *grown =
		grow(snapshot->accounts, snapshot->n_accounts, sizeof(*snapshot->accounts));

	if (!grown)
		return -ENOMEM;
	snapshot->accounts = grown;
	snapshot->accounts[snapshot->n_accounts++] = *account;
	return 0;
}

void snapshot_add_problem(struct snapshot *snapshot, const char *source, const char *format, ...)
{
	struct problem *grown =
		grow(snapshot->problems, snapshot->n_problems, sizeof(*snapshot->problems));
	va_list ap;
	char *text;
	int n;

	if (!grown)
		return;
	snapshot->problems = grown;
	va_start(ap, format);
	n = vasprintf(&text, format, ap);
	va_end(ap);
	if (n >= 0)
		snapshot->problems[snapshot->n_problems++] =
			(struct problem){ .source = source, .text = text };
}

/* Drops the usage on removed devices and renumbers the rest. */
static void process_keep(struct process *process, const size_t *moved)
{
	size_t kept = 0;

	for (size_t i = 0; i < process->n_usages; i++) {
		size_t device = moved[process->usages[i].device];

		if (device == SIZE_MAX) {
			allocation_list_reset(&process->usages[i].list, NOT_ASKED);
			continue;
		}
		process->usages[kept] = process->usages[i];
		process->usages[kept++].device = device;
	}
	process->n_usages = kept;
}

/* The same chip at the same place on the bus: an index can be reused by another card. */
static bool is_same(const struct device *dev, const struct device *other)
{
	return !other->remote && strcmp(other->bdf, dev->bdf) == 0 &&
	       (dev->bdf[0] || other->index == dev->index);
}

const struct device *snapshot_find_device(const struct snapshot *snapshot, const struct device *dev,
					  size_t hint)
{
	if (!snapshot)
		return NULL;
	if (hint < snapshot->n_devices && is_same(dev, &snapshot->devices[hint]))
		return &snapshot->devices[hint];
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (is_same(dev, &snapshot->devices[i]))
			return &snapshot->devices[i];
	return NULL;
}

const char *snapshot_problem(const struct snapshot *snapshot, const char *source)
{
	for (size_t i = 0; i < snapshot->n_problems; i++)
		if (strcmp(snapshot->problems[i].source, source) == 0)
			return snapshot->problems[i].text;
	return "";
}

void snapshot_drop_idle(struct snapshot *snapshot)
{
	size_t kept = 0;

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		struct process *process = &snapshot->processes[i];

		if (process->n_usages)
			snapshot->processes[kept++] = *process;
		else
			process_done(process);
	}
	snapshot->n_processes = kept;
}

static void keep_processes(struct snapshot *snapshot, const size_t *moved)
{
	for (size_t i = 0; i < snapshot->n_processes; i++)
		process_keep(&snapshot->processes[i], moved);
	snapshot_drop_idle(snapshot);
}

static void keep_stale_usages(struct snapshot *snapshot, const size_t *moved)
{
	size_t kept = 0;

	for (size_t i = 0; i < snapshot->n_stale_usages; i++) {
		struct stale_usage *stale = &snapshot->stale_usages[i];

		if (moved[stale->device] == SIZE_MAX)
			continue;
		stale->device = moved[stale->device];
		snapshot->stale_usages[kept++] = *stale;
	}
	snapshot->n_stale_usages = kept;
}

static void keep_accounts(struct snapshot *snapshot, const size_t *moved)
{
	size_t kept = 0;

	for (size_t i = 0; i < snapshot->n_accounts; i++) {
		struct accounted *account = &snapshot->accounts[i];

		if (account->device == SIZE_MAX || moved[account->device] == SIZE_MAX)
			continue;
		account->device = moved[account->device];
		snapshot->accounts[kept++] = *account;
	}
	snapshot->n_accounts = kept;
}

void snapshot_keep(struct snapshot *snapshot, const bool *keep)
{
	CLEANUP_FREE size_t *moved = calloc(snapshot->n_devices + 1, sizeof(*moved));
	size_t kept = 0;

	if (!moved)
		return;
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		moved[i] = keep[i] ? kept : SIZE_MAX;
		if (keep[i])
			snapshot->devices[kept++] = snapshot->devices[i];
	}
	keep_processes(snapshot, moved);
	keep_stale_usages(snapshot, moved);
	keep_accounts(snapshot, moved);
	snapshot->n_devices = kept;
}

static void hide(uint8_t *why)
{
	if (*why == KNOWN)
		*why = DENIED;
}

void snapshot_hide_operations(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++)
		hide(&snapshot->devices[i].why[DEV_OPERATION]);
	for (size_t i = 0; i < snapshot->n_processes && !snapshot->lender; i++) {
		struct process *process = &snapshot->processes[i];

		for (size_t k = 0; k < process->n_usages; k++)
			hide(&process->usages[k].why[USE_OPERATION]);
	}
}
