#include "render/metrics_derived.h"

#include "basic/clock.h"
#include "model/device_health.h"
#include "model/occupancy.h"
#include "render/format.h"

static const struct info_label {
	const char *name;
	enum device_field field;
} info_labels[] = {
	{ "name", DEV_NAME },	   { "board", DEV_BOARD },	   { "serial", DEV_SERIAL },
	{ "pci_bus_id", DEV_BDF }, { "node", DEV_NODE },	   { "tray", DEV_TRAY },
	{ "chip", DEV_CHIP },	   { "numa_node", DEV_NUMA_NODE }, { "firmware", DEV_FW_BUNDLE },
};

static void put_info_label(struct buf *out, bool *first, const struct info_label *label,
			   const struct device *dev)
{
	CLEANUP_BUF struct buf text = { 0 };
	struct value value;

	field_get(&device_fields, label->field, dev, &value);
	if (value.why != KNOWN)
		return;
	/* The kernel's -1: it names no node. */
	if (label->field == DEV_NUMA_NODE && dev->numa_node < 0)
		return;
	format_value(&text, &value, false);
	exposition_label(out, first, label->name, buf_text(&text));
}

void metrics_put_device_info(struct exposition *page)
{
	for (size_t i = 0; i < page->view->snapshot->n_devices; i++) {
		const struct device *dev = &page->view->snapshot->devices[i];
		CLEANUP_BUF struct buf labels = { 0 };
		bool first = true;

		for (size_t k = 0; k < ARRAY_SIZE(info_labels); k++)
			put_info_label(&labels, &first, &info_labels[k], dev);
		exposition_series(page, dev, labels.length ? buf_text(&labels) : NULL);
		exposition_number(page, 1);
	}
}

/* A chip without PCIe cannot be read at all, so nothing is known about it. */
void metrics_put_device_up(struct exposition *page)
{
	for (size_t i = 0; i < page->view->snapshot->n_devices; i++) {
		const struct device *dev = &page->view->snapshot->devices[i];

		if (dev->remote)
			continue;
		exposition_series(page, dev, NULL);
		exposition_number(page, device_is_served(dev) && !device_is_failing(dev));
	}
}

/* Absent for a device that is not prepared, or whose holders are unknown. */
void metrics_put_unused_claim(struct exposition *page)
{
	const struct snapshot *snapshot = page->view->snapshot;
	bool unused;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		if (!occupancy_is_unused_claim(snapshot, i, &unused))
			continue;
		exposition_series(page, &snapshot->devices[i], NULL);
		exposition_number(page, unused);
	}
}

/* A bound must not be taken for the value. */
void metrics_put_dispatch(struct exposition *page)
{
	static const char *const labels[BOUND_N] = {
		[BOUND_EXACT] = "kind=\"dispatch\"",
		[BOUND_LOWER] = "kind=\"dispatch_at_least\"",
		[BOUND_UPPER] = "kind=\"dispatch_at_most\"",
	};

	for (size_t i = 0; i < page->view->snapshot->n_devices; i++) {
		const struct device *dev = &page->view->snapshot->devices[i];

		if (!device_knows(dev, DEV_DISPATCH) || !device_knows(dev, DEV_BOUND))
			continue;
		exposition_series(page, dev, labels[dev->utilization.bound]);
		exposition_number(page, dev->utilization.share);
	}
}

static unsigned count_holders(const struct snapshot *snapshot, size_t device, enum role role)
{
	unsigned count = 0;

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];
		const struct usage *usage = process_find_usage(process, device);

		count += usage && !usage->stale && process->role == role;
	}
	return count;
}

void metrics_put_holders(struct exposition *page)
{
	const struct snapshot *snapshot = page->view->snapshot;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (!dev->holders_known)
			continue;
		exposition_series(page, dev, "role=\"job\"");
		exposition_number(page, count_holders(snapshot, i, ROLE_JOB));
		exposition_series(page, dev, "role=\"monitor\"");
		exposition_number(page, count_holders(snapshot, i, ROLE_MONITOR));
		exposition_series(page, dev, "role=\"unseen\"");
		exposition_number(page, dev->unseen_holders);
	}
}

static void put_source_series(struct exposition *page, const char *source, double number)
{
	CLEANUP_BUF struct buf label = { 0 };
	bool first = true;

	exposition_label(&label, &first, "source", source);
	exposition_series(page, NULL, buf_text(&label));
	exposition_number(page, number);
}

void metrics_put_source_up(struct exposition *page)
{
	const struct snapshot *snapshot = page->view->snapshot;

	for (size_t i = 0; i < snapshot->n_sources; i++)
		put_source_series(page, snapshot->sources[i].source, snapshot->sources[i].up);
}

void metrics_put_source_duration(struct exposition *page)
{
	const struct snapshot *snapshot = page->view->snapshot;

	for (size_t i = 0; i < snapshot->n_sources; i++)
		put_source_series(page, snapshot->sources[i].source,
				  (double)(snapshot->sources[i].duration_ns / 1000) / 1e6);
}

void metrics_put_build(struct exposition *page)
{
	CLEANUP_BUF struct buf labels = { 0 };
	const struct snapshot *snapshot = page->view->snapshot;
	bool first = true;

	exposition_label(&labels, &first, "version", page->view->version);
	if (snapshot->host.why[HOST_DRIVER] == KNOWN)
		exposition_label(&labels, &first, "driver", snapshot->host.driver);
	exposition_series(page, NULL, buf_text(&labels));
	exposition_number(page, 1);
}

/* Without a driver no device is served, which is a number too. */
void metrics_put_devices(struct exposition *page)
{
	const struct snapshot *snapshot = page->view->snapshot;
	unsigned served = 0;

	for (size_t i = 0; i < snapshot->n_devices; i++)
		served += device_is_served(&snapshot->devices[i]);
	exposition_series(page, NULL, NULL);
	exposition_number(page, served);
}

void metrics_put_expected(struct exposition *page)
{
	if (!page->view->expected)
		return;
	exposition_series(page, NULL, NULL);
	exposition_number(page, page->view->expected);
}

void metrics_put_dropped(struct exposition *page)
{
	exposition_series(page, NULL, NULL);
	exposition_number(page, (double)page->view->dropped);
}

void metrics_put_sample_time(struct exposition *page)
{
	exposition_series(page, NULL, NULL);
	exposition_number(page, (double)(page->view->snapshot->wall_ns / NS_PER_MS) / 1000);
}

void metrics_want_info(struct want *want)
{
	for (size_t i = 0; i < ARRAY_SIZE(info_labels); i++)
		want_add(want, OF_DEVICE, info_labels[i].field);
}
