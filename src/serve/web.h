/* The documents of the web page, made from the served samples, and the state kept between them. */
#pragma once

#include "basic/buf.h"
#include "model/device_view.h"
#include "serve/charts.h"
#include "serve/serve_options.h"

/* Zero: no record yet. */
struct web {
	const struct serve_options *options;
	const struct charts *charts; /* updated before */
	struct device_view devices;
	uint64_t sample; /* number of the last record in it */
};

void web_done(struct web *web);

/* Takes the record, if it is a new one. */
void web_update(struct web *web, const struct served_sample *record);

/* The document of the machine. The record must be the last one of web_update(). */
void web_put_record(struct buf *out, const struct web *web, const struct served_sample *record,
		    bool hide_owners);

/* The document of a device. False: there is none with this id. */
bool web_put_record_device(struct buf *out, const struct web *web,
			   const struct served_sample *record, bool hide_owners, const char *id);

/* The document of a process. False: there is none with this pid. */
bool web_put_record_process(struct buf *out, const struct web *web,
			    const struct served_sample *record, bool hide_owners, int32_t pid);
