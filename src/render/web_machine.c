/* The document of the whole machine: tiles of devices, processes, pools, findings. */
#include "model/device_health.h"
#include "render/web_json.h"

#include "basic/clock.h"
#include "render/device_symbol.h"
#include "render/device_style.h"
#include "render/device_text.h"
#include "render/format.h"
#include "render/json_fields.h"
#include "render/lower_bound.h"
#include "render/sums_text.h"
#include "render/web_parts.h"

#include <stdio.h>
#include <string.h>

/* The name of a style in the page's style sheet. */
static const char *style_name(enum style style)
{
	static const char *const names[STYLE_PRINTED] = {
		[STYLE_PLAIN] = "plain", [STYLE_BOLD] = "plain", [STYLE_DIM] = "dim",
		[STYLE_GOOD] = "good",	 [STYLE_WARN] = "warn",	 [STYLE_BAD] = "bad",
	};

	return names[style];
}

/* [text, style, reason]: the reason is that of the field, if it is unknown. */
static void put_reading(struct json *json, const char *key, const struct buf *text,
			enum style style, const struct device *dev, enum device_field field)
{
	json_open(json, key, '[');
	json_text(json, NULL, buf_text(text));
	json_text(json, NULL, style_name(style));
	if (!device_knows(dev, field))
		json_text(json, NULL, reason_text(dev->why[field]));
	json_close(json, ']');
}

static void put_pool(struct json *json, const char *key, const struct device *dev, enum pool pool)
{
	CLEANUP_BUF struct buf text = { 0 };
	double share = device_pool_share(dev, pool);

	device_put_pool(&text, dev, pool, true);
	put_reading(json, key, &text, memory_style(share), dev, device_pools[pool].used);
	if (share >= 0) {
		CLEANUP_BUF struct buf name = { 0 };

		buf_printf(&name, "%s_share", key);
		json_double(json, buf_text(&name), share);
	}
}

/* The readings of a tile. Of a device that fails they are the last ones; its memory is current. */
static void put_readings(struct json *json, const struct device *dev, const struct device *shown)
{
	CLEANUP_BUF struct buf temperature = { 0 }, power = { 0 }, clock = { 0 }, busy = { 0 };

	device_put_temperature(&temperature, shown, false, true);
	put_reading(json, "temperature", &temperature, device_temperature_style(shown), shown,
		    DEV_TEMPERATURE);
	device_put_power(&power, shown, false);
	put_reading(json, "power", &power, device_power_style(shown), shown, DEV_POWER);
	device_put_aiclk(&clock, shown);
	put_reading(json, "clock", &clock, STYLE_PLAIN, shown, DEV_AICLK);
	device_put_compute(&busy, dev, true);
	put_reading(json, "busy", &busy, device_shows_compute(dev) ? STYLE_PLAIN : STYLE_DIM, dev,
		    DEV_DISPATCH);
	if (device_knows(dev, DEV_DISPATCH))
		json_double(json, "busy_share", dev->utilization.share);
	put_pool(json, "dram", dev, POOL_DRAM);
	put_pool(json, "l1", dev, POOL_L1);
}

/* Its health, or its condition: "ok", "hot", "timed out". */
static void put_health(struct json *json, const struct device *dev)
{
	CLEANUP_BUF struct buf text = { 0 };
	enum style style = STYLE_DIM;

	if (device_condition_text(dev)[0]) {
		buf_puts(&text, device_condition_text(dev));
		style = device_condition_style(dev);
	} else if (device_knows(dev, DEV_HEALTH)) {
		buf_puts(&text, dev->health);
		style = device_troubles(dev) ? STYLE_WARN : STYLE_GOOD;
	} else {
		buf_puts(&text, "N/A");
	}
	put_reading(json, "health", &text, style, dev, DEV_HEALTH);
}

static void put_device(struct json *json, const struct web_view *view, const struct device *dev)
{
	CLEANUP_BUF struct buf name = { 0 }, age = { 0 };
	const struct device *shown;
	enum style style;
	const char *symbol = device_symbol(dev, true, &style);
	int64_t age_ns;

	shown = device_view_find(view->devices, dev, view->snapshot->taken_ns, &age_ns);
	device_put_name(&name, dev);
	json_open(json, NULL, '{');
	json_text(json, "id", dev->id);
	json_text(json, "name", buf_text(&name));
	json_open(json, "symbol", '[');
	json_text(json, NULL, symbol);
	json_text(json, NULL, style_name(style));
	json_close(json, ']');
	if (age_ns) {
		device_put_age(&age, age_ns);
		json_text(json, "age", buf_text(&age));
	}
	put_readings(json, dev, shown);
	put_health(json, dev);
	json_close(json, '}');
}

/* In the order and the groups of the full screen's grid. */
static void put_groups(struct json *json, const struct web_view *view)
{
	const struct device_view *devices = view->devices;
	size_t at = 0;

	json_open(json, "groups", '[');
	for (size_t i = 0; i < devices->n_groups; i++) {
		const struct device *first = &view->snapshot->devices[devices->order[at]];
		char name[64];

		device_group_name(devices, first, name, sizeof(name));
		json_open(json, NULL, '{');
		json_text(json, "name", name);
		json_open(json, "devices", '[');
		for (size_t k = 0; k < devices->groups[i]; k++)
			put_device(json, view, &view->snapshot->devices[devices->order[at++]]);
		json_close(json, ']');
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* The sum of a pool over the devices on which it is known; dev: only this one. */
static void put_sum(struct json *json, const struct snapshot *snapshot, const struct device *only,
		    enum pool pool)
{
	const struct device_pool *fields = &device_pools[pool];
	CLEANUP_BUF struct buf text = { 0 };
	uint64_t used = 0, total = 0;
	bool known = false;
	double share;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (only && dev != only)
			continue;
		if (device_knows(dev, fields->used)) {
			used += dev->memory_used[pool];
			known = true;
		}
		if (fields->total != DEV_ID && device_knows(dev, fields->total) &&
		    !device_is_unserved(dev))
			total += dev->memory_total[pool];
	}
	share = known && total ? (double)used / (double)total : -1;
	if (known) {
		buf_puts(&text, only ? lower_bound_of_device(only, fields->used, true)
				     : lower_bound_of_devices(snapshot, fields->used, true));
		format_bytes(&text, used);
	} else {
		buf_puts(&text, "N/A");
	}
	if (total) {
		buf_puts(&text, " of ");
		format_bytes(&text, total);
	}
	json_open(json, NULL, '{');
	json_text(json, "name", pool_name(pool));
	json_text(json, "text", buf_text(&text));
	json_text(json, "style", style_name(memory_style(share)));
	if (share >= 0)
		json_double(json, "share", share);
	json_close(json, '}');
}

void web_put_pools(struct json *json, const struct snapshot *snapshot, const struct device *only)
{
	json_open(json, "pools", '[');
	for (enum pool pool = 0; pool < POOL_COUNT; pool++)
		if (device_pools[pool].used != DEV_ID)
			put_sum(json, snapshot, only, pool);
	json_close(json, ']');
}

static void put_host(struct json *json, const struct web_view *view)
{
	const struct snapshot *snapshot = view->snapshot;
	CLEANUP_BUF struct buf text = { 0 };

	json_text(json, "version", view->version);
	json_u64(json, "sample", view->sample);
	json_double(json, "time", (double)(snapshot->wall_ns / NS_PER_MS) / 1000);
	json_put_field(json, "host", &host_fields, HOST_HOSTNAME, &snapshot->host);
	json_text(json, "mark",
		  snapshot->simulated  ? "SIMULATED"
		  : snapshot->recorded ? "RECORDED"
				       : "");
	sums_put(&text, snapshot, true, SIZE_MAX);
	json_text(json, "sums", buf_text(&text));
}

void web_put_machine(struct buf *out, const struct web_view *view)
{
	const struct process_scope scope = { .snapshot = view->snapshot };
	struct json json = { .out = out, .first = true };

	json_open(&json, NULL, '{');
	put_host(&json, view);
	put_groups(&json, view);
	web_put_processes(&json, &scope, view->hide_owners);
	web_put_pools(&json, view->snapshot, NULL);
	json_open(&json, "findings", '[');
	if (view->put_findings)
		view->put_findings(&json, view->snapshot, view->arg);
	json_close(&json, ']');
	json_put_problems(&json, view->snapshot);
	json_close(&json, '}');
	buf_putc(out, '\n');
}
