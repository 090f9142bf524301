#include "fleet/machine.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

const struct machine_field machine_fields[MACHINE_VALUES] = {
	[MACHINE_DEVICES] = { "devices", KIND_COUNT, "devices that the driver serves" },
	[MACHINE_UP] = { "devices_up", KIND_COUNT, "devices that deliver current readings" },
	[MACHINE_EXPECTED] = { "devices_expected", KIND_COUNT,
			       "devices that should be there (tt_smi serve --expect)" },
	[MACHINE_TEMPERATURE] = { "temperature", KIND_CELSIUS, "of the hottest device" },
	[MACHINE_POWER] = { "power", KIND_WATTS, "of all chips" },
	[MACHINE_DRAM_USED] = { "dram_used", KIND_BYTES, "DRAM that programs have allocated" },
	[MACHINE_DRAM_SIZE] = { "dram_size", KIND_BYTES, "DRAM that programs can use" },
	[MACHINE_L1_USED] = { "l1_used", KIND_BYTES, "L1 that programs have allocated" },
	[MACHINE_L1_SIZE] = { "l1_size", KIND_BYTES, "L1 that programs can use" },
	[MACHINE_COMPLETE] = { "memory_complete", KIND_YES_NO,
			       "every job is tracked; if not, used memory is a lower bound" },
	[MACHINE_HOLDERS] = { "job_holders", KIND_COUNT,
			      "processes of jobs, once for each device that they have open" },
	[MACHINE_MONITORS] = { "monitor_holders", KIND_COUNT, "the same of monitors" },
	[MACHINE_JOBS] = { "jobs", KIND_COUNT,
			   "Slurm jobs, pods, containers, and users with processes beside them" },
	[MACHINE_USERS] = { "users", KIND_COUNT, "users with jobs" },
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

void machine_done(struct fleet_machine *machine)
{
	for (size_t i = 0; i < machine->n_alerts; i++) {
		free(machine->alerts[i].name);
		free(machine->alerts[i].severity);
		free(machine->alerts[i].device);
	}
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

/* Is it the first one of this name? */
static bool is_first(const struct fleet_machine *machine, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(machine->alerts[i].name, machine->alerts[at].name) == 0)
			return false;
	return true;
}

void machine_put_alerts(struct buf *out, const struct fleet_machine *machine)
{
	size_t kinds = 0;

	for (size_t i = 0; i < machine->n_alerts; i++) {
		size_t devices = 0;

		if (!is_first(machine, i))
			continue;
		buf_puts(out, kinds++ ? "; " : "");
		put_words(out, machine->alerts[i].name);
		for (size_t k = i; k < machine->n_alerts; k++)
			if (strcmp(machine->alerts[k].name, machine->alerts[i].name) == 0 &&
			    machine->alerts[k].device[0])
				buf_printf(out, "%s%s", devices++ ? "," : " ",
					   machine->alerts[k].device);
	}
}
