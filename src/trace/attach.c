#include "trace/attach.h"

#include "trace/bpf_options.h"
#include "trace/pins.h"
#include "trace/uprobe_multi.h"

#include "basic/file.h"
#include "basic/parse.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

static uint64_t cookie(uint32_t id, unsigned hook)
{
	return (uint64_t)id << 8 | hook;
}

static int attach_multi(const struct tracer *tracer, uint32_t id,
			const struct metal_library *library, const char *path)
{
	uint64_t offsets[METAL_HOOKS], cookies[METAL_HOOKS];
	CLEANUP_CLOSE int link = -1;
	char pin[128];
	uint32_t count = 0;

	for (unsigned hook = 0; hook < METAL_HOOKS; hook++) {
		if (!metal_library_uses(library, hook))
			continue;
		offsets[count] = library->hooks[hook].offset;
		cookies[count++] = cookie(id, hook);
	}
	link = uprobe_multi_link(tracer->programs[PROGRAM_HOOK], path, offsets, cookies, count);
	if (link < 0)
		return link;
	snprintf(pin, sizeof(pin), PINS_LINKS "/%u", id);
	return bpf_obj_pin(link, pin);
}

/* The kernel assigns the number of this event type when it boots. */
static int uprobe_type(uint32_t *ret)
{
	char text[32];
	ssize_t n = file_read(AT_FDCWD, "/sys/bus/event_source/devices/uprobe/type", text,
			      sizeof(text));

	if (n < 0)
		return n == -ENOENT ? -ENOTSUP : (int)n;
	return parse_u32(text, ret);
}

static int attach_one(const struct tracer *tracer, uint32_t id, unsigned hook, uint64_t offset,
		      const char *path)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.config1 = (uintptr_t)path,
		.config2 = offset,
	};
	struct bpf_link_create_opts options;
	CLEANUP_CLOSE int event = -1, link = -1;
	char pin[128];
	int r;

	r = uprobe_type(&attr.type);
	if (r < 0)
		return r;
	/* For all processes: an event of one task that its children inherit makes their clone()
	 * fail. */
	event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	bpf_options_init(&options);
	options.perf_event.bpf_cookie = cookie(id, hook);
	link = bpf_link_create(tracer->programs[PROGRAM_HOOK], event, BPF_PERF_EVENT, &options);
	if (link < 0)
		return link;
	snprintf(pin, sizeof(pin), PINS_LINKS "/%u-%u", id, hook);
	return bpf_obj_pin(link, pin);
}

int attach_library(const struct tracer *tracer, uint32_t id, const struct metal_library *library,
		   int fd)
{
	char path[64];
	int r = 0;

	/* By descriptor: the path may lead to another file, or be of another container. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (tracer->state.multi) {
		r = attach_multi(tracer, id, library, path);
	} else {
		for (unsigned hook = 0; hook < METAL_HOOKS && r == 0; hook++)
			if (metal_library_uses(library, hook))
				r = attach_one(tracer, id, hook, library->hooks[hook].offset, path);
	}
	if (r < 0)
		attach_remove(id);
	return r;
}

void attach_remove(uint32_t id)
{
	char pin[128];

	snprintf(pin, sizeof(pin), PINS_LINKS "/%u", id);
	unlink(pin);
	for (unsigned hook = 0; hook < METAL_HOOKS; hook++) {
		snprintf(pin, sizeof(pin), PINS_LINKS "/%u-%u", id, hook);
		unlink(pin);
	}
}

unsigned attach_count(const struct metal_library *library)
{
	unsigned count = 0;

	for (unsigned hook = 0; hook < METAL_HOOKS; hook++)
		count += metal_library_uses(library, hook);
	return count;
}
