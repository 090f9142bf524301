#include "serve/asset.h"

#include "serve/negotiation.h"
#include "serve/response.h"

#include <stdio.h>
#include <string.h>

const struct asset *asset_find(const char *path)
{
	for (size_t i = 0; i < n_assets; i++)
		if (strcmp(assets[i].path, path) == 0)
			return &assets[i];
	return NULL;
}

/* The tag of the packed form is another one: its bytes differ. */
static void put_tag(char *out, size_t size, const struct asset *asset, bool gzip)
{
	snprintf(out, size, "\"%s%s\"", asset->tag, gzip ? "-gzip" : "");
}

enum MHD_Result answer_asset(struct MHD_Connection *connection, const struct asset *asset)
{
	const char *known = request_header(connection, MHD_HTTP_HEADER_IF_NONE_MATCH);
	bool gzip = accepts_gzip(request_header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING));
	const struct asset_body *body = &asset->bodies[gzip];
	bool same = known && strstr(known, asset->tag);
	struct MHD_Response *response = MHD_create_response_from_buffer(
		same ? 0 : body->size, same ? NULL : (void *)body->data, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result = MHD_NO;
	char tag[64];

	if (!response)
		return MHD_NO;
	put_tag(tag, sizeof(tag), asset, gzip);
	if (gzip && !same)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	if (response_add_page_headers(response, asset->type) &&
	    MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, tag) == MHD_YES)
		result = MHD_queue_response(connection, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK,
					    response);
	MHD_destroy_response(response);
	return result;
}
