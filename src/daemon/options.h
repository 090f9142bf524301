/* The command line of tt_allocd. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "daemon/limits.h"

#include <stdbool.h>

struct server_options {
	const char *socket;   /* NULL: server_path_to_listen() */
	const char *legacy;   /* NULL: none */
	bool legacy_is_given; /* given on the command line: failing to open it is an error */
	const char *root;     /* NULL: "/" */
	bool trace;	      /* trace programs that do not report */
	bool programs;	      /* the tracer follows each launch, */
	bool names;	      /* and takes names of operations */
	bool quiet, verbose;
	bool help, version;
	struct limits limits;
};

/* Returns 0, or an exit code after reporting the error. */
MUST_CHECK int options_parse(struct server_options *ret, int argc, char **argv);

void options_help(struct buf *out);
