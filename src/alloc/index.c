#include "alloc/index.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#define BUCKETS_MIN 256u

static size_t heads_bytes(const struct index *index)
{
	return MAX(index->room, BUCKETS_MIN) * sizeof(*index->heads);
}

static size_t nodes_bytes(const struct index *index)
{
	return index->room * sizeof(*index->nodes);
}

/*
 * Reserves address space that becomes resident page by page. No huge pages: the first allocation
 * of a small program should not cost two megabytes.
 */
static void *space_new(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_DONTFORK);
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

int index_init(struct index *index, const struct table_slot *slots, uint32_t room)
{
	*index = (struct index){
		.slots = slots,
		.room = room,
		.base = BUCKETS_MIN,
		.buckets = BUCKETS_MIN,
	};
	index->heads = space_new(heads_bytes(index));
	index->nodes = space_new(nodes_bytes(index));
	if (!index->heads || !index->nodes) {
		index_done(index);
		return -ENOMEM;
	}
	return 0;
}

void index_done(struct index *index)
{
	if (index->heads)
		munmap(index->heads, heads_bytes(index));
	if (index->nodes)
		munmap(index->nodes, nodes_bytes(index));
	index->heads = NULL;
	index->nodes = NULL;
}

/* Ids are mostly addresses, multiples of 32 and more: all bits must affect the low ones. */
uint64_t index_hash(uint64_t where, uint64_t id)
{
	uint64_t h = (id ^ where) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 32;
}

/*
 *	0        split          base            buckets
 *	|--------|--------------|---------------|
 *	 split: 1 bit more       the new halves
 */
static uint32_t bucket_of(const struct index *index, uint32_t hash)
{
	uint32_t bucket = hash & (2 * index->base - 1);

	return bucket < index->buckets ? bucket : bucket - index->base;
}

static bool slot_has_key(const struct table_slot *slot, uint64_t where, uint64_t id)
{
	return slot->id == id && (slot->meta & SLOT_WHERE) == where;
}

uint32_t index_find(const struct index *index, uint64_t hash, uint64_t where, uint64_t id)
{
	uint32_t at = index->heads[bucket_of(index, (uint32_t)hash)];

	for (; at; at = index->nodes[at - 1].next) {
		if (index->nodes[at - 1].hash == (uint32_t)hash &&
		    slot_has_key(&index->slots[at - 1], where, id))
			return at - 1;
	}
	return INDEX_NONE;
}

static void chain_push(struct index *index, uint32_t slot)
{
	struct index_node *node = &index->nodes[slot];
	uint32_t *head = &index->heads[bucket_of(index, node->hash)];

	node->next = *head;
	*head = slot + 1;
}

/* Splits the next bucket: its slots go to itself or to a new bucket at the end. */
static void bucket_split(struct index *index)
{
	uint32_t from = index->buckets - index->base;
	uint32_t at = index->heads[from];

	index->heads[from] = 0;
	index->buckets++;
	while (at) {
		uint32_t next = index->nodes[at - 1].next;

		chain_push(index, at - 1);
		at = next;
	}
	if (index->buckets == 2 * index->base)
		index->base = index->buckets;
}

void index_insert(struct index *index, uint64_t hash, uint32_t slot)
{
	index->nodes[slot].hash = (uint32_t)hash;
	chain_push(index, slot);
	if (++index->count > index->buckets && index->buckets < index->room)
		bucket_split(index);
}

void index_remove(struct index *index, uint64_t hash, uint32_t slot)
{
	uint32_t *link = &index->heads[bucket_of(index, (uint32_t)hash)];

	while (*link != slot + 1)
		link = &index->nodes[*link - 1].next;
	*link = index->nodes[slot].next;
	index->count--;
}
