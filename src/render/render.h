/*
 * The output formats. Each renders one snapshot into a buffer, reads nothing else, and declares in
 * advance which fields it shows.
 */
#pragma once

#include "basic/buf.h"
#include "model/snapshot.h"
#include "model/want.h"
#include "render/render_options.h"

/* The default table: devices, processes and tips. */
void table_wants(const struct render_options *options, struct want *want);
void table_render(struct buf *out, const struct render_options *options,
		  const struct snapshot *snapshot);

/* One line per device: -L. */
void list_wants(struct want *want);
void list_render(struct buf *out, const struct render_options *options,
		 const struct snapshot *snapshot);

/* All values by section: -q. sections is a comma-separated list; NULL: all. */
enum { DETAIL_SECTIONS = 10 };
extern const char *const detail_sections[DETAIL_SECTIONS];
bool detail_knows_section(const char *name, size_t length);
void detail_wants(const char *list, struct want *want);
void detail_render(struct buf *out, const struct render_options *options,
		   const struct snapshot *snapshot, const char *sections);

/* The whole snapshot as JSON: docs/schema.json. */
void json_wants(struct want *want);
void json_render(struct buf *out, const struct render_options *options,
		 const struct snapshot *snapshot, bool pretty);

/* The JSON snapshot of the vendor's tt-smi: -s. */
void vendor_wants(struct want *want);
void vendor_render(struct buf *out, const struct render_options *options,
		   const struct snapshot *snapshot);

/*
 * The vendor's table of trays and their devices. Programs parse its box characters, so they are
 * used in every locale unless ascii is set.
 */
bool trays_exist(const struct snapshot *snapshot);
void trays_wants(struct want *want);
void trays_render(struct buf *out, const struct snapshot *snapshot, bool ascii);

/* How a process's memory is tracked; shared by table and detail. */
void status_text(struct buf *out, const struct process *process);

/* The same, shortened to a width. The reason is cut last. */
void status_text_within(struct buf *out, const struct process *process, size_t width);

/* The status of memory that an exited process left allocated. */
const char *stale_usage_status(const struct stale_usage *stale);

/* The devices of a process: "0,1", "0-15", "0,0R". Consecutive numbers are joined to ranges. */
void devices_text(struct buf *out, const struct snapshot *snapshot, const struct process *process);
