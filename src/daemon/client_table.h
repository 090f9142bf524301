/*
 * A table that a client writes and the server reads: a sealed memfd. Only the totals are mapped;
 * the list of allocations is mapped while it is read.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/peer.h"
#include "proto/snapshot_image.h"
#include "proto/table.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct client_table {
	int fd; /* owned by the caller */
	dev_t dev;
	ino_t ino;
	const void *map; /* TABLE_SLOT_OFFSET bytes; NULL: not open */
	struct table_view view;
	uint64_t there; /* devices whose cells are known to exist */
};

/*
 * -EPERM: not sealed; -EPROTO: not a table; -EPROTONOSUPPORT. There is nothing to close on failure.
 */
MUST_CHECK int client_table_open(struct client_table *table, int fd);
void client_table_close(struct client_table *table);

/* Does the header name this process, as far as it is known? */
bool client_table_is_of(const struct client_table *table, const struct peer *peer);

static inline bool client_table_is_preload(const struct client_table *table)
{
	return table->view.flags & TABLE_PRELOAD;
}

/* The operations of a reporter, see reporter.h. most: maximum number of allocations to list. */
void client_table_describe(const struct client_table *table, struct image_process *record);
uint32_t client_table_usages(struct client_table *table, struct image_usage *ret, uint32_t *flags);
uint32_t client_table_count_usages(const struct client_table *table);
uint32_t client_table_count_allocations(const struct client_table *table, uint32_t most);
void client_table_list(const struct client_table *table, uint32_t most, struct image_writer *writer,
		       uint32_t *flags);
