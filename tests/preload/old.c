/*
 * A test double of v0.55: the tracker's two functions, and objects with their layout. Its argument
 * is a list of letters: a allocates 4096 bytes, f frees the last buffer, u frees it without telling
 * the tracker, d is a dry run, x an allocation that fails, n a buffer that owns nothing, 0 a buffer
 * of size 0. With STRANGE, its devices have no known vtable, as before v0.55.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACKER "_ZN2tt8tt_metal12GraphTracker"

void track_allocate(void *tracker,
		    const void *buffer) __asm__(TRACKER "14track_allocateEPKNS0_2v06BufferE");
void track_deallocate(void *tracker,
		      void *buffer) __asm__(TRACKER "16track_deallocateEPNS0_2v06BufferE");
#ifdef STRANGE
#define DEVICE "_ZTVN2tt8tt_metal2v07StrangeE"
#else
#define DEVICE "_ZTVN2tt8tt_metal2v06DeviceE"
#endif
extern void *const device_vtable[6] __asm__(DEVICE);

struct device {
	void *const *vtable;
	int chip;
};

struct buffer {
	struct device *device;
	uint64_t size;
	uint32_t type, layout;
	uint8_t bottom_up, padding[2], owns_data;
	uint64_t rest[2];
	void *allocator;
	uint8_t status, garbage[7];
	uint64_t address;
};

_Static_assert(offsetof(struct buffer, owns_data) == 27 &&
		       offsetof(struct buffer, allocator) == 48 &&
		       offsetof(struct buffer, address) == 64,
	       "v0.55");

static int device_id(const struct device *device)
{
	return device->chip;
}

/* Two words, two destructors, arch(), id(). */
void *const device_vtable[6] = { [5] = (void *)device_id };

void track_allocate(void *tracker, const void *buffer)
{
	(void)tracker, (void)buffer;
}

void track_deallocate(void *tracker, void *buffer)
{
	(void)tracker, (void)buffer;
}

/* Checks that a successful call changes neither errno nor dlerror(). */
static void track_undisturbed(const void *buffer)
{
	dlerror();
	errno = 77;
	track_allocate(NULL, buffer);
	if (errno != 77 || dlerror())
		puts("disturbed");
}

int old_run(const char *script);

int old_run(const char *script)
{
	static struct device device = { device_vtable + 2, 3 };
	struct buffer *buffers[64];
	int count = 0;

	for (; *script; script++) {
		struct buffer *buffer;

		if ((*script == 'f' || *script == 'u') && count > 0) {
			buffer = buffers[--count];
			if (*script == 'f')
				track_deallocate(NULL, buffer);
			free(buffer);
			continue;
		}
		buffer = malloc(sizeof(*buffer));
		memset(buffer, 0xa5, sizeof(*buffer)); /* padding is not initialised */
		buffer->device = &device;
		buffer->size = *script == '0' ? 0 : 4096;
		buffer->type = 0;
		buffer->owns_data = *script != 'n';
		buffer->allocator = &device;
		buffer->status = *script == 'x' ? 1 : 2;
		buffer->address = *script == 'd' ? 0 : 64;
		track_undisturbed(buffer);
		if (count < 64)
			buffers[count++] = buffer;
	}
	return count;
}
