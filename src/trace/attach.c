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

/* A path to an open file: its name may refer to another file now, or belong to a container. */
#define FD_PATH "/proc/self/fd/%d"

uint64_t attach_cookie(uint32_t id, unsigned hook)
{
	return (uint64_t)id << 8 | hook;
}

/* The name of the pin for a hook with a link of its own. */
static void pin_name(char *to, size_t size, uint32_t id, unsigned hook)
{
	snprintf(to, size, PINS_LINKS "/%u-%u", id, hook);
}

/* Attaches the hooks of a bit mask with one multi-uprobe link. */
static int attach_multi(const struct tracer *tracer, uint32_t id,
			const struct metal_library *library, uint32_t hooks, const char *pin,
			const char *path)
{
	uint64_t offsets[METAL_HOOKS], cookies[METAL_HOOKS];
	CLEANUP_CLOSE int link = -1;
	uint32_t count = 0;

	for (unsigned hook = 0; hook < METAL_HOOKS; hook++) {
		if (!(hooks >> hook & 1))
			continue;
		offsets[count] = library->hooks[hook].offset;
		cookies[count++] = attach_cookie(id, hook);
	}
	if (count == 0)
		return 0;
	link = uprobe_multi_link(tracer->programs[TRACER_HOOK], path, offsets, cookies, count);
	return link < 0 ? link : bpf_obj_pin(link, pin);
}

/* METAL_CREATE_AT has a link of its own, since it is removed earlier than the others. */
static int attach_two(const struct tracer *tracer, uint32_t id, const struct metal_library *library,
		      uint32_t hooks, const char *path)
{
	uint32_t members = hooks & 1U << METAL_CREATE_AT;
	char pin[128];
	int r;

	snprintf(pin, sizeof(pin), PINS_LINKS "/%u", id);
	r = attach_multi(tracer, id, library, hooks & ~members, pin, path);
	if (r < 0)
		return r;
	pin_name(pin, sizeof(pin), id, METAL_CREATE_AT);
	return attach_multi(tracer, id, library, members, pin, path);
}

/* The type number of uprobe events, which the kernel assigns at boot. */
static int uprobe_type(uint32_t *ret)
{
	char text[32];
	ssize_t n = file_read(AT_FDCWD, "/sys/bus/event_source/devices/uprobe/type", text,
			      sizeof(text));

	if (n < 0)
		return n == -ENOENT ? -ENOTSUP : (int)n;
	return parse_u32(text, ret);
}

/*
 * A link for one probe, for all processes. An event for one task would have to be inherited by its
 * children, and then their clone() fails.
 */
static int perf_link(int program, const char *path, const struct trace_probe *probe)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.config1 = (uintptr_t)path,
		.config2 = probe->offset,
	};
	struct bpf_link_create_opts options;
	CLEANUP_CLOSE int event = -1;
	int r = uprobe_type(&attr.type);

	if (r < 0)
		return r;
	event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	bpf_options_init(&options);
	options.perf_event.bpf_cookie = probe->cookie;
	return bpf_link_create(program, event, BPF_PERF_EVENT, &options);
}

static int attach_one(const struct tracer *tracer, uint32_t id, unsigned hook, uint64_t offset,
		      const char *path)
{
	const struct trace_probe probe = { offset, attach_cookie(id, hook) };
	CLEANUP_CLOSE int link = perf_link(tracer->programs[TRACER_HOOK], path, &probe);
	char pin[128];

	if (link < 0)
		return link;
	pin_name(pin, sizeof(pin), id, hook);
	return bpf_obj_pin(link, pin);
}

static uint32_t hooks_of(const struct metal_library *library)
{
	uint32_t hooks = 0;

	for (unsigned hook = 0; hook < METAL_HOOKS; hook++)
		hooks |= (uint32_t)metal_library_uses(library, hook) << hook;
	return hooks;
}

int attach_probes(const struct tracer *tracer, enum tracer_program program, int fd,
		  const struct trace_probe *probes, unsigned count, int *const *links)
{
	uint64_t offsets[ATTACH_MAX], cookies[ATTACH_MAX];
	char path[64];

	if (count == 0)
		return 0;
	snprintf(path, sizeof(path), FD_PATH, fd);
	for (unsigned i = 0; i < count; i++) {
		offsets[i] = probes[i].offset;
		cookies[i] = probes[i].cookie;
	}
	if (tracer->state.multi) {
		*links[0] =
			uprobe_multi_link(tracer->programs[program], path, offsets, cookies, count);
		return MIN(*links[0], 0);
	}
	for (unsigned i = 0; i < count; i++) {
		*links[i] = perf_link(tracer->programs[program], path, &probes[i]);
		if (*links[i] < 0)
			return *links[i];
	}
	return 0;
}

int attach_library(const struct tracer *tracer, uint32_t id, const struct metal_library *library,
		   int fd)
{
	uint32_t hooks = hooks_of(library);
	char path[64];
	int r = 0;

	snprintf(path, sizeof(path), FD_PATH, fd);
	if (tracer->state.multi) {
		r = attach_two(tracer, id, library, hooks, path);
	} else {
		for (unsigned hook = 0; hook < METAL_HOOKS && r == 0; hook++)
			if (hooks >> hook & 1)
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
		pin_name(pin, sizeof(pin), id, hook);
		unlink(pin);
	}
}

void attach_remove_members(uint32_t id)
{
	char pin[128];

	pin_name(pin, sizeof(pin), id, METAL_CREATE_AT);
	unlink(pin);
}

unsigned attach_count(const struct metal_library *library)
{
	return (unsigned)__builtin_popcount(hooks_of(library));
}
