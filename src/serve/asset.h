/*
 * The files of the web page, which are part of the program: cmake/embed.py makes the table from
 * src/serve/web/.
 */
#pragma once

#include <microhttpd.h>
#include <stddef.h>

struct asset {
	const char *path, *type;
	const char *tag; /* of its content */
	struct asset_body {
		const unsigned char *data;
		size_t size;
	} bodies[2]; /* plain, gzip */
};

extern const struct asset assets[];
extern const size_t n_assets;

/* NULL: there is none at this path. */
const struct asset *asset_find(const char *path);

/* Answers with the file, or that the client has it already. */
enum MHD_Result answer_asset(struct MHD_Connection *connection, const struct asset *asset);
