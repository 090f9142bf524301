/* The command line of tt_smi fleet. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "cli/common_options.h"
#include "fleet/http_client.h"

#include <stdbool.h>

struct fleet_options {
	struct http_client_options client;
	struct buf matchers; /* for struct fleet_filter */
	char **globs;	     /* NULL-terminated */
	enum color color;
	enum json json;
	bool who;	    /* show the owners, not the machines */
	unsigned period_ms; /* of -w */
	bool watch, csv, all, ascii, help, version;
};

/* Returns 0, or an exit code after reporting the error. */
MUST_CHECK int fleet_options_parse(struct fleet_options *ret, int argc, char **argv);
void fleet_options_done(struct fleet_options *options);

void fleet_options_help(struct buf *out);
