/* The files of --tls-cert, --tls-key and --auth-file: loaded at the start, and again by SIGHUP. */
#pragma once

#include "basic/macros.h"
#include "serve/auth.h"
#include "serve/serve_options.h"

/* Returns 0, or an exit code after reporting the error. *ret is NULL without --auth-file. */
MUST_CHECK int secrets_load(const struct serve_options *options, struct auth **ret);

/* Reports what was reloaded, and what stays as it was and why. */
void secrets_reload(const struct serve_options *options, struct auth *auth);
