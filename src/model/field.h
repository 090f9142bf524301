/*
 * Fields: one table line per reading drives every output.
 *
 * A struct of the model (host, device, process, usage) has an enum of its fields,
 * an array why[] indexed by it, and a table of struct field that says where a
 * value lies, what it means and what it is called. A new reading is one enum, one
 * member, one table line and one assignment in a source.
 */
#pragma once

#include "model/reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the member is stored. */
enum kind {
	K_STRING, /* char[], in the struct */
	K_TEXT,	  /* char * */
	K_ENUM,	  /* an enum; its text is in names */
	K_U32,
	K_U64,
	K_I32,
	K_DOUBLE,
	K_BOOL,
	K_HEX64, /* uint64_t, shown as 16 hexadecimal digits */
	K_HEX16, /* uint32_t, shown as 0x and 4 digits, as sysfs does */
	K_NEVER, /* asked for by scripts, told by no file */
};

/* What it counts. Values are held in base units; tables show handier ones. */
enum unit {
	U_NONE,
	U_CELSIUS,
	U_WATT,
	U_VOLT,
	U_AMPERE,
	U_HERTZ,
	U_RPM,
	U_BYTE,
	U_BYTE_RATE,
	U_RATIO,
	U_SECOND,
	U_TIME, /* seconds since 1970 */
	U_N,
};

struct unit_info {
	const char *json; /* name of the base unit */
	const char *csv;  /* in brackets in a CSV heading; NULL: none */
	double csv_scale; /* base units in one CSV unit */
	int csv_digits;	  /* after the point */
};

extern const struct unit_info unit_infos[U_N];

/* Of the texts in a column. */
enum align {
	ALIGN_LEFT,
	ALIGN_RIGHT,
};

/* What a field belongs to; each has a table of its fields. */
enum fields_of {
	OF_NOTHING,
	OF_HOST,
	OF_DEVICE,
	OF_PROCESS,
	OF_USAGE,
	OF_ACCOUNTED,
	OF_PART, /* no table: enum part */
};

/* What is read as a whole or not at all, and is not a field of its own. */
enum part {
	/*
	 * The processes on each device, and their memory. One part: some processes are known
	 * to be on a device from their memory alone.
	 */
	PART_PROCESSES,
	PART_ALLOCATIONS, /* each single allocation, where its process or the server lists them */
	PART_REPORTERS,	  /* programs that report memory without having a device open */
	PART_ACCOUNTS,	  /* finished processes that the server remembers */
	PART_UTILIZATION, /* what programs publish in /dev/shm */
	PART_SHM_IDS,	  /* ids of the chips by which files in /dev/shm are named */
	PART_HOST,	  /* distribution and memory of the machine */
	PART_N,
};

#define PART(name)                   \
	{                            \
		OF_PART, PART_##name \
	}

/* One field of one table, or one part. */
struct field_ref {
	uint8_t of;    /* enum fields_of */
	uint8_t index; /* in its enum */
};

/* A list of them: FIELDS(DEVICE_FIELD(POWER), PART(PROCESSES)). */
#define FIELDS(...) ((const struct field_ref[]){ __VA_ARGS__, { OF_NOTHING, 0 } })

struct field {
	const char *key;     /* name in queries: a promise, never renamed */
	const char *aliases; /* further names, separated by blanks, or NULL */
	const char *json;    /* path in the JSON document; NULL: not there */
	const char *section; /* of -q; NULL: not there */
	const char *label;   /* in -q */
	const char *help;
	enum kind kind;
	enum unit unit;
	size_t offset;
	unsigned pair_ms; /* a rate: wants two samples this far apart */
	/*
	 * What it is computed from or checked against, as FIELDS(): without these it would
	 * have another value. NULL: nothing else.
	 */
	const struct field_ref *needs;
	const char *const *names; /* K_ENUM: the text of each value */
	/*
	 * The column that shows it, alone or with others: of devices in the table, of
	 * processes on the full screen.
	 */
	const char *heading; /* NULL: no column shows it, or one that is named after another */
	int width;	     /* in characters, without the blank after it */
	int narrow;	     /* where the line is too short for that; 0: the same */
	enum align align;    /* on the full screen; the table aligns all to the left */
};

/* All fields of one struct. */
struct field_table {
	const struct field *fields;
	size_t count;
	size_t why_offset; /* of its uint8_t why[] */
	enum fields_of of;
	const struct field_ref *needs; /* what every field of it needs: the rows themselves */
};

/* A set of fields of one table. */
#define FIELDSET_WORDS 2
struct fieldset {
	uint64_t words[FIELDSET_WORDS];
};

static inline void fieldset_add(struct fieldset *set, unsigned field)
{
	set->words[field / 64] |= UINT64_C(1) << field % 64;
}

static inline void fieldset_remove(struct fieldset *set, unsigned field)
{
	set->words[field / 64] &= ~(UINT64_C(1) << field % 64);
}

static inline bool fieldset_has(const struct fieldset *set, unsigned field)
{
	return set->words[field / 64] >> field % 64 & 1;
}

/* A value taken out of a struct: number is set for all kinds but texts, text for those and K_ENUM.
 */
struct value {
	enum reason why;
	const struct field *field;
	const char *text;
	double number;
	uint64_t exact; /* unsigned kinds */
};

void field_get(const struct field_table *table, unsigned index, const void *object,
	       struct value *ret);

/* The field of this key or alias; -1 if there is none. */
int field_find(const struct field_table *table, const char *name);
