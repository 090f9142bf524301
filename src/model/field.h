/*
 * Fields: one table line per reading drives every output.
 *
 * Each struct of the model (host, device, process, usage) has an enum of its fields, an array why[]
 * indexed by it, and a table of struct field, which gives the offset, the meaning and the names of
 * each value. A new reading is one enum, one member, one table line and one assignment in a source.
 */
#pragma once

#include "model/reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The C type of the member. */
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
	K_NEVER, /* no file has it, but scripts query it */
};

/* The unit of a value. Values are stored in base units; tables scale them. */
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
	U_PER_SECOND,
	U_TIME, /* seconds since 1970 */
	U_JOULE,
	U_N,
};

struct unit_info {
	const char *json;   /* name of the base unit */
	const char *csv;    /* in brackets in a CSV heading; NULL: none */
	double csv_scale;   /* base units in one CSV unit */
	int csv_digits;	    /* decimal places */
	const char *metric; /* the end of a metric's name; NULL: none */
};

extern const struct unit_info unit_infos[U_N];

/* Of the texts in a column. */
enum align {
	ALIGN_LEFT,
	ALIGN_RIGHT,
};

/* A column of a table. Widths are in characters, without the blank after the column. */
struct column_form {
	const char *heading; /* NULL: not shown in a column, or in one named after another field */
	int width;
	int narrow;	   /* used if the line is too short; 0: the same */
	int screen;	   /* on the full screen; 0: as in the printed table */
	enum align align;  /* on the full screen; the printed table aligns everything to the left */
	const char *brief; /* the heading on the full screen; NULL: the same */
};

/* The struct that a field belongs to. */
enum fields_of {
	OF_NOTHING,
	OF_HOST,
	OF_DEVICE,
	OF_PROCESS,
	OF_USAGE,
	OF_ACCOUNTED,
	OF_TOTALS,
	OF_PART, /* not a struct: an enum part */
};

/* Data that is read as a whole or not at all and is not a field. */
enum part {
	/*
	 * The processes on each device and their memory. They are one part because for some
	 * processes only their memory shows that they use a device.
	 */
	PART_PROCESSES,
	PART_ALLOCATIONS, /* each allocation, if its process or the server lists them */
	PART_REPORTERS,	  /* programs that report memory without having a device open */
	PART_ACCOUNTS,	  /* finished processes recorded by the server */
	PART_UTILIZATION, /* what the tracer measures, and what programs publish in /dev/shm */
	PART_SHM_IDS,	  /* what assigns the files in /dev/shm to chips and processes */
	PART_HOST,	  /* distribution and memory of the host */
	PART_N,
};

#define PART(name)                   \
	{                            \
		OF_PART, PART_##name \
	}

/* One field of one table, or one part. */
struct field_ref {
	uint8_t of;    /* enum fields_of */
	uint8_t index; /* in the enum of its table */
};

/* A list of them: FIELDS(DEVICE_FIELD(POWER), PART(PROCESSES)). */
#define FIELDS(...) ((const struct field_ref[]){ __VA_ARGS__, { OF_NOTHING, 0 } })

struct field {
	const char *key;     /* name in queries; stable, never renamed */
	const char *aliases; /* further names, separated by blanks, or NULL */
	const char *json;    /* path in the JSON document; NULL: not part of it */
	const char *section; /* section of -q; NULL: not shown there */
	const char *label;   /* in -q */
	const char *help;
	enum kind kind;
	enum unit unit;
	size_t offset;
	unsigned pair_ms; /* a rate: needs two samples this many milliseconds apart */
	/*
	 * The fields that it is computed from or checked against, as FIELDS(). NULL: none.
	 */
	const struct field_ref *needs;
	const char *const *names;  /* K_ENUM: the text of each value */
	struct column_form column; /* the column that shows it, alone or with others */
};

/* All fields of one struct. */
struct field_table {
	const struct field *fields;
	size_t count;
	size_t why_offset; /* offset of its uint8_t why[] */
	enum fields_of of;
	const struct field_ref *needs; /* fields that every field of the table needs */
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

/* The fields of the first set that are not in the second. */
static inline struct fieldset fieldset_difference(const struct fieldset *set,
						  const struct fieldset *without)
{
	struct fieldset rest;

	for (size_t i = 0; i < FIELDSET_WORDS; i++)
		rest.words[i] = set->words[i] & ~without->words[i];
	return rest;
}

static inline bool fieldset_has(const struct fieldset *set, unsigned field)
{
	return set->words[field / 64] >> field % 64 & 1;
}

/*
 * A value read from a struct. number is set for all kinds except texts, text for texts and K_ENUM.
 */
struct value {
	enum reason why;
	const struct field *field;
	const char *text;
	double number;
	uint64_t exact; /* set for unsigned kinds */
};

void field_get(const struct field_table *table, unsigned index, const void *object,
	       struct value *ret);

/* The index of the field with this key or alias; -1 if there is none. */
int field_find(const struct field_table *table, const char *name);
