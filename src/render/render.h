/*
 * Outputs: each is a reading of one snapshot, appended to a buffer. None of them
 * reads anything else, and each says beforehand which fields it will show.
 */
#pragma once

#include "basic/buf.h"
#include "model/snapshot.h"
#include "model/want.h"
#include "render/render_options.h"

/* The table of devices, processes and tips. */
void table_wants(const struct render_options *options, struct want *want);
void table_render(struct buf *out, const struct render_options *options,
		  const struct snapshot *snapshot);

/* One line per device: -L. */
void list_wants(struct want *want);
void list_render(struct buf *out, const struct render_options *options,
		 const struct snapshot *snapshot);

/* Everything, by section: -q. sections is a comma-separated list, or NULL for all. */
bool detail_knows_section(const char *name, size_t length);
const char *detail_sections(void);
void detail_wants(const char *list, struct want *want);
void detail_render(struct buf *out, const struct render_options *options,
		   const struct snapshot *snapshot, const char *sections);

/* The whole state; docs/schema.json. */
void json_wants(struct want *want);
void json_render(struct buf *out, const struct render_options *options,
		 const struct snapshot *snapshot, bool pretty);

/* The layout of the vendor's snapshot: -s. */
void vendor_wants(struct want *want);
void vendor_render(struct buf *out, const struct render_options *options,
		   const struct snapshot *snapshot);

/*
 * The vendor's table of trays and their devices. Its readers look for box characters, so it
 * has them in every locale, unless ascii is set.
 */
bool trays_exist(const struct snapshot *snapshot);
void trays_wants(struct want *want);
void trays_render(struct buf *out, const struct snapshot *snapshot, bool ascii);

/* How a process's memory is known, in words; shared by table and detail. */
void status_text(struct buf *out, const struct process *process);

/* The same for a narrow column: all else goes before the reason is cut. */
void status_text_within(struct buf *out, const struct process *process, size_t width);

/* And what is to be said of memory that somebody left behind. */
const char *stale_usage_status(const struct stale_usage *stale);

/* The devices of a process: "0,1", "0-15", "0,0R"; runs of numbers are joined. */
void devices_text(struct buf *out, const struct snapshot *snapshot, const struct process *process);
