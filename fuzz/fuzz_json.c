/* Fuzzes the reader of JSON, which servers choose. */
#include "fuzz.h"

#include "basic/json_reader.h"
#include "basic/text.h"

static void check_text(const struct buf *text)
{
	const char *at = buf_text(text);
	size_t left = text->length;

	CHECK(strlen(at) == left);
	while (left) {
		uint32_t c;
		size_t n = utf8_decode(at, left, &c);

		CHECK(n > 0);
		at += n;
		left -= n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of its exact size, so that a read beyond the end is found. */
	char *text = malloc(size ? size : 1);
	struct json_reader reader;
	enum json_token token;
	size_t tokens = 0;

	CHECK(text);
	if (size)
		memcpy(text, data, size);
	reader = json_reader_make(text, size);
	do {
		token = json_next(&reader);
		CHECK(reader.depth <= JSON_MAX_DEPTH);
		if (token == TOKEN_KEY || token == TOKEN_STRING)
			check_text(&reader.text);
		CHECK(tokens++ <= size + 1);
	} while (token != TOKEN_END && token != TOKEN_INVALID);
	CHECK(token == TOKEN_INVALID || reader.depth == 0);
	json_reader_done(&reader);
	free(text);
	return 0;
}
