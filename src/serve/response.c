#include "serve/response.h"

#include "basic/macros.h"
#include "serve/gzip.h"
#include "serve/negotiation.h"

const char *request_header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static bool add_headers(struct MHD_Response *response, const struct response_header *headers,
			size_t count, const char *type)
{
	static const struct response_header all[] = {
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Referrer-Policy", "no-referrer" },
		{ "X-Content-Type-Options", "nosniff" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (MHD_add_response_header(response, all[i].name, all[i].value) != MHD_YES)
			return false;
	for (size_t i = 0; i < count; i++)
		if (MHD_add_response_header(response, headers[i].name, headers[i].value) != MHD_YES)
			return false;
	return MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES;
}

bool response_add_headers(struct MHD_Response *response, const char *type)
{
	static const struct response_header headers[] = {
		{ MHD_HTTP_HEADER_CACHE_CONTROL, "no-store" },
		{ MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding" },
		{ "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'" },
	};

	return add_headers(response, headers, ARRAY_SIZE(headers), type);
}

bool response_add_page_headers(struct MHD_Response *response, const char *type)
{
	static const struct response_header headers[] = {
		{ MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache" },
		{ MHD_HTTP_HEADER_VARY, "Accept-Encoding" },
		{ "Content-Security-Policy",
		  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
		  "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
		  "require-trusted-types-for 'script'; trusted-types 'none'" },
	};

	return add_headers(response, headers, ARRAY_SIZE(headers), type);
}

struct MHD_Response *response_new(struct buf *body, const char *type)
{
	struct MHD_Response *response;

	if (body->failed || !body->data)
		return NULL;
	buf_fit(body);
	response = MHD_create_response_from_buffer(body->length, body->data, MHD_RESPMEM_MUST_FREE);
	if (!response)
		return NULL;
	*body = (struct buf){ 0 };
	if (!response_add_headers(response, type)) {
		MHD_destroy_response(response);
		return NULL;
	}
	return response;
}

struct MHD_Response *response_new_packed(const struct buf *body, const char *type)
{
	CLEANUP_BUF struct buf packed = { 0 };
	struct MHD_Response *response;

	gzip_add(&packed, body->data, body->length);
	response = response_new(&packed, type);
	if (response)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	return response;
}

enum MHD_Result answer_body(struct MHD_Connection *connection, struct buf *body, const char *type)
{
	bool gzip = accepts_gzip(request_header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING));
	struct MHD_Response *response =
		gzip ? response_new_packed(body, type) : response_new(body, type);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	result = MHD_queue_response(connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

enum MHD_Result answer_text_with(struct MHD_Connection *connection, unsigned status,
				 const char *text, const struct response_header *header)
{
	CLEANUP_BUF struct buf body = { 0 };
	struct MHD_Response *response;
	enum MHD_Result result;

	buf_printf(&body, "%s\n", text);
	response = response_new(&body, "text/plain; charset=utf-8");
	if (!response)
		return MHD_NO;
	if (status >= MHD_HTTP_BAD_REQUEST && status < MHD_HTTP_INTERNAL_SERVER_ERROR)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (header)
		MHD_add_response_header(response, header->name, header->value);
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *text)
{
	return answer_text_with(connection, status, text, NULL);
}
