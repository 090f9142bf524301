/*
 * Fuzzes the decoder of the server's own messages: accepted messages must encode to the same bytes.
 */
#include "proto/wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Clears the bytes after the NUL, which the decoder drops. */
static void text_clear(uint8_t *packet)
{
	char *text = (char *)packet + WIRE_MAX - WIRE_TEXT;
	size_t length = strnlen(text, WIRE_TEXT);

	memset(text + length, 0, WIRE_TEXT - length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (unsigned descriptors = 0; descriptors < 3; descriptors++) {
		uint8_t packet[WIRE_MAX], again[WIRE_MAX];
		struct wire_message message;

		if (wire_decode(data, size, descriptors, &message) < 0)
			continue;
		if (size > WIRE_MAX || descriptors != wire_descriptors(message.type))
			abort();
		memcpy(packet, data, size);
		if (message.type == WIRE_ERROR)
			text_clear(packet);
		if (wire_encode(&message, again) != size || memcmp(packet, again, size) != 0)
			abort();
	}
	return 0;
}
