#include "render/metrics_owners.h"

#include "model/owner_list.h"

/* Of owner_pools. */
static const char *const pool_labels[OWNER_POOLS] = { "dram", "l1" };

static void put_known(struct buf *out, bool *first, const char *name, const struct process *process,
		      enum process_field field, const char *text)
{
	if (process_knows(process, field))
		exposition_label(out, first, name, text);
}

/* Only labels of its kind: a job in a container has those of the job, not of the container. */
static void put_owner_labels(struct buf *out, bool *first, const struct process *process)
{
	const struct owner_texts *owner = &process->owner;
	enum owner_kind kind = owner_kind_of(process);

	exposition_label(out, first, "kind", owner_kind_names[kind]);
	if (kind == OWNER_POD) {
		put_known(out, first, "namespace", process, PROC_NAMESPACE, owner->namespace);
		exposition_label(out, first, "pod", owner_pod(process));
	}
	if ((kind == OWNER_POD || kind == OWNER_CONTAINER) && owner_container(process))
		exposition_label(out, first, "container", owner_container(process));
	if (kind == OWNER_SLURM) {
		exposition_label(out, first, "slurm_job", owner->slurm_job);
		put_known(out, first, "slurm_job_name", process, PROC_SLURM_NAME,
			  owner->slurm_name);
	}
	put_known(out, first, "user", process, PROC_USER, process->user);
}

static const struct owner_list *shown_owners(const struct exposition *page)
{
	static const struct owner_list none;

	return page->view->hide_owners || !page->view->owners ? &none : page->view->owners;
}

/* The labels of an owner; *first: there are no labels before them. */
static void begin_labels(struct buf *labels, const char *pool)
{
	bool first = true;

	buf_reset(labels);
	if (pool)
		exposition_label(labels, &first, "pool", pool);
}

static void put_memory(struct exposition *page, const struct device *dev, const struct buf *labels,
		       uint64_t bytes)
{
	exposition_series(page, dev, buf_text(labels));
	exposition_count(page, bytes);
}

static void make_labels(struct buf *labels, const char *pool, const struct process *process)
{
	bool first = !pool;

	begin_labels(labels, pool);
	put_owner_labels(labels, &first, process);
}

void metrics_put_owner_memory(struct exposition *page)
{
	const struct owner_list *owners = shown_owners(page);
	CLEANUP_BUF struct buf labels = { 0 };

	for (size_t i = 0; i < owners->count * OWNER_POOLS; i++) {
		const struct owner_entry *owner = &owners->list[i / OWNER_POOLS];
		const size_t pool = i % OWNER_POOLS;

		make_labels(&labels, pool_labels[pool], owner->process);
		for (size_t k = 0; k < owner->n_uses; k++)
			if (owner->uses[k].known[pool])
				put_memory(page,
					   &page->view->snapshot->devices[owner->uses[k].device],
					   &labels, owner->uses[k].bytes[pool]);
	}
}

void metrics_put_owner_processes(struct exposition *page)
{
	const struct owner_list *owners = shown_owners(page);
	CLEANUP_BUF struct buf labels = { 0 };

	for (size_t i = 0; i < owners->count; i++) {
		const struct owner_entry *owner = &owners->list[i];

		make_labels(&labels, NULL, owner->process);
		for (size_t k = 0; k < owner->n_uses; k++) {
			exposition_series(page,
					  &page->view->snapshot->devices[owner->uses[k].device],
					  buf_text(&labels));
			exposition_number(page, owner->uses[k].processes);
		}
	}
}

void metrics_put_owner_devices(struct exposition *page)
{
	const struct owner_list *owners = shown_owners(page);
	CLEANUP_BUF struct buf labels = { 0 };

	for (size_t i = 0; i < owners->count; i++) {
		make_labels(&labels, NULL, owners->list[i].process);
		exposition_series(page, NULL, buf_text(&labels));
		exposition_number(page, (double)owners->list[i].n_uses);
	}
}

void metrics_put_owner_quiet(struct exposition *page)
{
	const struct owner_list *owners = shown_owners(page);
	CLEANUP_BUF struct buf labels = { 0 };

	for (size_t i = 0; i < owners->count; i++) {
		if (!owners->list[i].quiet_known)
			continue;
		make_labels(&labels, NULL, owners->list[i].process);
		exposition_series(page, NULL, buf_text(&labels));
		exposition_number(page, owners->list[i].quiet);
	}
}

/* ---- single processes ---- */

static size_t count_process_series(const struct process *process)
{
	size_t count = 0;

	for (size_t i = 0; i < process->n_usages; i++)
		for (size_t pool = 0; pool < OWNER_POOLS; pool++)
			count += process->usages[i].why[usage_pools[owner_pools[pool]].bytes] ==
				 KNOWN;
	return count;
}

size_t metrics_dropped_processes(const struct snapshot *snapshot)
{
	size_t count = 0, shown = 0;

	for (size_t i = 0; i < snapshot->n_processes; i++)
		if (owner_counts(&snapshot->processes[i]) && ++shown > METRICS_PROCESSES)
			count += count_process_series(&snapshot->processes[i]);
	return count;
}

static void put_process(struct exposition *page, const struct process *process, size_t pool)
{
	const enum usage_field field = usage_pools[owner_pools[pool]].bytes;
	CLEANUP_BUF struct buf labels = { 0 }, pid = { 0 };
	bool first = false;

	begin_labels(&labels, pool_labels[pool]);
	buf_printf(&pid, "%d", process->pid);
	exposition_label(&labels, &first, "pid", buf_text(&pid));
	put_known(&labels, &first, "name", process, PROC_NAME, process->name);
	put_owner_labels(&labels, &first, process);
	for (size_t i = 0; i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];

		if (usage->why[field] == KNOWN && !usage->stale)
			put_memory(page, &page->view->snapshot->devices[usage->device], &labels,
				   usage->bytes[owner_pools[pool]]);
	}
}

void metrics_put_process_memory(struct exposition *page)
{
	const struct snapshot *snapshot = page->view->snapshot;
	size_t shown = 0;

	if (page->view->hide_owners)
		return;
	for (size_t i = 0; i < snapshot->n_processes && shown < METRICS_PROCESSES; i++) {
		if (!owner_counts(&snapshot->processes[i]))
			continue;
		shown++;
		for (size_t pool = 0; pool < OWNER_POOLS; pool++)
			put_process(page, &snapshot->processes[i], pool);
	}
}
