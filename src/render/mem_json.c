#include "render/mem.h"

#include "basic/clock.h"
#include "model/growth.h"
#include "render/json_fields.h"
#include "render/json_writer.h"
#include "render/mem_parts.h"

enum {
	SCHEMA_VERSION = 1,
	DRAIN_AT = 1 << 20, /* bytes of output */
};

struct writer {
	struct json json;
	const struct mem_view *view;
	void (*drain)(struct buf *out, void *arg);
	void *arg;
};

static void drain(struct writer *w)
{
	if (w->drain && w->json.out->length >= DRAIN_AT)
		w->drain(w->json.out, w->arg);
}

/* Seconds before the sample, with milliseconds. */
static double age_of(const struct writer *w, int64_t time_ns)
{
	int64_t ms = (w->view->snapshot->taken_ns - time_ns) / NS_PER_MS;

	return (double)MAX(ms, 0) / 1000;
}

static void put_allocation(struct writer *w, const struct allocation *allocation)
{
	struct json *json = &w->json;

	json_open(json, NULL, '{');
	json_text(json, "pool", pool_name(allocation->pool));
	json_u64(json, "id", allocation->id);
	json_u64(json, "size", allocation->size);
	if (allocation->time_ns)
		json_double(json, "age", age_of(w, allocation->time_ns));
	else
		json_null(json, "age");
	json_close(json, '}');
	drain(w);
}

static void put_list(struct writer *w, const struct allocation_list *list)
{
	struct json *json = &w->json;

	if (list->why != KNOWN) {
		json_null(json, "list");
		json_null(json, "list_complete");
		json_text(json, "list_unavailable", reason_code(list->why));
		return;
	}
	json_open(json, "list", '[');
	for (size_t i = 0; i < list->count; i++)
		put_allocation(w, &list->items[i]);
	json_close(json, ']');
	json_bool(json, "list_complete", !list->cut);
	json_null(json, "list_unavailable");
}

static void put_growth(struct writer *w, const struct series *series)
{
	struct growth growth = growth_judge(series);
	struct json *json = &w->json;

	json_open(json, "growth", '{');
	json_text(json, "trend", trend_name(growth.trend));
	json_double(json, "seconds", (double)(growth.span_ns / NS_PER_MS) / 1000);
	if (growth.trend == TREND_UNKNOWN)
		json_null(json, "bytes");
	else
		json_i64(json, "bytes", growth.bytes);
	if (growth.has_frees)
		json_u64(json, "frees", growth.frees);
	else
		json_null(json, "frees");
	json_close(json, '}');
}

static void put_process(struct writer *w, const struct process *process, const struct usage *usage)
{
	const struct device *dev = &w->view->snapshot->devices[usage->device];
	struct json *json = &w->json;

	json_open(json, NULL, '{');
	json_i64(json, "pid", process->pid);
	json_put_field(json, "name", &process_fields, PROC_NAME, process);
	json_put_field(json, "program", &process_fields, PROC_PROGRAM, process);
	json_put_field(json, "user", &process_fields, PROC_USER, process);
	json_put_field(json, "role", &process_fields, PROC_ROLE, process);
	json_put_fields(json, &usage_fields, 0, USAGE_MEMORY_FIELDS, usage);
	put_growth(w, history_of_process(w->view->history, process, dev));
	put_list(w, &usage->list);
	json_put_reasons(json, &usage_fields, 0, USAGE_MEMORY_FIELDS, usage);
	json_close(json, '}');
	drain(w);
}

/* Writes [seconds before the sample, DRAM, L1] for each second that has a sample. */
static void put_history(struct writer *w, const struct series *series)
{
	struct json *json = &w->json;
	const struct point *point;

	json_open(json, "history", '[');
	for (size_t i = 0; series && (point = series_at(series, i)); i++) {
		json_open(json, NULL, '[');
		json_double(json, NULL, age_of(w, point->time_ns));
		for (unsigned q = 0; q < SERIES_POOLS; q++) {
			if (point->known)
				json_u64(json, NULL, point->last[q]);
			else
				json_null(json, NULL);
		}
		json_close(json, ']');
	}
	json_close(json, ']');
}

/* Writes the values that only this monitor has: peak, and change since its first sample. */
static void put_peak_and_change(struct writer *w, size_t device, enum pool pool, const char *key,
				bool known, uint64_t used)
{
	const struct device *dev = &w->view->snapshot->devices[device];
	const struct series *series = history_of_device(w->view->history, dev);
	struct json *json = &w->json;

	json_open(json, key, '{');
	if (known)
		json_u64(json, "peak", mem_peak(w->view, device, pool));
	else
		json_null(json, "peak");
	if (known && series_spans_time(series))
		json_i64(json, "change", (int64_t)used - (int64_t)series->first.last[pool]);
	else
		json_null(json, "change");
	json_close(json, '}');
}

static void put_device(struct writer *w, size_t at)
{
	const struct snapshot *snapshot = w->view->snapshot;
	const struct device *dev = &snapshot->devices[at];
	struct json *json = &w->json;

	json_open(json, NULL, '{');
	json_put_id(json, dev);
	json_put_field(json, "name", &device_fields, DEV_NAME, dev);
	json_put_field(json, "board", &device_fields, DEV_BOARD, dev);
	json_put_field(json, "bdf", &device_fields, DEV_BDF, dev);
	json_put_field(json, "state", &device_fields, DEV_STATE, dev);
	json_put_fields(json, &device_fields, DEV_DRAM_TOTAL, DEV_MEMORY_COMPLETE + 1, dev);
	json_open(json, "watched", '{');
	put_peak_and_change(w, at, POOL_DRAM, "dram", device_knows(dev, DEV_DRAM_USED),
			    dev->memory_used[POOL_DRAM]);
	put_peak_and_change(w, at, POOL_L1, "l1", device_knows(dev, DEV_L1_USED),
			    dev->memory_used[POOL_L1]);
	json_close(json, '}');
	put_history(w, history_of_device(w->view->history, dev));
	json_open(json, "processes", '[');
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct usage *usage = process_find_usage(&snapshot->processes[i], at);

		if (usage)
			put_process(w, &snapshot->processes[i], usage);
	}
	json_close(json, ']');
	json_put_reasons(json, &device_fields, DEV_DRAM_TOTAL, DEV_MEMORY_COMPLETE + 1, dev);
	json_close(json, '}');
}

void mem_json_render(struct buf *out, const struct render_options *options,
		     const struct mem_view *view, bool pretty,
		     void (*drain_text)(struct buf *out, void *arg), void *arg)
{
	const struct snapshot *snapshot = view->snapshot;
	struct writer w = {
		.json = { .out = out, .indent = pretty ? 2 : 0, .first = true },
		.view = view,
		.drain = drain_text,
		.arg = arg,
	};

	json_open(&w.json, NULL, '{');
	json_text(&w.json, "schema", "tt-smi-mem");
	json_u64(&w.json, "schema_version", SCHEMA_VERSION);
	json_text(&w.json, "version", options->version);
	json_put_time(&w.json, snapshot->wall_ns);
	json_bool(&w.json, "simulated", snapshot->simulated);
	json_bool(&w.json, "recorded", snapshot->recorded);
	json_put_server(&w.json, snapshot);
	json_open(&w.json, "devices", '[');
	for (size_t i = 0; i < snapshot->n_devices; i++)
		put_device(&w, i);
	json_close(&w.json, ']');
	json_put_problems(&w.json, snapshot);
	json_close(&w.json, '}');
	buf_putc(out, '\n');
}
