#include "proto/wire.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct header {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	uint32_t length; /* of the whole message */
	uint32_t zero;
};

static_assert(sizeof(struct header) == WIRE_HEADER, "wire header");
static_assert(WIRE_HEADER + sizeof(struct wire_error) == WIRE_MAX, "longest message");

/* The structs are sent as they are, so they must not have padding. */
static_assert(sizeof(struct wire_hello) == 8, "hello");
static_assert(sizeof(struct wire_welcome) == 8, "welcome");
static_assert(sizeof(struct wire_error) == 112, "error");
static_assert(sizeof(struct wire_snapshot) == 8, "snapshot");
static_assert(sizeof(struct wire_dump) == 8, "dump");
static_assert(sizeof(struct wire_reply) == 8, "reply");

/* Size of the body; 0 if there is no such type. */
static size_t body_size(uint16_t type)
{
	switch (type) {
	case WIRE_HELLO: return sizeof(struct wire_hello);
	case WIRE_WELCOME: return sizeof(struct wire_welcome);
	case WIRE_ERROR: return sizeof(struct wire_error);
	case WIRE_SNAPSHOT: return sizeof(struct wire_snapshot);
	case WIRE_DUMP: return sizeof(struct wire_dump);
	case WIRE_SNAPSHOT_REPLY:
	case WIRE_DUMP_REPLY:
	case WIRE_ANSWER: return sizeof(struct wire_reply);
	default: return 0;
	}
}

void wire_data_header(size_t size, uint8_t out[WIRE_HEADER])
{
	struct header header = {
		.magic = WIRE_MAGIC,
		.version = WIRE_VERSION,
		.type = WIRE_DATA,
		.length = (uint32_t)(WIRE_HEADER + size),
	};

	memcpy(out, &header, sizeof(header));
}

int wire_data_size(const uint8_t data[WIRE_HEADER], size_t length)
{
	struct header header;

	memcpy(&header, data, sizeof(header));
	if (length <= WIRE_HEADER || length > WIRE_HEADER + WIRE_DATA_MAX ||
	    header.magic != WIRE_MAGIC || header.version != WIRE_VERSION ||
	    header.type != WIRE_DATA || header.length != length || header.zero)
		return -EBADMSG;
	return (int)(length - WIRE_HEADER);
}

unsigned wire_descriptors(enum wire_type type)
{
	return type == WIRE_HELLO || type == WIRE_SNAPSHOT_REPLY || type == WIRE_DUMP_REPLY;
}

size_t wire_encode(const struct wire_message *message, uint8_t out[WIRE_MAX])
{
	struct wire_message copy = *message;
	size_t size = body_size((uint16_t)copy.type);
	struct header header = {
		.magic = WIRE_MAGIC,
		.version = WIRE_VERSION,
		.type = (uint16_t)copy.type,
		.length = (uint32_t)(WIRE_HEADER + size),
	};

	assert(size > 0);
	if (copy.type == WIRE_ERROR) {
		size_t length = strnlen(copy.error.text, WIRE_TEXT - 1);

		memset(copy.error.text + length, 0, WIRE_TEXT - length);
	}
	memcpy(out, &header, sizeof(header));
	memcpy(out + WIRE_HEADER, copy.body, size);
	return header.length;
}

/* Can this version have sent this body? */
static bool body_is_valid(const struct wire_message *message)
{
	switch (message->type) {
	case WIRE_HELLO: return message->hello.flags == 0;
	case WIRE_WELCOME: return message->welcome.flags == 0;
	case WIRE_ERROR:
		return message->error.code > 0 && message->error.code < 4096 &&
		       message->error.text[WIRE_TEXT - 1] == '\0';
	case WIRE_SNAPSHOT:
		return !(message->snapshot.flags &
			 ~(WIRE_WANT_ALLOCATIONS | WIRE_WANT_FINISHED | WIRE_WANT_STREAM)) &&
		       message->snapshot.pid <= INT32_MAX;
	case WIRE_DUMP:
		return !(message->dump.flags & ~(WIRE_DUMP_KERNELS | WIRE_DUMP_STREAM)) &&
		       message->dump.reserved == 0;
	case WIRE_SNAPSHOT_REPLY:
	case WIRE_DUMP_REPLY:
	case WIRE_ANSWER: return message->reply.length <= INT64_MAX;
	case WIRE_DATA: break;
	}
	return false;
}

int wire_decode(const void *data, size_t length, unsigned descriptors, struct wire_message *ret)
{
	struct wire_message message = { 0 };
	struct header header;

	if (length < WIRE_HEADER)
		return -EBADMSG;
	memcpy(&header, data, sizeof(header));
	if (header.magic != WIRE_MAGIC)
		return -EBADMSG;
	if (header.version != WIRE_VERSION)
		return -EPROTONOSUPPORT;
	if (header.zero || header.length != length || !body_size(header.type) ||
	    length != WIRE_HEADER + body_size(header.type))
		return -EBADMSG;

	message.type = (enum wire_type)header.type;
	if (descriptors != wire_descriptors(message.type))
		return -EBADMSG;
	memcpy(message.body, (const uint8_t *)data + WIRE_HEADER, body_size(header.type));
	if (!body_is_valid(&message))
		return -EBADMSG;
	*ret = message;
	return 0;
}
