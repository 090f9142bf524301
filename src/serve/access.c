#include "serve/access.h"

static bool is_local(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	return info && address_is_loopback(info->client_addr);
}

bool access_hides_owners(const struct serve_options *options, struct MHD_Connection *connection)
{
	/* With passwords, a request gets here only with a correct one. */
	return options->no_owners || !(options->auth_file || is_local(connection));
}
