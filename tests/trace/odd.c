/*
 * A library with TT-Metal's symbols and the layout of v0.66, for calls that the real library never
 * makes. Each word of the scenario is one call; then "ready" is printed, and a line of input ends
 * it.
 *
 *   b0..b3   allocates that buffer (b0, b1 on chip 0, b2 on chip 3, b3 on the mesh)
 *   f0..f3   frees it        k0..k3  marks it as gone
 *   c0, c3   a view of the mesh buffer on chip 0 or 3
 *   all      frees all of the allocator
 *   many     allocates and frees 10000 others, one after the other
 *   hold     allocates 7 of them
 *   hide     reads of the allocator's memory block until the process ends (userfaultfd)
 *   type, size, device, chip, status   writes an impossible value to that member of b1
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TT(name) __asm__("_ZN2tt8tt_metal" name)
#define HOOK	 __attribute__((noinline, used))
#define PAGE	 4096

struct device {
	const void *vtable;
	int32_t chip;
};

struct buffer {
	uint64_t weak[2];
	struct device *device;
	uint64_t size;
	uint32_t type, layout;
	uint8_t bottom_up[3], owns_data;
	uint64_t shard[2];
	void *allocator;
	uint8_t status, dry_run;
	uint64_t address;
};

_Static_assert(__builtin_offsetof(struct buffer, owns_data) == 43, "");
_Static_assert(__builtin_offsetof(struct buffer, allocator) == 64, "");
_Static_assert(__builtin_offsetof(struct buffer, address) == 80, "");

const uint64_t device_vtable[4] __asm__("_ZTVN2tt8tt_metal6DeviceE") = { 1 };
const uint64_t mesh_vtable[4] __asm__("_ZTVN2tt8tt_metal11distributed10MeshDeviceE") = { 2 };

void track_allocate(void *, struct buffer *) TT("12GraphTracker14track_allocateEPKNS0_6BufferE");
void allocate(void *, struct buffer *) TT("13AllocatorImpl15allocate_bufferEPNS0_6BufferE");
void deallocate(void *, struct buffer *) TT("13AllocatorImpl17deallocate_bufferEPNS0_6BufferE");
void deallocate_all(void *) TT("13AllocatorImpl18deallocate_buffersEv");
void mark(struct buffer *) TT("6Buffer19mark_as_deallocatedEv");
void view(void) TT("6Buffer4viewERKNS0_12BufferRegionE");
void create_at(void *, struct device *, uint64_t, uint64_t, uint64_t, uint32_t) TT(
	"6Buffer6createEPNS0_7IDeviceEmmmNS0_10BufferTypeERKNS0_18BufferShardingArgsESt8optionalI"
	"bES8_IN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEEE");

static volatile int calls;

HOOK void track_allocate(void *tracker, struct buffer *b)
{
	calls += tracker != b;
}

HOOK void allocate(void *allocator, struct buffer *b)
{
	calls += allocator != b;
}

HOOK void deallocate(void *allocator, struct buffer *b)
{
	calls += allocator != b;
}

HOOK void deallocate_all(void *allocator)
{
	calls += allocator != NULL;
}

HOOK void mark(struct buffer *b)
{
	b->status = 2;
}

HOOK void view(void)
{
	calls++;
}

HOOK void create_at(void *result, struct device *device, uint64_t address, uint64_t size,
		    uint64_t page, uint32_t type)
{
	calls += result != device && address + size + page + type;
}

static struct device chips[4], mesh;
static struct buffer buffers[4];
static void *allocator; /* a page */

static void prepare(void)
{
	allocator = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (allocator == MAP_FAILED)
		exit(2);
	for (int i = 0; i < 4; i++) {
		chips[i] = (struct device){ &device_vtable[2], i };
		buffers[i] = (struct buffer){
			.device = &chips[0],
			.size = 1000 << i,
			.owns_data = 1,
			.allocator = allocator,
			.status = 1,
			.address = 4096 * (i + 1),
		};
	}
	mesh.vtable = &mesh_vtable[2];
	buffers[2].device = &chips[3];
	buffers[3].device = &mesh;
}

static struct buffer *others(void)
{
	static struct buffer list[10000];

	for (int i = 0; i < 10000; i++)
		list[i] = buffers[0];
	return list;
}

static void many(void)
{
	struct buffer *list = others();

	for (int i = 0; i < 10000; i++) {
		track_allocate(NULL, &list[i]);
		deallocate(allocator, &list[i]);
	}
}

static void hold(void)
{
	struct buffer *list = others();

	for (int i = 0; i < 7; i++)
		track_allocate(NULL, &list[i]);
}

/* The page is never filled. */
static void hide(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (uintptr_t)allocator, PAGE },
					 .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &range) < 0)
		exit(3);
}

static void spoil(const char *what)
{
	static struct device unknown_device = { &unknown_device, 0 };

	if (strcmp(what, "type") == 0)
		buffers[1].type = 5;
	else if (strcmp(what, "size") == 0)
		buffers[1].size = (UINT64_C(1) << 40) + 1;
	else if (strcmp(what, "device") == 0)
		buffers[1].device = &unknown_device;
	else if (strcmp(what, "chip") == 0)
		chips[0].chip = 64;
	else if (strcmp(what, "status") == 0)
		buffers[1].status = 0;
	else
		exit(2);
}

void odd_do(const char *word);

void odd_do(const char *word)
{
	struct buffer *b = &buffers[word[1] & 3];

	if (strcmp(word, "all") == 0)
		deallocate_all(allocator);
	else if (strcmp(word, "hide") == 0)
		hide();
	else if (strcmp(word, "many") == 0)
		many();
	else if (strcmp(word, "hold") == 0)
		hold();
	else if (strlen(word) != 2)
		spoil(word);
	else if (word[0] == 'b')
		track_allocate(NULL, b);
	else if (word[0] == 'f')
		deallocate(allocator, b);
	else if (word[0] == 'k')
		mark(b);
	else if (word[0] == 'c')
		create_at(NULL, &chips[word[1] & 3], buffers[3].address, buffers[3].size, 1,
			  buffers[3].type);
}

void odd_prepare(void);

void odd_prepare(void)
{
	prepare();
}
