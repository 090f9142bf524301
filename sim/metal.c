#include "metal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Relaxed, as in TT-Metal: the counters do not order any other memory accesses. */
#define LOAD(p)	    __atomic_load_n(p, __ATOMIC_RELAXED)
#define STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define ADD(p, v)   __atomic_fetch_add(p, v, __ATOMIC_RELAXED)

static bool claim(void *p, uint32_t from, uint32_t to)
{
	uint32_t expected = from;

	return __atomic_compare_exchange_n((uint32_t *)p, &expected, to, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

/* Never below 0, even with concurrent writers. */
static void subtract(uint64_t *p, uint64_t bytes)
{
	uint64_t old = LOAD(p), new;

	do
		new = old > bytes ? old - bytes : 0;
	while (!__atomic_compare_exchange_n(p, &old, new, true, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED));
}

static void initialise(struct metal_file *f, uint64_t asic_id)
{
	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < METAL_CHIPS; i++)
		f->chips[i].chip_id = METAL_UNUSED;
	f->asic_id = asic_id;
	f->version = METAL_VERSION;
}

static struct metal_chip *find_chip(struct metal_file *f, uint32_t chip_id)
{
	for (size_t i = 0; i < METAL_CHIPS; i++)
		if (LOAD(&f->chips[i].chip_id) == chip_id ||
		    claim(&f->chips[i].chip_id, METAL_UNUSED, chip_id))
			return &f->chips[i];
	return NULL;
}

int metal_attach(struct metal *ret, const char *directory, uint64_t asic_id, uint32_t device_id,
		 pid_t pid, const char *name)
{
	CLEANUP_CLOSE int fd = -1;
	struct metal metal = { .pid = pid };
	char path[1200];
	bool created = true;

	snprintf(path, sizeof(path), "%s/tt_device_%llu_memory", directory,
		 (unsigned long long)asic_id);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST) {
		created = false;
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, sizeof(struct metal_file)) < 0)
		return -errno;
	metal.file =
		mmap(NULL, sizeof(struct metal_file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (metal.file == MAP_FAILED)
		return -errno;
	if (created || LOAD(&metal.file->version) != METAL_VERSION)
		initialise(metal.file, asic_id);
	snprintf(metal.name, sizeof(metal.name), "%s", name);
	ADD(&metal.file->references, 1);
	STORE(&metal.file->device_id, device_id);
	metal.chip = find_chip(metal.file, device_id);
	*ret = metal;
	return 0;
}

/* A slot is claimed at the first allocation; if none is free, only the totals are counted. */
static void claim_slot(struct metal *metal)
{
	for (size_t i = 0; i < METAL_PROCESSES && !metal->slot; i++) {
		struct metal_process *p = &metal->file->processes[i];

		if (!claim(&p->pid, 0, (uint32_t)metal->pid))
			continue;
		snprintf(p->name, sizeof(p->name), "%s", metal->name);
		ADD(&metal->file->active_processes, 1);
		metal->slot = p;
	}
}

static void change(uint64_t *p, uint64_t from, uint64_t to)
{
	if (to > from)
		ADD(p, to - from);
	else
		subtract(p, from - to);
}

void metal_set(struct metal *metal, const uint64_t bytes[static POOLS], uint64_t now_ns)
{
	if (!memcmp(metal->bytes, bytes, sizeof(metal->bytes)))
		return;
	if (!metal->slot)
		claim_slot(metal);
	for (unsigned i = 0; i < POOLS; i++) {
		uint64_t old = metal->bytes[i];

		metal->bytes[i] = bytes[i];
		if (i == POOL_CB) {
			/* An absolute value: the last writer wins. */
			STORE(&metal->file->bytes[i], bytes[i]);
			if (metal->chip)
				STORE(&metal->chip->bytes[i], bytes[i]);
			if (metal->slot)
				STORE(&metal->slot->bytes[i], bytes[i]);
			continue;
		}
		change(&metal->file->bytes[i], old, bytes[i]);
		if (metal->chip)
			change(&metal->chip->bytes[i], old, bytes[i]);
		if (metal->slot)
			change(&metal->slot->bytes[i], old, bytes[i]);
	}
	STORE(&metal->file->updated_ns, now_ns);
	if (metal->slot)
		STORE(&metal->slot->updated_ns, now_ns);
}

static void clear_totals(struct metal_file *f)
{
	for (unsigned i = 0; i < POOLS; i++)
		STORE(&f->bytes[i], 0);
	for (size_t i = 0; i < METAL_CHIPS; i++) {
		for (unsigned j = 0; j < POOLS; j++)
			STORE(&f->chips[i].bytes[j], 0);
		STORE(&f->chips[i].chip_id, METAL_UNUSED);
	}
}

void metal_detach(struct metal *metal, uint64_t now_ns)
{
	static const uint64_t nothing[POOLS];
	struct metal_process *slot = metal->slot;

	if (!metal->file)
		return;
	metal_set(metal, nothing, now_ns);
	if (slot) {
		memset(slot->name, 0, sizeof(slot->name));
		STORE(&slot->updated_ns, 0);
		__atomic_fetch_sub(&metal->file->active_processes, 1, __ATOMIC_RELAXED);
		STORE(&slot->pid, 0);
	}
	if (__atomic_sub_fetch(&metal->file->references, 1, __ATOMIC_RELAXED) == 0)
		clear_totals(metal->file);
	metal_abandon(metal);
}

void metal_abandon(struct metal *metal)
{
	if (metal->file)
		munmap(metal->file, sizeof(*metal->file));
	metal->file = NULL;
	metal->slot = NULL;
	metal->chip = NULL;
}
