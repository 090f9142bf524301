/* The documents of tt_smi fleet --json and --csv. */
#include "fleet/fleet_render.h"

#include "fleet/document.h"

#include <math.h>

static void put_value(struct json *json, const struct machine_field *field, double value)
{
	if (!isnan(value) && field->kind == KIND_YES_NO)
		json_bool(json, field->key, value != 0);
	else
		document_put_number(json, field->key, value);
}

static void put_alerts(struct json *json, const struct fleet *fleet,
		       const struct fleet_machine *machine)
{
	if (!fleet->knows_alerts) {
		json_null(json, "alerts");
		return;
	}
	json_open(json, "alerts", '[');
	for (size_t i = 0; i < machine->n_alerts; i++) {
		const struct fleet_alert *alert = &machine->alerts[i];

		json_open(json, NULL, '{');
		json_text(json, "name", alert->name);
		json_text(json, "severity", alert->severity);
		if (alert->device[0])
			json_text(json, "device", alert->device);
		else
			json_null(json, "device");
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_machine(struct json *json, const struct fleet *fleet,
			const struct fleet_machine *machine)
{
	json_open(json, NULL, '{');
	json_text(json, "machine", machine->name);
	json_text(json, "instance", machine->instance);
	json_bool(json, "has_data", machine->has_data);
	for (size_t i = 0; i < MACHINE_VALUES; i++)
		put_value(json, &machine_fields[i], machine->values[i]);
	put_alerts(json, fleet, machine);
	json_close(json, '}');
}

static void put_hottest(struct json *json, const struct fleet *fleet)
{
	const struct fleet_machine *hottest = fleet_hottest(fleet);

	if (!hottest) {
		json_null(json, "hottest");
		return;
	}
	json_open(json, "hottest", '{');
	json_text(json, "machine", hottest->name);
	if (fleet->hottest_device)
		json_text(json, "device", fleet->hottest_device);
	else
		json_null(json, "device");
	json_close(json, '}');
}

static void put_totals(struct json *json, const struct fleet *fleet)
{
	struct fleet_totals totals;

	fleet_total(fleet, &totals);
	json_open(json, "totals", '{');
	json_u64(json, "machines", totals.machines);
	json_u64(json, "machines_without_data", totals.without_data);
	json_u64(json, "devices_target", number_to_u64(totals.target));
	for (size_t i = 0; i < MACHINE_VALUES; i++)
		put_value(json, &machine_fields[i], totals.values[i]);
	put_hottest(json, fleet);
	if (fleet->knows_alerts)
		json_u64(json, "alerts", totals.alerts);
	else
		json_null(json, "alerts");
	json_open(json, "incomplete", '[');
	for (size_t i = 0; i < MACHINE_VALUES; i++)
		if (totals.partly[i] && !isnan(totals.values[i]))
			json_text(json, NULL, machine_fields[i].key);
	json_close(json, ']');
	json_close(json, '}');
}

void fleet_render_json(struct buf *out, const struct fleet_view *view, bool pretty)
{
	struct json json = { .out = out, .indent = pretty ? 2 : 0 };

	json_open(&json, NULL, '{');
	json_text(&json, "schema", "tt-smi-fleet");
	json_u64(&json, "schema_version", 1);
	json_text(&json, "server", view->url);
	json_double(&json, "time", view->time);
	json_bool(&json, "from_recording_rules", view->fleet->uses_rules);
	put_totals(&json, view->fleet);
	json_open(&json, "machines", '[');
	for (size_t i = 0; i < view->fleet->count; i++)
		put_machine(&json, view->fleet, &view->fleet->machines[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	buf_putc(out, '\n');
}

void fleet_render_csv(struct buf *out, const struct fleet *fleet)
{
	buf_puts(out, "machine,instance,has_data");
	for (size_t i = 0; i < MACHINE_VALUES; i++)
		buf_printf(out, ",%s", machine_fields[i].key);
	buf_puts(out, ",alerts,alert_texts\n");
	for (size_t m = 0; m < fleet->count; m++) {
		const struct fleet_machine *machine = &fleet->machines[m];
		CLEANUP_BUF struct buf alerts = { 0 };

		csv_put_text(out, machine->name);
		buf_putc(out, ',');
		csv_put_text(out, machine->instance);
		buf_printf(out, ",%d", machine->has_data);
		for (size_t i = 0; i < MACHINE_VALUES; i++) {
			buf_putc(out, ',');
			csv_put_number(out, machine->values[i]);
		}
		buf_putc(out, ',');
		if (fleet->knows_alerts)
			buf_printf(out, "%zu", machine->n_alerts);
		buf_putc(out, ',');
		machine_put_alerts(&alerts, machine);
		csv_put_text(out, buf_text(&alerts));
		buf_putc(out, '\n');
	}
}
