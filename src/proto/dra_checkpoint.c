#include "proto/dra_checkpoint.h"

#include "basic/json_reader.h"
#include "basic/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last token is a number after a prefix. */
static bool take_number(const struct json_reader *reader, const char *prefix, uint32_t *ret)
{
	const char *text = buf_text(&reader->text);
	size_t length = strlen(prefix);

	return reader->last == TOKEN_STRING && strncmp(text, prefix, length) == 0 &&
	       parse_u32(text + length, ret) == 0 && !strchr(text, '\n') && *ret != DRA_NO_NODE;
}

static bool is_key(const struct json_reader *reader, const char *name)
{
	return strcmp(buf_text(&reader->text), name) == 0;
}

/* Go writes an embedded message by its field names, or by the names of its protobuf tags. */
static bool is_device_name(const struct json_reader *reader)
{
	return is_key(reader, "DeviceName") || is_key(reader, "deviceName") ||
	       is_key(reader, "device_name");
}

/*
 * One prepared device, whose opening brace was read. Its name may be at any depth, and so may the
 * path of its node.
 */
static int read_device(struct json_reader *reader, struct dra_device *device)
{
	const unsigned depth = reader->depth;
	bool named = false;

	device->node = DRA_NO_NODE;
	while (reader->depth >= depth) {
		enum json_token token = json_next(reader);
		bool is_name, is_path;

		if (token == TOKEN_INVALID)
			return -EBADMSG;
		if (token != TOKEN_KEY)
			continue;
		is_name = is_device_name(reader);
		is_path = is_key(reader, "path") && device->node == DRA_NO_NODE;
		if (json_next(reader) == TOKEN_INVALID)
			return -EBADMSG;
		if (is_name && (named || !take_number(reader, "tt-", &device->chip)))
			return -EBADMSG;
		named |= is_name;
		if (is_path && !take_number(reader, "/dev/tenstorrent/", &device->node))
			device->node = DRA_NO_NODE;
	}
	return named ? 0 : -EBADMSG;
}

/* The key that was just read. False: it is not a uid. */
static bool take_uid(const struct json_reader *reader, char *ret, size_t size)
{
	const char *text = buf_text(&reader->text);

	if (strlen(text) >= size || text[strspn(text, "0123456789abcdefABCDEF-")])
		return false;
	memcpy(ret, text, strlen(text) + 1);
	return true;
}

/* The devices of one claim, whose uid was read. */
static int read_claim(struct json_reader *reader, struct dra_checkpoint *checkpoint)
{
	char uid[sizeof(checkpoint->devices->claim)];
	bool valid = take_uid(reader, uid, sizeof(uid));
	enum json_token token = json_next(reader);

	if (token == TOKEN_NULL)
		return 0;
	if (token != TOKEN_ARRAY || !valid)
		return -EBADMSG;
	while ((token = json_next(reader)) == TOKEN_OBJECT) {
		struct dra_device *device = &checkpoint->devices[checkpoint->count];
		int r;

		if (checkpoint->count == DRA_DEVICES)
			return -ENOSPC;
		r = read_device(reader, device);
		if (r < 0)
			return r;
		memcpy(device->claim, uid, sizeof(uid));
		checkpoint->count++;
	}
	return token == TOKEN_ARRAY_END ? 0 : -EBADMSG;
}

static int read_claims(struct json_reader *reader, struct dra_checkpoint *checkpoint)
{
	enum json_token token = json_next(reader);
	int r = 0;

	if (token == TOKEN_NULL)
		return 0;
	if (token != TOKEN_OBJECT)
		return -EBADMSG;
	while (r == 0 && (token = json_next(reader)) == TOKEN_KEY)
		r = read_claim(reader, checkpoint);
	return r < 0 || token == TOKEN_OBJECT_END ? r : -EBADMSG;
}

/*
 * Reads the members of an object: the one with this name by read(), others are skipped. Returns how
 * many there were of that name, at most one, or -EBADMSG; *ret_empty: there was none at all.
 */
static int read_member(struct json_reader *reader, const char *name,
		       int (*read)(struct json_reader *reader, struct dra_checkpoint *checkpoint),
		       struct dra_checkpoint *checkpoint, bool *ret_empty)
{
	enum json_token token;
	int found = 0, r = 0;

	if (!json_expect(reader, TOKEN_OBJECT))
		return -EBADMSG;
	*ret_empty = true;
	while (r == 0 && (token = json_next(reader)) == TOKEN_KEY) {
		*ret_empty = false;
		if (!is_key(reader, name)) {
			(void)json_next(reader);
			r = json_skip(reader) ? 0 : -EBADMSG;
			continue;
		}
		r = found++ ? -EBADMSG : read(reader, checkpoint);
	}
	if (r < 0)
		return r;
	return token == TOKEN_OBJECT_END ? found : -EBADMSG;
}

/* The driver omits an empty map. */
static int read_version(struct json_reader *reader, struct dra_checkpoint *checkpoint)
{
	bool empty;
	int r = read_member(reader, "preparedClaims", read_claims, checkpoint, &empty);

	return r == 0 && !empty ? -EBADMSG : MIN(r, 0);
}

int dra_checkpoint_parse(const char *text, size_t length, struct dra_checkpoint *ret)
{
	struct dra_checkpoint *read = calloc(1, sizeof(*read));
	struct json_reader reader = json_reader_make(text, length);
	bool empty;
	int r;

	if (!read)
		return -ENOMEM;
	r = read_member(&reader, "v1", read_version, read, &empty);
	if (r == 0 || (r > 0 && !json_expect(&reader, TOKEN_END)))
		r = -EBADMSG;
	if (r > 0)
		*ret = *read;
	json_reader_done(&reader);
	free(read);
	return MIN(r, 0);
}
