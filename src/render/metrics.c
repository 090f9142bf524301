#include "render/metrics.h"

#include "render/metrics_derived.h"
#include "render/metrics_owners.h"

#include <string.h>

const char *const metric_group_names[GROUP_MACHINE] = {
	[GROUP_DEVICE] = "device",
	[GROUP_THERMAL] = "thermal",
	[GROUP_POWER] = "power",
	[GROUP_CLOCK] = "clock",
	[GROUP_UTILIZATION] = "utilization",
	[GROUP_MEMORY] = "memory",
	[GROUP_PCIE] = "pcie",
	[GROUP_HOLDERS] = "holders",
	[GROUP_OWNERS] = "owners",
	[GROUP_PROCESSES] = "processes",
	[GROUP_DETAILS] = "details",
	[GROUP_SOURCES] = "sources",
};

const char *metrics_content_type(enum metrics_format format)
{
	return format == METRICS_OPENMETRICS
		       ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
		       : "text/plain; version=0.0.4; charset=utf-8";
}

static void put_field(struct exposition *page, const struct metric_row *row,
		      const struct field_table *table, const void *object, const struct device *dev)
{
	struct value value;

	field_get(table, row->value.index, object, &value);
	if (value.why != KNOWN)
		return;
	exposition_series(page, dev, row->labels);
	if (value.field->kind == K_U64)
		exposition_count(page, value.exact - value.exact % MAX(row->step, 1));
	else
		exposition_number(page, value.number);
}

/* The series of one device. */
static void put_device_field(struct exposition *page, const struct metric_row *row, size_t device)
{
	const struct device *dev = &page->view->snapshot->devices[device];

	if (row->value.of == OF_TOTALS)
		put_field(page, row, &totals_fields, &page->view->totals[device], dev);
	else
		put_field(page, row, &device_fields, dev, dev);
}

/*
 * A run of rows of one family. The series of a device stand together: so they are more alike, and
 * are compressed better.
 */
static void put_fields(struct exposition *page, const struct metric_row *run, size_t count)
{
	const struct snapshot *snapshot = page->view->snapshot;

	if (run->value.of == OF_HOST)
		put_field(page, run, &host_fields, &snapshot->host, NULL);
	for (size_t i = 0; run->value.of != OF_HOST && i < snapshot->n_devices; i++)
		for (size_t k = 0; k < count; k++)
			put_device_field(page, &run[k], i);
}

/* Lower digits of large counters are noise, and make up a tenth of a compressed page. */
enum { KILOBYTE = 1000 };

/* clang-format off */
static const struct metric_row rows[] = {
	{ "build", INFO, GROUP_MACHINE, .put = metrics_put_build, .labels = "version,driver",
		.help = "version of tt_smi and of the driver; of the driver only if it is loaded" },
	{ "devices", GAUGE, GROUP_MACHINE, .put = metrics_put_devices,
		.help = "devices that the driver serves; with PCIe" },
	{ "devices_expected", GAUGE, GROUP_MACHINE, .put = metrics_put_expected,
		.help = "devices expected; as given by --expect" },
	{ "sample_timestamp", GAUGE, GROUP_MACHINE, .put = metrics_put_sample_time, .unit = U_TIME,
		.help = "time of the sample; when these values were read, in seconds since 1970" },
	{ "series_dropped", COUNTER, GROUP_MACHINE, .put = metrics_put_dropped,
		.help = "series dropped; of owners and processes beyond the limits, added up over all samples" },

	{ "device", INFO, GROUP_DEVICE, .put = metrics_put_device_info,
		.labels = "name,board,serial,pci_bus_id,node,tray,chip,numa_node,firmware",
		.help = "what the device is and where" },
	{ "device_up", GAUGE, GROUP_DEVICE, .put = metrics_put_device_up,
		.help = "1 if it has current readings; and the driver serves it" },
	{ "device_dirty", GAUGE, GROUP_DEVICE, DEVICE_FIELD(DIRTY),
		.help = "1 if a job was killed since the last reset; or crashed; observed by the tracer or the allocation server" },
	{ "device_claim_unused", GAUGE, GROUP_DEVICE, .put = metrics_put_unused_claim,
		.help = "1 if the vendor's DRA driver has prepared the device for a claim of Kubernetes and no process has it open, 0 if one has" },
	{ "quiet", GAUGE, GROUP_DEVICE, DEVICE_FIELD(QUIET),
		.help = "time since the last work; shown by PCIe traffic or the end of a program, or since observation began; needs a loop, the allocation server or the tracer" },
	{ "resets", COUNTER, GROUP_DEVICE, TOTAL_FIELD(RESETS) },
	{ "firmware_heartbeats", COUNTER, GROUP_DEVICE, TOTAL_FIELD(HEARTBEATS) },

	{ "temperature", GAUGE, GROUP_THERMAL, DEVICE_FIELD(TEMPERATURE), "sensor=\"asic\"", .help = "temperature of the chip" },
	{ "temperature_limit", GAUGE, GROUP_THERMAL, DEVICE_FIELD(TEMPERATURE_LIMIT), "sensor=\"asic\",kind=\"throttle\"",
		.help = "temperature limit of the chip; at which it slows down" },
	{ "thermal_trips", COUNTER, GROUP_THERMAL, TOTAL_FIELD(THERMAL_TRIPS) },
	{ "fan", GAUGE, GROUP_THERMAL, DEVICE_FIELD(FAN_RPM), .help = "fan speed" },

	{ "power", GAUGE, GROUP_POWER, DEVICE_FIELD(POWER), "domain=\"chip\"", .help = "power of the chip; not of the board" },
	{ "power_limit", GAUGE, GROUP_POWER, DEVICE_FIELD(POWER_LIMIT), "domain=\"chip\"" },
	{ "energy", COUNTER, GROUP_POWER, TOTAL_FIELD(ENERGY), "domain=\"chip\"" },
	{ "voltage", GAUGE, GROUP_POWER, DEVICE_FIELD(VOLTAGE) },
	{ "current", GAUGE, GROUP_POWER, DEVICE_FIELD(CURRENT) },
	{ "current_limit", GAUGE, GROUP_POWER, DEVICE_FIELD(CURRENT_LIMIT), .help = "core current limit" },

	{ "clock", GAUGE, GROUP_CLOCK, DEVICE_FIELD(AICLK), "clock=\"ai\"",
		.help = "clocks of the chip; ai: of the Tensix cores; with --collect details axi of the AXI bus, arc of the management core" },
	{ "clock", GAUGE, GROUP_DETAILS, DEVICE_FIELD(AXICLK), "clock=\"axi\"" },
	{ "clock", GAUGE, GROUP_DETAILS, DEVICE_FIELD(ARCCLK), "clock=\"arc\"" },

	{ "utilization", GAUGE, GROUP_UTILIZATION, .put = metrics_put_dispatch, .labels = "kind", .unit = U_RATIO,
		.help = "share of time with a program; dispatch: of the last second, or a bound of it; compute: mean over cores, as a program publishes it" },
	{ "utilization", GAUGE, GROUP_UTILIZATION, DEVICE_FIELD(COMPUTE), "kind=\"compute\"" },

	{ "memory_size", GAUGE, GROUP_MEMORY, DEVICE_FIELD(DRAM_TOTAL), "pool=\"dram\"",
		.help = "memory for processes" },
	{ "memory_size", GAUGE, GROUP_MEMORY, DEVICE_FIELD(L1_TOTAL), "pool=\"l1\"" },
	{ "memory_used", GAUGE, GROUP_MEMORY, DEVICE_FIELD(DRAM_USED), "pool=\"dram\"",
		.help = "memory that processes use; as far as they are tracked, a lower bound unless complete; dram includes trace, l1 includes l1_small; with --collect details also trace, l1_small and cb, circular buffers" },
	{ "memory_used", GAUGE, GROUP_MEMORY, DEVICE_FIELD(L1_USED), "pool=\"l1\"" },
	{ "memory_used", GAUGE, GROUP_DETAILS, DEVICE_FIELD(TRACE_USED), "pool=\"trace\"" },
	{ "memory_used", GAUGE, GROUP_DETAILS, DEVICE_FIELD(L1_SMALL_USED), "pool=\"l1_small\"" },
	{ "memory_used", GAUGE, GROUP_DETAILS, DEVICE_FIELD(CB_USED), "pool=\"cb\"" },
	{ "memory_peak", GAUGE, GROUP_MEMORY, TOTAL_FIELD(PEAK_DRAM), "pool=\"dram\"" },
	{ "memory_peak", GAUGE, GROUP_MEMORY, TOTAL_FIELD(PEAK_L1), "pool=\"l1\"" },
	{ "allocations", COUNTER, GROUP_MEMORY, TOTAL_FIELD(ALLOCATIONS_DRAM), "pool=\"dram\"" },
	{ "allocations", COUNTER, GROUP_MEMORY, TOTAL_FIELD(ALLOCATIONS_L1), "pool=\"l1\"" },
	{ "allocation_failures", COUNTER, GROUP_MEMORY, TOTAL_FIELD(FAILURES_DRAM), "pool=\"dram\"" },
	{ "allocation_failures", COUNTER, GROUP_MEMORY, TOTAL_FIELD(FAILURES_L1), "pool=\"l1\"" },
	{ "memory_complete", GAUGE, GROUP_MEMORY, DEVICE_FIELD(MEMORY_COMPLETE),
		.help = "1 if all memory is tracked; of all jobs on the device; otherwise, used is a lower bound" },

	{ "pcie_received", COUNTER, GROUP_PCIE, TOTAL_FIELD(PCIE_RX), .step = KILOBYTE },
	{ "pcie_transmitted", COUNTER, GROUP_PCIE, TOTAL_FIELD(PCIE_TX), .step = KILOBYTE },
	{ "pcie_link_generation", GAUGE, GROUP_PCIE, DEVICE_FIELD(LINK_GEN), .help = "link generation; the current one" },
	{ "pcie_link_generation_expected", GAUGE, GROUP_PCIE, DEVICE_FIELD(LINK_GEN_EXPECTED), .help = "link generation expected; the highest that both ends support" },
	{ "pcie_link_lanes", GAUGE, GROUP_PCIE, DEVICE_FIELD(LINK_WIDTH), .help = "link lanes; in use now" },
	{ "pcie_link_lanes_expected", GAUGE, GROUP_PCIE, DEVICE_FIELD(LINK_WIDTH_EXPECTED), .help = "link lanes expected; those that both ends support and the board has wired" },
	{ "pcie_errors", COUNTER, GROUP_PCIE, TOTAL_FIELD(CORRECTABLE), "port=\"device\",severity=\"correctable\"" },
	{ "pcie_errors", COUNTER, GROUP_PCIE, TOTAL_FIELD(NONFATAL), "port=\"device\",severity=\"nonfatal\"" },
	{ "pcie_errors", COUNTER, GROUP_PCIE, TOTAL_FIELD(FATAL), "port=\"device\",severity=\"fatal\"" },
	{ "pcie_errors", COUNTER, GROUP_PCIE, TOTAL_FIELD(UPSTREAM_CORRECTABLE), "port=\"upstream\",severity=\"correctable\"" },
	{ "pcie_errors", COUNTER, GROUP_PCIE, TOTAL_FIELD(UPSTREAM_NONFATAL), "port=\"upstream\",severity=\"nonfatal\"" },
	{ "pcie_errors", COUNTER, GROUP_PCIE, TOTAL_FIELD(UPSTREAM_FATAL), "port=\"upstream\",severity=\"fatal\"" },

	{ "holders", GAUGE, GROUP_HOLDERS, .put = metrics_put_holders, .labels = "role",
		.help = "processes that have it open; unseen: opened by processes that are not visible here" },

	{ "owner_memory_used", GAUGE, GROUP_OWNERS, .put = metrics_put_owner_memory, .labels = "pool," OWNER_LABELS, .unit = U_BYTE,
		.help = "memory that processes use; those of an owner, as far as they are tracked; an owner is a Slurm job, a container of a pod, another container, or otherwise a user" },
	{ "owner_processes", GAUGE, GROUP_OWNERS, .put = metrics_put_owner_processes, .labels = OWNER_LABELS,
		.help = "processes that have it open; those of an owner" },
	{ "owner_devices", GAUGE, GROUP_OWNERS, .put = metrics_put_owner_devices, .labels = OWNER_LABELS, .of_machine = true,
		.help = "devices that are open; by processes of the owner" },
	{ "owner_quiet", GAUGE, GROUP_OWNERS, .put = metrics_put_owner_quiet, .labels = OWNER_LABELS, .unit = U_SECOND, .of_machine = true,
		.help = "time since the last work; since the memory of a process of the owner changed or one of its programs ended, or since observation began" },

	{ "process_memory_used", GAUGE, GROUP_PROCESSES, .put = metrics_put_process_memory, .labels = "pool," PROCESS_LABELS, .unit = U_BYTE,
		.help = "memory of single processes; only with --collect processes" },

	{ "source_up", GAUGE, GROUP_SOURCES, .put = metrics_put_source_up, .labels = "source",
		.help = "1 if it has no problem; the source of values, in the last sample" },
	{ "source_duration", GAUGE, GROUP_SOURCES, .put = metrics_put_source_duration, .labels = "source", .unit = U_SECOND,
		.help = "time that it took; the source, in the last sample" },
};
/* clang-format on */

void metrics_wants(struct want *want)
{
	want_add_list(want, FIELDS(DEVICE_FIELD(ID), DEVICE_FIELD(UUID), DEVICE_FIELD(HEALTH),
				   DEVICE_FIELD(DISPATCH), DEVICE_FIELD(BOUND), DEVICE_FIELD(CLAIM),
				   PART(PROCESSES), PROCESS_FIELD(NAME), PROCESS_FIELD(USER),
				   PROCESS_FIELD(OWNER), PROCESS_FIELD(QUIET)));
	metrics_want_info(want);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].value.of != OF_NOTHING)
			want_add(want, rows[i].value.of, rows[i].value.index);
}

static bool is_shown(const struct metrics_view *view, const struct metric_row *row)
{
	return row->group == GROUP_MACHINE || !(view->left_out & 1U << row->group);
}

static bool begins_family(const struct metric_row *row)
{
	return row == rows || strcmp(row->name, row[-1].name) != 0;
}

/* How many rows from this one on are fields of one family and group. */
static size_t count_fields(const struct metric_row *row)
{
	const struct metric_row *end = row + 1;

	while (end < rows + ARRAY_SIZE(rows) && !end->put && end->group == row->group &&
	       strcmp(end->name, row->name) == 0)
		end++;
	return (size_t)(end - row);
}

void metrics_render(struct buf *out, const struct metrics_view *view, enum metrics_format format)
{
	struct exposition page = { .out = out, .view = view, .format = format };
	size_t count;

	exposition_begin(&page);
	for (const struct metric_row *row = rows; row < rows + ARRAY_SIZE(rows); row += count) {
		count = row->put ? 1 : count_fields(row);
		if (begins_family(row))
			exposition_family(&page, row);
		if (!is_shown(view, row))
			continue;
		if (row->put)
			row->put(&page);
		else
			put_fields(&page, row, count);
	}
	exposition_end(&page);
	if (format == METRICS_OPENMETRICS)
		buf_puts(out, "# EOF\n");
}

/* Appends ", NAME" for each of a list NAME="VALUE",... or NAME,... */
static void put_label_names(struct buf *out, const char *labels)
{
	while (*labels) {
		size_t length = strcspn(labels, "=,"), rest = strcspn(labels, ",");

		buf_printf(out, ", %.*s", (int)length, labels);
		labels += rest + (labels[rest] == ',');
	}
}

static bool is_of_device(const struct metric_row *row)
{
	return !row->of_machine && row->group != GROUP_MACHINE && row->group != GROUP_SOURCES;
}

void metrics_list(struct buf *out)
{
	static const char *const types[] = { "gauge", "counter", "info" };

	for (const struct metric_row *row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		CLEANUP_BUF struct buf labels = { 0 };

		if (!begins_family(row))
			continue;
		if (is_of_device(row))
			buf_puts(&labels, ", device, uuid");
		put_label_names(&labels, row->labels ? row->labels : "");
		metric_put_name(out, row);
		buf_printf(out, "\t%s\t%s\t%s\t%s\n", types[row->type],
			   labels.length ? buf_text(&labels) + 2 : "-",
			   row->group == GROUP_MACHINE ? "-" : metric_group_names[row->group],
			   metric_help(row));
	}
}
