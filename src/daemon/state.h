/*
 * The state that the server passes to itself when it executes its binary again: a head, then
 * records, each with a frame that has its kind and size. Descriptors are stored as numbers and stay
 * open.
 *
 *         head | connections | clients | legacy processes, each with its devices and
 *         entries | legacy connections | accounts, each with its usages | exit watches
 *
 * It is read by another build of this program, perhaps a later one. A reader rejects the whole
 * state, and closes all descriptors, if the size of any record differs from its own build; a change
 * that keeps all sizes needs a new STATE_VERSION.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "daemon/ledger.h"
#include "daemon/legacy_connection.h"
#include "daemon/peer.h"

#include <stddef.h>
#include <stdint.h>

#define STATE_MAGIC   UINT64_C(0x3145544154535454) /* "TTSTATE1" on a little-endian machine */
#define STATE_VERSION 5u

struct manager;

struct state_listener {
	int32_t fd; /* -1: none */
	uint32_t given;
	uint64_t dev, ino;
	char path[112];
};

/* The kinds of records, in their order. */
enum state_record {
	STATE_CONNECTION,
	STATE_CLIENT,
	STATE_PROCESS,
	STATE_LEGACY,
	STATE_ACCOUNT,
	STATE_EXIT_WATCH,
	STATE_RECORDS,
};

/* Before each record. */
struct state_frame {
	uint32_t kind; /* enum state_record */
	uint32_t size; /* of the record with its arrays, without this frame */
};

struct state_head {
	uint64_t magic;
	uint32_t version;
	uint32_t size; /* of this head */
	uint64_t start_ns;
	uint64_t finished_total;
	struct state_listener own, legacy;
	uint32_t connections, clients, processes, legacy_connections, accounts, exit_watches;
	int32_t tracer; /* pid of the tracing child; 0: none */
	uint32_t reserved;
};

struct state_connection {
	int32_t fd;
	uint32_t state;
	int32_t pid;
	uint32_t uid;
};

struct state_client {
	int32_t table, pidfd;
	int32_t connection; /* index in its section; -1: adopted */
	int32_t link;	    /* adopted: its number in /proc/PID/fd */
	struct peer peer;
};

struct state_process {
	int32_t pidfd;
	uint32_t limit_said;
	uint64_t devices; /* bit per device: a struct ledger_device follows for each */
	uint32_t entries; /* number of struct ledger_entry after them */
	uint32_t reserved;
	uint64_t misuse[TABLE_MISUSES];
	uint64_t ignored;
	struct peer peer;
};

struct state_legacy_connection {
	int32_t fd;
	uint32_t state;
	uint32_t number;
	uint32_t known;
	uint32_t uid;
	int32_t process; /* index in its section; -1: none */
	struct peer peer;
	struct legacy_stream stream;
	struct legacy_record due;
	uint16_t out_at, out_length, in_at, in_length;
	uint8_t out[LEGACY_SIZE_MAX];
	uint8_t in[LEGACY_READ];
};

struct state_account {
	struct image_process process;
	uint32_t usages; /* number of struct image_usage after it */
	uint32_t reserved;
};

struct state_exit_watch {
	int32_t pidfd;
	uint32_t account; /* index in its section */
};

/* Records follow each other without padding. */
_Static_assert(sizeof(struct state_head) % 8 == 0 && sizeof(struct state_connection) % 8 == 0 &&
		       sizeof(struct state_client) % 8 == 0 &&
		       sizeof(struct state_process) % 8 == 0 &&
		       sizeof(struct state_legacy_connection) % 8 == 0 &&
		       sizeof(struct state_account) % 8 == 0 &&
		       sizeof(struct state_exit_watch) % 8 == 0 &&
		       sizeof(struct ledger_device) % 8 == 0 &&
		       sizeof(struct ledger_entry) % 8 == 0 && sizeof(struct image_usage) % 8 == 0,
	       "a record of the state is not aligned");

/* Writes the whole state. Check out->failed. */
void state_save(struct manager *manager, struct buf *out);

/* Calls each() for every descriptor that must stay open. */
void state_descriptors(struct manager *manager, void (*each)(int fd, bool stays), bool stays);

/*
 * Does it have our magic and version, and do its records match this build? A truncated state is
 * accepted.
 */
MUST_CHECK int state_check(const void *data, size_t length);

/* Restores it. What cannot be restored is closed and logged. */
MUST_CHECK int state_restore(struct manager *manager, const void *data, size_t length);
