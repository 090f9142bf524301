#include "render/metrics.h"

#include "basic/clock.h"
#include "basic/text.h"
#include "render/format.h"

#include <inttypes.h>
#include <string.h>

enum metric_type { GAUGE, COUNTER, INFO };

struct exposition;

/* One series of each device, or of the machine. Rows of one name are consecutive: a family. */
struct metric_row {
	const char *name; /* without prefix, unit and the suffix of its type */
	enum metric_type type;
	enum metric_group group;
	struct field_ref value;
	const char *labels; /* beside those of the device; of put: their names */
	/* Metrics that are not a field: writes all series of the row. */
	void (*put)(struct exposition *page, const struct metric_row *row);
	enum unit unit;
	const char *help;
};

/* An output under construction. */
struct exposition {
	struct buf *out;
	const struct metrics_view *view;
	enum metrics_format format;
	const struct metric_row *family; /* the first row of the current one, which describes it */
	bool announced;			 /* its header was written */
};

const char *const metric_group_names[GROUP_MACHINE] = {
	[GROUP_DEVICE] = "device", [GROUP_THERMAL] = "thermal",		[GROUP_POWER] = "power",
	[GROUP_CLOCK] = "clock",   [GROUP_UTILIZATION] = "utilization", [GROUP_MEMORY] = "memory",
	[GROUP_PCIE] = "pcie",	   [GROUP_HOLDERS] = "holders",		[GROUP_SOURCES] = "sources",
};

const char *metrics_content_type(enum metrics_format format)
{
	return format == METRICS_OPENMETRICS
		       ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
		       : "text/plain; version=0.0.4; charset=utf-8";
}

static const struct field *row_field(const struct metric_row *row)
{
	switch (row->value.of) {
	case OF_HOST: return &host_fields.fields[row->value.index];
	case OF_DEVICE: return &device_fields.fields[row->value.index];
	case OF_TOTALS: return &totals_fields.fields[row->value.index];
	default: return NULL;
	}
}

static const char *row_unit(const struct metric_row *row)
{
	const struct field *field = row_field(row);

	return unit_infos[field ? field->unit : row->unit].metric;
}

static const char *row_help(const struct metric_row *row)
{
	return row->help ? row->help : row_field(row)->help;
}

/* The name of the family in OpenMetrics. */
static void put_name(struct buf *out, const struct metric_row *row)
{
	const char *unit = row_unit(row);

	buf_printf(out, "ttsmi_%s%s%s", row->name, unit ? "_" : "", unit ? unit : "");
}

static void put_series_name(struct buf *out, const struct metric_row *row)
{
	static const char *const suffixes[] = { "", "_total", "_info" };

	put_name(out, row);
	buf_puts(out, suffixes[row->type]);
}

static void put_header_line(struct exposition *page, const char *word, const char *text)
{
	buf_printf(page->out, "# %s ", word);
	if (page->format == METRICS_OPENMETRICS)
		put_name(page->out, page->family);
	else
		put_series_name(page->out, page->family);
	buf_printf(page->out, " %s\n", text);
}

/* Only families with a series have a header. */
static void put_header(struct exposition *page)
{
	const struct metric_row *row = page->family;
	static const char *const types[METRICS_FORMATS][3] = {
		[METRICS_TEXT] = { "gauge", "counter", "gauge" },
		[METRICS_OPENMETRICS] = { "gauge", "counter", "info" },
	};

	if (page->announced)
		return;
	page->announced = true;
	put_header_line(page, "TYPE", types[page->format][row->type]);
	if (row_unit(row) && page->format == METRICS_OPENMETRICS)
		put_header_line(page, "UNIT", row_unit(row));
	put_header_line(page, "HELP", row_help(row));
}

/* Writes one label; the text may contain any bytes. */
static void put_label(struct buf *out, bool *first, const char *name, const char *text)
{
	buf_printf(out, "%s%s=\"", *first ? "" : ",", name);
	*first = false;
	for (size_t length = strlen(text); length;) {
		uint32_t c = 0xFFFD; /* replaces a byte that is not valid UTF-8 */
		size_t n = utf8_decode(text, length, &c);

		if (c == '\n')
			buf_puts(out, "\\n");
		else if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", (char)c);
		else
			utf8_encode(out, c);
		text += n ? n : 1;
		length -= n ? n : 1;
	}
	buf_putc(out, '"');
}

static void put_device_labels(struct buf *out, bool *first, const struct device *dev)
{
	put_label(out, first, "device", dev->id);
	if (device_knows(dev, DEV_UUID))
		put_label(out, first, "uuid", dev->uuid);
}

/* Writes what stands before the value. dev may be NULL; labels are ready to print, or NULL. */
static void put_series(struct exposition *page, const struct metric_row *row,
		       const struct device *dev, const char *labels)
{
	bool first = true;

	put_header(page);
	put_series_name(page->out, row);
	if (!dev && !labels) {
		buf_putc(page->out, ' ');
		return;
	}
	buf_putc(page->out, '{');
	if (dev)
		put_device_labels(page->out, &first, dev);
	if (labels)
		buf_printf(page->out, "%s%s", first ? "" : ",", labels);
	buf_puts(page->out, "} ");
}

static void put_number(struct exposition *page, double number)
{
	format_shortest(page->out, number);
	buf_putc(page->out, '\n');
}

static void put_field(struct exposition *page, const struct metric_row *row,
		      const struct field_table *table, const void *object, const struct device *dev)
{
	struct value value;

	field_get(table, row->value.index, object, &value);
	if (value.why != KNOWN)
		return;
	put_series(page, row, dev, row->labels);
	if (value.field->kind == K_U64)
		buf_printf(page->out, "%" PRIu64 "\n", value.exact);
	else
		put_number(page, value.number);
}

static void put_fields(struct exposition *page, const struct metric_row *row)
{
	const struct snapshot *snapshot = page->view->snapshot;

	if (row->value.of == OF_HOST)
		put_field(page, row, &host_fields, &snapshot->host, NULL);
	for (size_t i = 0; row->value.of == OF_DEVICE && i < snapshot->n_devices; i++)
		put_field(page, row, &device_fields, &snapshot->devices[i], &snapshot->devices[i]);
	for (size_t i = 0; row->value.of == OF_TOTALS && i < snapshot->n_devices; i++)
		put_field(page, row, &totals_fields, &page->view->totals[i], &snapshot->devices[i]);
}

/* ---- metrics that are not a field ---- */

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
	format_value(&text, &value, false);
	put_label(out, first, label->name, buf_text(&text));
}

static void put_device_info(struct exposition *page, const struct metric_row *row)
{
	for (size_t i = 0; i < page->view->snapshot->n_devices; i++) {
		const struct device *dev = &page->view->snapshot->devices[i];
		CLEANUP_BUF struct buf labels = { 0 };
		bool first = true;

		for (size_t k = 0; k < ARRAY_SIZE(info_labels); k++)
			put_info_label(&labels, &first, &info_labels[k], dev);
		put_series(page, row, dev, labels.length ? buf_text(&labels) : NULL);
		put_number(page, 1);
	}
}

/* A chip without PCIe cannot be read at all, so nothing is known about it. */
static void put_device_up(struct exposition *page, const struct metric_row *row)
{
	for (size_t i = 0; i < page->view->snapshot->n_devices; i++) {
		const struct device *dev = &page->view->snapshot->devices[i];

		if (dev->remote)
			continue;
		put_series(page, row, dev, NULL);
		put_number(page, device_is_served(dev) && !device_is_failing(dev));
	}
}

/* A bound must not be taken for the value. */
static void put_dispatch(struct exposition *page, const struct metric_row *row)
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
		put_series(page, row, dev, labels[dev->utilization.bound]);
		put_number(page, dev->utilization.share);
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

static void put_holders(struct exposition *page, const struct metric_row *row)
{
	const struct snapshot *snapshot = page->view->snapshot;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (!dev->holders_known)
			continue;
		put_series(page, row, dev, "role=\"job\"");
		put_number(page, count_holders(snapshot, i, ROLE_JOB));
		put_series(page, row, dev, "role=\"monitor\"");
		put_number(page, count_holders(snapshot, i, ROLE_MONITOR));
		put_series(page, row, dev, "role=\"unseen\"");
		put_number(page, dev->unseen_holders);
	}
}

static void put_source_series(struct exposition *page, const struct metric_row *row,
			      const char *source, double number)
{
	CLEANUP_BUF struct buf label = { 0 };
	bool first = true;

	put_label(&label, &first, "source", source);
	put_series(page, row, NULL, buf_text(&label));
	put_number(page, number);
}

static void put_source_up(struct exposition *page, const struct metric_row *row)
{
	const struct snapshot *snapshot = page->view->snapshot;

	for (size_t i = 0; i < snapshot->n_sources; i++)
		put_source_series(page, row, snapshot->sources[i].source, snapshot->sources[i].up);
}

static void put_source_duration(struct exposition *page, const struct metric_row *row)
{
	const struct snapshot *snapshot = page->view->snapshot;

	for (size_t i = 0; i < snapshot->n_sources; i++)
		put_source_series(page, row, snapshot->sources[i].source,
				  (double)snapshot->sources[i].duration_ns / NS_PER_S);
}

static void put_build(struct exposition *page, const struct metric_row *row)
{
	CLEANUP_BUF struct buf labels = { 0 };
	const struct snapshot *snapshot = page->view->snapshot;
	bool first = true;

	put_label(&labels, &first, "version", page->view->version);
	if (snapshot && snapshot->host.why[HOST_DRIVER] == KNOWN)
		put_label(&labels, &first, "driver", snapshot->host.driver);
	put_series(page, row, NULL, buf_text(&labels));
	put_number(page, 1);
}

/* Without a driver no device is served, which is a number too. */
static void put_devices(struct exposition *page, const struct metric_row *row)
{
	const struct snapshot *snapshot = page->view->snapshot;
	unsigned served = 0;

	for (size_t i = 0; snapshot && i < snapshot->n_devices; i++)
		served += device_is_served(&snapshot->devices[i]);
	put_series(page, row, NULL, NULL);
	put_number(page, served);
}

static void put_expected(struct exposition *page, const struct metric_row *row)
{
	if (!page->view->expected)
		return;
	put_series(page, row, NULL, NULL);
	put_number(page, page->view->expected);
}

static void put_sample_time(struct exposition *page, const struct metric_row *row)
{
	if (!page->view->snapshot)
		return;
	put_series(page, row, NULL, NULL);
	put_number(page, (double)(page->view->snapshot->wall_ns / NS_PER_MS) / 1000);
}

/* clang-format off */
static const struct metric_row rows[] = {
	{ "build", INFO, GROUP_MACHINE, .put = put_build, .labels = "version,driver",
		.help = "version of tt_smi, and of the kernel driver if it is loaded" },
	{ "devices", GAUGE, GROUP_MACHINE, .put = put_devices,
		.help = "PCIe devices that the driver serves" },
	{ "devices_expected", GAUGE, GROUP_MACHINE, .put = put_expected,
		.help = "devices that this machine should have, as given by --expect" },
	{ "sample_timestamp", GAUGE, GROUP_MACHINE, .put = put_sample_time, .unit = U_TIME,
		.help = "when these values were read, in seconds since 1970" },

	{ "device", INFO, GROUP_DEVICE, .put = put_device_info,
		.labels = "name,board,serial,pci_bus_id,node,tray,chip,numa_node,firmware",
		.help = "what the device is and where" },
	{ "device_up", GAUGE, GROUP_DEVICE, .put = put_device_up,
		.help = "1 if the driver serves the device and it delivers current readings" },
	{ "device_dirty", GAUGE, GROUP_DEVICE, DEVICE_FIELD(DIRTY) },
	{ "quiet", GAUGE, GROUP_DEVICE, DEVICE_FIELD(QUIET) },
	{ "resets", COUNTER, GROUP_DEVICE, TOTAL_FIELD(RESETS) },
	{ "firmware_heartbeats", COUNTER, GROUP_DEVICE, TOTAL_FIELD(HEARTBEATS) },

	{ "temperature", GAUGE, GROUP_THERMAL, DEVICE_FIELD(TEMPERATURE), "sensor=\"asic\"" },
	{ "temperature_limit", GAUGE, GROUP_THERMAL, DEVICE_FIELD(TEMPERATURE_LIMIT), "sensor=\"asic\",kind=\"throttle\"" },
	{ "thermal_trips", COUNTER, GROUP_THERMAL, TOTAL_FIELD(THERMAL_TRIPS) },
	{ "fan", GAUGE, GROUP_THERMAL, DEVICE_FIELD(FAN_RPM), .help = "speed of the fan" },

	{ "power", GAUGE, GROUP_POWER, DEVICE_FIELD(POWER), "domain=\"chip\"" },
	{ "power_limit", GAUGE, GROUP_POWER, DEVICE_FIELD(POWER_LIMIT), "domain=\"chip\"" },
	{ "energy", COUNTER, GROUP_POWER, TOTAL_FIELD(ENERGY), "domain=\"chip\"" },
	{ "voltage", GAUGE, GROUP_POWER, DEVICE_FIELD(VOLTAGE) },
	{ "current", GAUGE, GROUP_POWER, DEVICE_FIELD(CURRENT) },
	{ "current_limit", GAUGE, GROUP_POWER, DEVICE_FIELD(CURRENT_LIMIT) },

	{ "clock", GAUGE, GROUP_CLOCK, DEVICE_FIELD(AICLK), "clock=\"ai\"",
		.help = "clocks: ai of the Tensix cores, axi of the AXI bus, arc of the management core" },
	{ "clock", GAUGE, GROUP_CLOCK, DEVICE_FIELD(AXICLK), "clock=\"axi\"" },
	{ "clock", GAUGE, GROUP_CLOCK, DEVICE_FIELD(ARCCLK), "clock=\"arc\"" },

	{ "utilization", GAUGE, GROUP_UTILIZATION, .put = put_dispatch, .labels = "kind", .unit = U_RATIO,
		.help = "dispatch: share of the last second in which a program ran, or a bound of it; compute: mean over cores, as a program publishes it" },
	{ "utilization", GAUGE, GROUP_UTILIZATION, DEVICE_FIELD(COMPUTE), "kind=\"compute\"" },

	{ "memory_size", GAUGE, GROUP_MEMORY, DEVICE_FIELD(DRAM_TOTAL), "pool=\"dram\"",
		.help = "memory that programs can use" },
	{ "memory_size", GAUGE, GROUP_MEMORY, DEVICE_FIELD(L1_TOTAL), "pool=\"l1\"" },
	{ "memory_used", GAUGE, GROUP_MEMORY, DEVICE_FIELD(DRAM_USED), "pool=\"dram\"",
		.help = "memory that tracked processes have allocated, a lower bound unless complete; dram includes trace, l1 includes l1_small" },
	{ "memory_used", GAUGE, GROUP_MEMORY, DEVICE_FIELD(TRACE_USED), "pool=\"trace\"" },
	{ "memory_used", GAUGE, GROUP_MEMORY, DEVICE_FIELD(L1_USED), "pool=\"l1\"" },
	{ "memory_used", GAUGE, GROUP_MEMORY, DEVICE_FIELD(L1_SMALL_USED), "pool=\"l1_small\"" },
	{ "memory_used", GAUGE, GROUP_MEMORY, DEVICE_FIELD(CB_USED), "pool=\"cb\"" },
	{ "memory_complete", GAUGE, GROUP_MEMORY, DEVICE_FIELD(MEMORY_COMPLETE) },

	{ "pcie_received", COUNTER, GROUP_PCIE, TOTAL_FIELD(PCIE_RX) },
	{ "pcie_transmitted", COUNTER, GROUP_PCIE, TOTAL_FIELD(PCIE_TX) },
	{ "pcie_link_generation", GAUGE, GROUP_PCIE, DEVICE_FIELD(LINK_GEN) },
	{ "pcie_link_generation_expected", GAUGE, GROUP_PCIE, DEVICE_FIELD(LINK_GEN_EXPECTED) },
	{ "pcie_link_lanes", GAUGE, GROUP_PCIE, DEVICE_FIELD(LINK_WIDTH) },
	{ "pcie_link_lanes_expected", GAUGE, GROUP_PCIE, DEVICE_FIELD(LINK_WIDTH_EXPECTED) },
	{ "pcie_errors", COUNTER, GROUP_PCIE, TOTAL_FIELD(CORRECTABLE), "port=\"device\",severity=\"correctable\"" },
	{ "pcie_errors", COUNTER, GROUP_PCIE, TOTAL_FIELD(NONFATAL), "port=\"device\",severity=\"nonfatal\"" },
	{ "pcie_errors", COUNTER, GROUP_PCIE, TOTAL_FIELD(FATAL), "port=\"device\",severity=\"fatal\"" },
	{ "pcie_errors", COUNTER, GROUP_PCIE, TOTAL_FIELD(UPSTREAM_CORRECTABLE), "port=\"upstream\",severity=\"correctable\"" },
	{ "pcie_errors", COUNTER, GROUP_PCIE, TOTAL_FIELD(UPSTREAM_NONFATAL), "port=\"upstream\",severity=\"nonfatal\"" },
	{ "pcie_errors", COUNTER, GROUP_PCIE, TOTAL_FIELD(UPSTREAM_FATAL), "port=\"upstream\",severity=\"fatal\"" },

	{ "holders", GAUGE, GROUP_HOLDERS, .put = put_holders, .labels = "role",
		.help = "processes that have the device open; unseen: opened by processes that are not visible here" },

	{ "source_up", GAUGE, GROUP_SOURCES, .put = put_source_up, .labels = "source",
		.help = "1 if the source of values had no problem in the last sample" },
	{ "source_duration", GAUGE, GROUP_SOURCES, .put = put_source_duration, .labels = "source", .unit = U_SECOND,
		.help = "time that the source took in the last sample" },
};
/* clang-format on */

void metrics_wants(struct want *want)
{
	want_add_list(want, FIELDS(DEVICE_FIELD(ID), DEVICE_FIELD(UUID), DEVICE_FIELD(HEALTH),
				   DEVICE_FIELD(DISPATCH), DEVICE_FIELD(BOUND), PART(PROCESSES)));
	for (size_t i = 0; i < ARRAY_SIZE(info_labels); i++)
		want_add(want, OF_DEVICE, info_labels[i].field);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].value.of != OF_NOTHING)
			want_add(want, rows[i].value.of, rows[i].value.index);
}

static bool is_shown(const struct metrics_view *view, const struct metric_row *row)
{
	return row->group == GROUP_MACHINE ||
	       (view->snapshot && !(view->left_out & 1U << row->group));
}

static bool begins_family(const struct metric_row *row)
{
	return row == rows || strcmp(row->name, row[-1].name) != 0;
}

void metrics_render(struct buf *out, const struct metrics_view *view, enum metrics_format format)
{
	struct exposition page = { .out = out, .view = view, .format = format };

	for (const struct metric_row *row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		if (begins_family(row)) {
			page.family = row;
			page.announced = false;
		}
		if (!is_shown(view, row))
			continue;
		if (row->put)
			row->put(&page, row);
		else
			put_fields(&page, row);
	}
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
	return row->group != GROUP_MACHINE && row->group != GROUP_SOURCES;
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
		put_series_name(out, row);
		buf_printf(out, "\t%s\t%s\t%s\t%s\n", types[row->type],
			   labels.length ? buf_text(&labels) + 2 : "-",
			   row->group == GROUP_MACHINE ? "-" : metric_group_names[row->group],
			   row_help(row));
	}
}
