/* The command line of tt_allocd. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "daemon/limits.h"

#include <stdbool.h>

struct server_options {
	const char *socket;   /* NULL: the usual place */
	const char *legacy;   /* NULL: none */
	bool legacy_is_given; /* on the command line: then it must work */
	const char *root;     /* NULL: "/" */
	bool trace;	      /* programs that do not report */
	bool quiet, verbose;
	bool help, version;
	struct limits limits;
};

/* 0, or an exit code after reporting what is wrong. */
MUST_CHECK int options_parse(struct server_options *ret, int argc, char **argv);

void options_help(struct buf *out);
