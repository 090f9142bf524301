#include "metal/live.h"

#include "basic/macros.h"

#include <errno.h>
#include <string.h>

/* The first bytes of a Buffer, which contain every field of a shape. */
#define BUFFER_BYTES 128

/* Limit for live buffers of a process. */
#define LIVE_MAX (1U << 20)

/* std::unordered_set of libstdc++. A node is the next pointer, then the value. */
struct hash_set {
	uint64_t buckets, n_buckets, first, count;
	float load_factor;
	uint32_t padding;
	uint64_t next_resize, single_bucket;
};

/* Offsets of the set in an allocator: since v0.57, v0.62 (after a mutex), v0.73 (a vtable). */
static const uint16_t set_offsets[] = { 264, 304, 312 };

static bool fits(unsigned offset, size_t width)
{
	return offset + width <= BUFFER_BYTES;
}

static bool shape_fits(const struct metal_shape *shape)
{
	return fits(shape->device, 8) && fits(shape->size, 8) && fits(shape->type, 4) &&
	       fits(shape->owns_data, 1) && fits(shape->allocator, 8) && fits(shape->status, 1) &&
	       fits(shape->dry_run, 1) && fits(shape->address, 8);
}

/* -EBADMSG: there is no Buffer at this address. */
static int buffer_read(const struct metal_shape *shape, const struct metal_memory *memory,
		       uint64_t address, struct metal_buffer *ret)
{
	uint8_t bytes[BUFFER_BYTES];
	struct metal_buffer buffer = { .self = address };
	int r;

	if (!metal_is_pointer(address) || !shape_fits(shape))
		return -EBADMSG;
	/* The address is the last member that is read: memory after it may be unmapped. */
	r = memory->read(memory->arg, address, bytes, shape->address + sizeof(uint64_t));
	if (r < 0)
		return r;
	memcpy(&buffer.device, bytes + shape->device, sizeof(buffer.device));
	memcpy(&buffer.size, bytes + shape->size, sizeof(buffer.size));
	memcpy(&buffer.type, bytes + shape->type, sizeof(buffer.type));
	memcpy(&buffer.allocator, bytes + shape->allocator, sizeof(buffer.allocator));
	memcpy(&buffer.address, bytes + shape->address, sizeof(buffer.address));
	buffer.owns_data = bytes[shape->owns_data];
	buffer.status = bytes[shape->status];
	buffer.dry_run = shape->dry_run ? bytes[shape->dry_run] : 0;
	if (!metal_is_buffer(&buffer))
		return -EBADMSG;
	*ret = buffer;
	return 0;
}

/*
 * At a wrong offset several of these conditions fail at once. A load factor of exactly 1.0 does
 * not look like a pointer or a count.
 */
static bool is_set(const struct hash_set *set, uint64_t address)
{
	uint64_t single = address + offsetof(struct hash_set, single_bucket);

	if (!metal_is_pointer(set->buckets) || set->load_factor != 1.0F)
		return false;
	if (set->n_buckets == 0 || set->n_buckets > 4 * (uint64_t)LIVE_MAX)
		return false;
	if ((set->n_buckets == 1) != (set->buckets == single))
		return false;
	if (set->count > LIVE_MAX || set->count > set->n_buckets)
		return false;
	return set->count == 0 ? set->first == 0 : metal_is_pointer(set->first);
}

static int by_address(const void *a, const void *b)
{
	const struct metal_buffer *left = a, *right = b;

	return (left->self > right->self) - (left->self < right->self);
}

/* A set has no duplicates. */
static bool are_different(struct metal_buffer *buffers, size_t count)
{
	if (count)
		qsort(buffers, count, sizeof(*buffers), by_address);
	for (size_t i = 1; i < count; i++)
		if (buffers[i].self == buffers[i - 1].self)
			return false;
	return true;
}

/* A buffer that is being allocated or freed is in the set without memory. */
static bool is_live(const struct metal_shape *shape, const struct metal_buffer *buffer)
{
	return metal_has_memory(buffer, shape->allocated_mask) && buffer->owns_data &&
	       !buffer->dry_run && buffer->size;
}

static int read_node(const struct metal_shape *shape, const struct metal_memory *memory,
		     uint64_t allocator, uint64_t *node, struct metal_buffer *ret)
{
	uint64_t words[2];
	int r;

	if (!metal_is_pointer(*node))
		return -EBADMSG;
	r = memory->read(memory->arg, *node, words, sizeof(words));
	if (r < 0)
		return r;
	*node = words[0];
	r = buffer_read(shape, memory, words[1], ret);
	if (r < 0)
		return r;
	return ret->allocator == allocator && ret->size <= METAL_SIZE_MAX ? 0 : -EBADMSG;
}

/* Exactly as many nodes as the set counts, so that a cyclic list ends as well. */
static int walk(const struct metal_shape *shape, const struct metal_memory *memory,
		uint64_t allocator, const struct hash_set *set, struct metal_buffer **ret,
		size_t *ret_count)
{
	CLEANUP_FREE struct metal_buffer *buffers = NULL;
	uint64_t node = set->first;
	size_t count = 0;

	buffers = malloc((set->count + 1) * sizeof(*buffers));
	if (!buffers)
		return -ENOMEM;
	for (uint64_t i = 0; i < set->count; i++) {
		int r = read_node(shape, memory, allocator, &node, &buffers[count]);

		if (r < 0)
			return r;
		if (is_live(shape, &buffers[count]))
			count++;
	}
	if (node || !are_different(buffers, count))
		return -EBADMSG;
	*ret = TAKE_PTR(buffers);
	*ret_count = count;
	return 0;
}

/* The address of the set; 0: no offset fits, or several do. */
static uint64_t find_set(const struct metal_memory *memory, uint64_t allocator,
			 struct hash_set *ret)
{
	uint64_t found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(set_offsets); i++) {
		uint64_t address = allocator + set_offsets[i];
		struct hash_set set;

		if (memory->read(memory->arg, address, &set, sizeof(set)) < 0 ||
		    !is_set(&set, address))
			continue;
		if (found)
			return 0;
		found = address;
		*ret = set;
	}
	return found;
}

int metal_live_buffers(const struct metal_shape *shape, const struct metal_memory *memory,
		       uint64_t allocator, struct metal_buffer **ret, size_t *ret_count)
{
	CLEANUP_FREE struct metal_buffer *buffers = NULL;
	struct hash_set set, after;
	size_t count = 0;
	uint64_t address;
	int r;

	if (!metal_is_pointer(allocator))
		return -EBADMSG;
	address = find_set(memory, allocator, &set);
	if (!address)
		return -EBADMSG;
	r = walk(shape, memory, allocator, &set, &buffers, &count);
	if (r < 0)
		return r;
	r = memory->read(memory->arg, address, &after, sizeof(after));
	if (r < 0)
		return r;
	if (memcmp(&set, &after, sizeof(set)) != 0)
		return -EBADMSG;
	*ret = TAKE_PTR(buffers);
	*ret_count = count;
	return 0;
}
