#include "serve/secrets.h"

#include "basic/exit_code.h"
#include "cli/error_line.h"
#include "serve/tls.h"

static bool load_tls(const struct serve_options *options, struct buf *why)
{
	bool expired;

	if (!tls_load(options->tls_cert, options->tls_key, &expired, why))
		return false;
	if (expired)
		error_line(0, "%s: this certificate has expired; clients may refuse it",
			   options->tls_cert);
	return true;
}

int secrets_load(const struct serve_options *options, struct auth **ret)
{
	CLEANUP_BUF struct buf why = { 0 };

	*ret = NULL;
	if (options->tls_cert && !load_tls(options, &why))
		return error_line(EXIT_FAILED, "%s", buf_text(&why));
	if (options->auth_file) {
		*ret = auth_new(options->auth_file, &why);
		if (!*ret)
			return error_line(EXIT_FAILED, "%s", buf_text(&why));
	}
	return 0;
}

void secrets_reload(const struct serve_options *options, struct auth *auth)
{
	CLEANUP_BUF struct buf tls_why = { 0 }, auth_why = { 0 };

	if (options->tls_cert && !load_tls(options, &tls_why))
		error_line(0, "%s; still using the previous certificate", buf_text(&tls_why));
	else if (options->tls_cert)
		error_line(0, "%s: reloaded", options->tls_cert);
	if (auth && !auth_reload(auth, &auth_why))
		error_line(0, "%s; still using the previous users", buf_text(&auth_why));
	else if (auth)
		error_line(0, "%s: reloaded", options->auth_file);
}
