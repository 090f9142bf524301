#include "fleet/machine.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct machine_field machine_fields[MACHINE_VALUES] = {
	[MACHINE_DEVICES] = { "devices", KIND_COUNT },
	[MACHINE_UP] = { "devices_up", KIND_COUNT },
	[MACHINE_EXPECTED] = { "devices_expected", KIND_COUNT },
	[MACHINE_TEMPERATURE] = { "temperature", KIND_CELSIUS },
	[MACHINE_POWER] = { "power", KIND_WATTS },
	[MACHINE_DRAM_USED] = { "dram_used", KIND_BYTES },
	[MACHINE_DRAM_SIZE] = { "dram_size", KIND_BYTES },
	[MACHINE_L1_USED] = { "l1_used", KIND_BYTES },
	[MACHINE_L1_SIZE] = { "l1_size", KIND_BYTES },
	[MACHINE_COMPLETE] = { "memory_complete", KIND_YES_NO },
	[MACHINE_HOLDERS] = { "job_holders", KIND_COUNT },
	[MACHINE_MONITORS] = { "monitor_holders", KIND_COUNT },
	[MACHINE_JOBS] = { "jobs", KIND_COUNT },
	[MACHINE_USERS] = { "users", KIND_COUNT },
};

/* The default port of tt_smi serve, which Prometheus appends to the name of a target. */
static const char default_port[] = ":7762";

int machine_init(struct fleet_machine *machine, const char *instance)
{
	size_t length = strlen(instance), port = sizeof(default_port) - 1;

	*machine = (struct fleet_machine){ .instance = strdup(instance), .name = strdup(instance) };
	for (size_t i = 0; i < MACHINE_VALUES; i++)
		machine->values[i] = NAN;
	if (!machine->instance || !machine->name) {
		machine_done(machine);
		return -ENOMEM;
	}
	if (length > port && strcmp(instance + length - port, default_port) == 0)
		machine->name[length - port] = '\0';
	return 0;
}

static void alert_done(struct fleet_alert *alert)
{
	free(alert->name);
	free(alert->severity);
	free(alert->device);
}

void machine_done(struct fleet_machine *machine)
{
	for (size_t i = 0; i < machine->n_alerts; i++)
		alert_done(&machine->alerts[i]);
	free(machine->alerts);
	free(machine->instance);
	free(machine->name);
	*machine = (struct fleet_machine){ 0 };
}

int machine_add_alert(struct fleet_machine *machine, const char *name, const char *severity,
		      const char *device)
{
	struct fleet_alert *alerts, *alert;

	alerts = reallocarray(machine->alerts, machine->n_alerts + 1, sizeof(*alerts));
	if (!alerts)
		return -ENOMEM;
	machine->alerts = alerts;
	alert = &alerts[machine->n_alerts++];
	*alert = (struct fleet_alert){ strdup(name), strdup(severity), strdup(device) };
	return alert->name && alert->severity && alert->device ? 0 : -ENOMEM;
}

static int compare_alerts(const void *a, const void *b)
{
	const struct fleet_alert *first = a, *second = b;
	int order = strcmp(first->name, second->name);

	if (order == 0)
		order = strverscmp(first->device, second->device);
	return order ? order : strcmp(first->severity, second->severity);
}

void machine_sort_alerts(struct fleet_machine *machine)
{
	size_t count = 0;

	if (machine->n_alerts)
		qsort(machine->alerts, machine->n_alerts, sizeof(*machine->alerts), compare_alerts);
	for (size_t i = 0; i < machine->n_alerts; i++)
		if (count && compare_alerts(&machine->alerts[count - 1], &machine->alerts[i]) == 0)
			alert_done(&machine->alerts[i]);
		else
			machine->alerts[count++] = machine->alerts[i];
	machine->n_alerts = count;
}

void machine_derive(struct fleet_machine *machine)
{
	if (machine->values[MACHINE_HOLDERS] == 0)
		machine->values[MACHINE_JOBS] = machine->values[MACHINE_USERS] = 0;
}

bool machine_knows(const struct fleet_machine *machine, enum machine_value value)
{
	return !isnan(machine->values[value]);
}

double machine_target(const struct fleet_machine *machine)
{
	double present = machine->values[MACHINE_DEVICES];
	double expected = machine->values[MACHINE_EXPECTED];

	return fmax(present, expected); /* the other one if one is NAN */
}

double machine_dram_share(const struct fleet_machine *machine)
{
	double used = machine->values[MACHINE_DRAM_USED], size = machine->values[MACHINE_DRAM_SIZE];

	return isnan(used) || !(size > 0) ? -1 : used / size;
}

/* "TenstorrentDeviceDown" reads "device down". */
static void put_words(struct buf *out, const char *name)
{
	static const char ours[] = "Tenstorrent";
	size_t skip = strncmp(name, ours, sizeof(ours) - 1) == 0 ? sizeof(ours) - 1 : 0;

	if (!name[skip])
		skip = 0;
	for (size_t i = skip; name[i]; i++) {
		bool begins = isupper((unsigned char)name[i]);

		if (begins && i > skip && islower((unsigned char)name[i - 1]))
			buf_putc(out, ' ');
		buf_putc(out, begins ? (char)tolower((unsigned char)name[i]) : name[i]);
	}
}

void machine_put_alerts(struct buf *out, const struct fleet_machine *machine)
{
	const char *name = NULL, *device = "";

	for (size_t i = 0; i < machine->n_alerts; i++) {
		const struct fleet_alert *alert = &machine->alerts[i];

		if (!name || strcmp(alert->name, name) != 0) {
			buf_puts(out, name ? "; " : "");
			put_words(out, alert->name);
			device = "";
		}
		if (strcmp(alert->device, device) != 0)
			buf_printf(out, "%s%s", device[0] ? "," : " ", alert->device);
		name = alert->name;
		device = alert->device;
	}
}
