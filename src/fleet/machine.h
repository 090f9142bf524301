/* One machine of a fleet: what is known about it, and the fields that all outputs show. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>

enum machine_value {
	MACHINE_DEVICES,  /* that the driver serves */
	MACHINE_UP,	  /* that deliver current readings */
	MACHINE_EXPECTED, /* as given by tt_smi serve --expect */
	MACHINE_TEMPERATURE,
	MACHINE_POWER,
	MACHINE_DRAM_USED,
	MACHINE_DRAM_SIZE,
	MACHINE_L1_USED,
	MACHINE_L1_SIZE,
	MACHINE_COMPLETE, /* 0: used memory is a lower bound */
	MACHINE_HOLDERS,  /* jobs' processes, counted once for each device that they have open */
	MACHINE_MONITORS, /* the same of monitors */
	MACHINE_JOBS,	  /* Slurm jobs, pods, containers, and users with other processes */
	MACHINE_USERS,
	MACHINE_VALUES,
};

enum machine_kind { KIND_COUNT, KIND_CELSIUS, KIND_WATTS, KIND_BYTES, KIND_YES_NO };

/* How a value is called and added up, in JSON and in CSV. */
struct machine_field {
	const char *key;
	enum machine_kind kind;
};

extern const struct machine_field machine_fields[MACHINE_VALUES];

struct fleet_alert {
	char *name;	/* "TenstorrentDeviceDown" */
	char *severity; /* "": none */
	char *device;	/* "": of the machine */
};

struct fleet_machine {
	char *instance; /* the label by which the server distinguishes machines */
	char *name;	/* the same without our default port */
	bool has_data;	/* false: it was scraped within the last hour, but no longer is */
	double values[MACHINE_VALUES]; /* NAN: unknown */
	struct fleet_alert *alerts;
	size_t n_alerts;
};

MUST_CHECK int machine_init(struct fleet_machine *machine, const char *instance);
void machine_done(struct fleet_machine *machine);

MUST_CHECK int machine_add_alert(struct fleet_machine *machine, const char *name,
				 const char *severity, const char *device);

/*
 * By name, then device. A machine that is the target of several jobs of the server has each alert
 * several times, and keeps one.
 */
void machine_sort_alerts(struct fleet_machine *machine);

/* Values that follow from others: where no process of a job has a device open, there is no job. */
void machine_derive(struct fleet_machine *machine);

bool machine_knows(const struct fleet_machine *machine, enum machine_value value);

/* The devices that should be up: those expected, or present if there are more. NAN: unknown. */
double machine_target(const struct fleet_machine *machine);

/* The used share of its DRAM, 0 to 1; negative: unknown. */
double machine_dram_share(const struct fleet_machine *machine);

/* "device down 3,19; device hot 4": each kind of alert once, with its devices; once sorted. */
void machine_put_alerts(struct buf *out, const struct fleet_machine *machine);
