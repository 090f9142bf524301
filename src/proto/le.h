/* Little-endian numbers at any address. */
#pragma once

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t le16_at(const void *at)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return le16toh(v);
}

static inline uint32_t le32_at(const void *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return le32toh(v);
}

static inline uint64_t le64_at(const void *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return le64toh(v);
}
