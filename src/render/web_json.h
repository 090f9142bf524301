/*
 * The documents that the web page of tt_smi serve is made from. They have the texts and the styles
 * of the full screen, so that no rule is written again in the page, and numbers only for sorting,
 * filtering and drawing. They change with the page; programs read the documents below /api.
 */
#pragma once

#include "basic/buf.h"
#include "model/device_view.h"
#include "model/history.h"
#include "render/json_writer.h"

/* What is shown. */
struct web_view {
	const char *version;
	uint64_t sample; /* number of the sample */
	const struct snapshot *snapshot;
	const struct device_view *devices; /* updated with this snapshot */
	const struct history *history;	   /* this snapshot is the last one in it */
	bool hide_owners;		   /* of processes */
	/* Writes the members of the array "findings"; arg is passed on. */
	void (*put_findings)(struct json *json, const struct snapshot *snapshot, const void *arg);
	const void *arg;
};

/* What does not change: columns of processes, and the size of a unit in filters. */
void web_put_about(struct buf *out, const char *version);

/* The whole machine. */
void web_put_machine(struct buf *out, const struct web_view *view);

/* One device: all readings, charts, processes. False: there is none with this id. */
bool web_put_device(struct buf *out, const struct web_view *view, const char *id);

/* One process: all readings, of itself and on each device. False: there is none with this pid. */
bool web_put_process(struct buf *out, const struct web_view *view, int32_t pid);
