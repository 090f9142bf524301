#include "source/reported_holders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void reported_holders_init(struct reported_holders *reported, const struct root *root)
{
	*reported = (struct reported_holders){ 0 };
	bpf_text_init(&reported->kernel_text, root, TRACED_HOLDERS);
}

static struct driver_pids *find_driver_pids(struct reported_holders *reported,
					    const struct root *root, uint32_t index)
{
	struct driver_pids **grown, *list;

	for (size_t i = 0; i < reported->n_driver; i++)
		if (reported->driver[i]->index == index)
			return reported->driver[i];
	grown = reallocarray(reported->driver, reported->n_driver + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	reported->driver = grown;
	list = calloc(1, sizeof(*list));
	if (!list)
		return NULL;
	driver_pids_init(list, root, index);
	return reported->driver[reported->n_driver++] = list;
}

/* The list of a removed device does not apply to the next one with its index. */
static void forget_driver_pids(struct reported_holders *reported, struct worker_pool *workers,
			       uint32_t index)
{
	for (size_t i = 0; i < reported->n_driver; i++) {
		struct driver_pids *list = reported->driver[i];

		if (list->index == index && !job_is_busy(workers, &list->job))
			driver_pids_forget(list);
	}
}

static void drop_descriptors(struct reported_holders *reported)
{
	free(reported->descriptors);
	reported->descriptors = NULL;
	reported->n_descriptors = 0;
	reported->kernel_lists = false;
}

static int parse_kernel_text(struct reported_holders *reported, struct sample *sample)
{
	const char *text = bpf_text_get(&reported->kernel_text, sample);
	int r;

	if (!text)
		return 0;
	r = traced_parse_holders(text, &reported->descriptors, &reported->n_descriptors);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		bpf_text_report_error(&reported->kernel_text, sample, r);
	reported->kernel_lists = r >= 0;
	return 0;
}

int reported_holders_expect(struct reported_holders *reported, struct sample *sample)
{
	int r = 0;

	for (size_t i = 0; i < reported->n_driver && r >= 0; i++) {
		struct driver_pids *list = reported->driver[i];

		if (job_is_busy(sample->workers, &list->job))
			continue;
		list->job = (struct job){ .run = driver_pids_read, .arg = list };
		list->early = true;
		r = sample_expect(sample, &list->job);
	}
	return r;
}

/* Has the job been run by sample_expect() already, or does an earlier one hang? */
static bool was_early(struct driver_pids *list, struct worker_pool *workers)
{
	bool early = list->early && job_is_done(workers, &list->job);

	list->early = false;
	return early || job_is_busy(workers, &list->job);
}

int reported_holders_read(struct reported_holders *reported, struct sample *sample)
{
	struct snapshot *snapshot = sample->snapshot;
	CLEANUP_FREE struct job **jobs = calloc(snapshot->n_devices + 1, sizeof(struct job *));
	struct job *kernel = bpf_text_job(&reported->kernel_text, sample);
	size_t count = 0;

	drop_descriptors(reported);
	if (!jobs)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];
		struct driver_pids *list;

		if (device_has_node(dev) && !device_is_served(dev))
			forget_driver_pids(reported, sample->workers, dev->index);
		if (!device_is_served(dev))
			continue;
		list = find_driver_pids(reported, sample->root, dev->index);
		if (!list)
			return -ENOMEM;
		if (was_early(list, sample->workers))
			continue;
		list->job = (struct job){ .run = driver_pids_read, .arg = list };
		jobs[count++] = &list->job;
	}
	if (kernel)
		jobs[count++] = kernel;
	if (count)
		worker_pool_run(sample->workers, jobs, count, sample->deadline_ns);
	for (size_t i = 0; i < reported->n_driver; i++)
		reported->driver[i]->late =
			!job_is_done(sample->workers, &reported->driver[i]->job);
	return parse_kernel_text(reported, sample);
}

/* One line of a list: this process has this device open. */
struct hold_report {
	int32_t pid;
	uint32_t index;
	const struct traced_holder *descriptor; /* NULL: the driver's list */
};

static int by_pid(const void *a, const void *b)
{
	int32_t x = ((const struct hold_report *)a)->pid, y = ((const struct hold_report *)b)->pid;

	return (x > y) - (x < y);
}

/* The lines of all lists, sorted by pid. */
static int collect(const struct reported_holders *reported, struct hold_report **ret,
		   size_t *ret_count)
{
	size_t count = 0, room = reported->n_descriptors;
	struct hold_report *all;

	for (size_t i = 0; i < reported->n_driver; i++)
		if (driver_pids_are_read(reported->driver[i]))
			room += reported->driver[i]->n_pids;
	all = calloc(room + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < reported->n_driver; i++) {
		const struct driver_pids *list = reported->driver[i];

		for (size_t k = 0; driver_pids_are_read(list) && k < list->n_pids; k++)
			all[count++] = (struct hold_report){ list->pids[k], list->index, NULL };
	}
	for (size_t i = 0; i < reported->n_descriptors; i++) {
		const struct traced_holder *holder = &reported->descriptors[i];

		all[count++] = (struct hold_report){ holder->pid, holder->device, holder };
	}
	qsort(all, count, sizeof(*all), by_pid);
	*ret = all;
	*ret_count = count;
	return 0;
}

/*
 * A line of the kernel's list also has the name of the process, and the role that the tracer found.
 */
static void record_descriptor(const struct traced_holder *holder, struct hold_record *record)
{
	struct role_evidence *role = &record->evidence.role;

	device_set_add(&record->evidence.kernel_lists, holder->device);
	snprintf(record->comm, sizeof(record->comm), "%s", holder->comm);
	if (holder->role == TRACED_ROLE_UNKNOWN)
		return;
	role->reported =
		holder->role == TRACED_ROLE_MONITOR ? ROLE_REPORTED_MONITOR : ROLE_REPORTED_JOB;
	role->reported_start = holder->start_ticks;
}

int reported_holders_record(const struct reported_holders *reported, bool foreign_pids,
			    struct hold_records *records)
{
	CLEANUP_FREE struct hold_report *reports = NULL;
	int32_t self = reported->kernel_text.root->live ? getpid() : 0;
	size_t count = 0;
	int r = collect(reported, &reports, &count);

	for (size_t i = 0; i < count && r >= 0; i++) {
		struct hold_record *record;

		/* Our parent process may have passed us a descriptor. */
		if (reports[i].pid == self)
			continue;
		record = hold_records_get(records, reports[i].pid);
		if (!record)
			return -ENOMEM;
		record->evidence.foreign_pids = foreign_pids;
		if (reports[i].descriptor)
			record_descriptor(reports[i].descriptor, record);
		else
			device_set_add(&record->evidence.driver_lists, reports[i].index);
	}
	hold_records_sort(records);
	return r;
}

bool reported_holders_done(struct reported_holders *reported, struct worker_pool *workers)
{
	for (size_t i = 0; i < reported->n_driver; i++) {
		struct driver_pids *list = reported->driver[i];

		if (job_is_busy(workers, &list->job))
			continue;
		driver_pids_done(list);
		free(list);
	}
	free(reported->driver);
	free(reported->descriptors);
	return bpf_text_done(&reported->kernel_text, workers);
}
