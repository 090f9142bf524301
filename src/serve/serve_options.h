/* The command line of tt_smi serve. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "serve/address.h"

#include <stdbool.h>

struct serve_options {
	const char *root; /* NULL: the machine that we run on */
	struct listen_address listen;
	struct host_names hosts;
	unsigned expected;		/* number of devices; 0: not given */
	unsigned left_out;		/* groups of metrics, one bit each */
	const char *tls_cert, *tls_key; /* both or none */
	const char *auth_file;		/* NULL: no passwords */
	unsigned max_owners;
	bool no_owners;
	bool list_metrics, help, version;
};

/* Returns 0, or an exit code after reporting the error. */
MUST_CHECK int serve_options_parse(struct serve_options *ret, int argc, char **argv);

void serve_options_help(struct buf *out);
