#include "trace/tracer.h"

#include "trace/bpf_options.h"
#include "trace/pins.h"
#include "trace/uprobe_multi.h"
#include "trace_bpf.skel.h"

#include <assert.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Default size of the map of live buffers. */
#define BUFFERS_DEFAULT 262144

static const char *const map_names[TRACER_MAPS] = {
	[MAP_PROCESSES] = "processes", [MAP_LIVE] = "live",
	[MAP_THREADS] = "threads",     [MAP_ALLOCATORS] = "allocators",
	[MAP_LIBRARIES] = "libraries", [MAP_DEVICES] = "devices",
	[MAP_ROLES] = "roles",	       [MAP_PROGRAMS] = "programs",
	[MAP_QUEUES] = "queues",       [MAP_OPERATIONS] = "operations",
	[MAP_LINES] = "lines",	       [MAP_RECORDS] = "records",
	[MAP_STATE] = "state",	       [MAP_VIEW_PLACES] = "view_places",
	[MAP_DEATHS] = "deaths",       [MAP_PROGRAM_USERS] = "program_users",
};

static const char *const program_names[TRACER_PROGRAMS] = {
	[TRACER_HOOK] = "hook",	  [TRACER_PROGRAM_HOOK] = "program_hook",
	[TRACER_ENTER] = "enter", [TRACER_LEAVE] = "leave",
	[TRACER_ADOPT] = "adopt", [TRACER_SETTLE] = "settle",
};

/* FNV-1a over the BPF object. */
static uint64_t version(void)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	const unsigned char *bytes;
	size_t size;

	bytes = trace_bpf__elf_bytes(&size);
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

PRINTF(2, 0) static int print_all(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	return vfprintf(stderr, format, args);
}

static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* ---- taking over ---- */

void tracer_close(struct tracer *tracer)
{
	for (size_t i = 0; i < TRACER_MAPS; i++)
		cleanup_close(&tracer->maps[i]);
	for (size_t i = 0; i < TRACER_PROGRAMS; i++)
		cleanup_close(&tracer->programs[i]);
}

static int take(int *ret, const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	*ret = bpf_obj_get(path);
	return *ret < 0 ? -errno : 0;
}

/* -ESTALE: the pins are of another version, or incomplete. */
static int take_all(struct tracer *tracer)
{
	uint32_t zero = 0;
	int r = 0;

	memset(tracer->maps, -1, sizeof(tracer->maps));
	memset(tracer->programs, -1, sizeof(tracer->programs));
	for (size_t i = 0; i < TRACER_MAPS && r == 0; i++)
		r = take(&tracer->maps[i], PINS_MAPS, map_names[i]);
	for (size_t i = 0; i < TRACER_PROGRAMS && r == 0; i++)
		r = take(&tracer->programs[i], PINS_PROGRAMS, program_names[i]);
	if (r == 0)
		r = bpf_map_lookup_elem(tracer->maps[MAP_STATE], &zero, &tracer->state);
	if (r == 0 && tracer->state.version != version())
		r = -ESTALE;
	if (r < 0)
		tracer_close(tracer);
	return r == -ENOENT ? -ESTALE : r;
}

/* ---- loading ---- */

static int pin_all(struct trace_bpf *object)
{
	char path[256];
	int r = 0;

	for (size_t i = 0; i < TRACER_PROGRAMS && r == 0; i++) {
		snprintf(path, sizeof(path), PINS_PROGRAMS "/%s", program_names[i]);
		r = bpf_program__pin(
			bpf_object__find_program_by_name(object->obj, program_names[i]), path);
	}
	/* MAP_STATE comes last: without it no tracer takes over incomplete pins. */
	for (size_t i = 0; i < TRACER_MAPS && r == 0; i++) {
		snprintf(path, sizeof(path), PINS_MAPS "/%s", map_names[i]);
		r = bpf_obj_pin(bpf_object__find_map_fd_by_name(object->obj, map_names[i]), path);
	}
	return r;
}

static int pin_link(struct bpf_link *link, const char *path, mode_t mode)
{
	int r;

	if (!link)
		return -errno;
	r = bpf_link__pin(link, path);
	if (r == 0 && chmod(path, mode) < 0)
		r = -errno;
	bpf_link__destroy(link);
	return r;
}

/* A file that prints the entries of a map; every user may read it. */
static int pin_iterator(const struct bpf_program *program, const struct bpf_map *map,
			const char *path)
{
	struct bpf_iter_attach_opts options;
	union bpf_iter_link_info over;

	memset(&over, 0, sizeof(over));
	over.map.map_fd = (uint32_t)bpf_map__fd(map);
	bpf_options_init(&options);
	options.link_info = &over;
	options.link_info_len = sizeof(over);
	return pin_link(bpf_program__attach_iter(program, &options), path, 0444);
}

static int attach_all(struct trace_bpf *object)
{
	int r;

	r = pin_link(bpf_program__attach(object->progs.ended), PINS_LINKS "/exit", 0600);
	if (r == 0)
		r = pin_link(bpf_program__attach(object->progs.executed), PINS_LINKS "/exec", 0600);
	if (r == 0)
		r = pin_iterator(object->progs.allocations, object->maps.processes,
				 PINS_ALLOCATIONS);
	if (r == 0)
		r = pin_iterator(object->progs.dispatch, object->maps.lines, PINS_DISPATCH);
	if (r == 0)
		r = pin_iterator(object->progs.jobs_died, object->maps.devices, PINS_DEATHS);
	if (r == 0)
		r = pin_link(bpf_program__attach_iter(object->progs.holders, NULL), PINS_HOLDERS,
			     0444);
	return r;
}

static int write_state(struct trace_bpf *object, bool multi, uint32_t max_buffers)
{
	struct trace_state state = {
		.version = version(),
		.since = time(NULL),
		.multi = multi,
		.share = max_buffers - max_buffers / 4,
	};
	uint32_t zero = 0;

	return bpf_map_update_elem(bpf_map__fd(object->maps.state), &zero, &state, BPF_ANY);
}

static int load(const struct tracer_options *options)
{
	uint32_t max_buffers = options->max_buffers ? options->max_buffers : BUFFERS_DEFAULT;
	bool multi = !options->no_multi && uprobe_multi_is_supported();
	struct trace_bpf *object = trace_bpf__open();
	int r;

	if (!object)
		return -errno;
	r = bpf_map__set_max_entries(object->maps.live, max_buffers);
	if (r == 0 && multi)
		r = bpf_program__set_expected_attach_type(object->progs.hook,
							  UPROBE_MULTI_ATTACH_TYPE);
	if (r == 0 && multi)
		r = bpf_program__set_expected_attach_type(object->progs.program_hook,
							  UPROBE_MULTI_ATTACH_TYPE);
	if (r == 0)
		r = trace_bpf__load(object);
	if (r == 0)
		r = write_state(object, multi, max_buffers);
	if (r == 0)
		r = attach_all(object);
	if (r == 0)
		r = pin_all(object);
	trace_bpf__destroy(object);
	return r;
}

static bool is_locked_down(void)
{
	char text[128] = "";
	FILE *file = fopen("/sys/kernel/security/lockdown", "re");

	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strstr(text, "[confidentiality]");
}

static int explain(int r, struct buf *problem)
{
	if (r == -ENOSYS)
		buf_puts(problem, "this kernel has no BPF");
	else if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		buf_puts(problem, "this kernel has no BTF: /sys/kernel/btf/vmlinux is missing "
				  "(CONFIG_DEBUG_INFO_BTF)");
	else if (r == -EPERM && is_locked_down())
		buf_puts(problem, "the kernel is locked down (confidentiality): BPF programs may "
				  "not read memory");
	else if (r == -EPERM)
		buf_puts(problem, "no permission to load BPF programs: CAP_BPF, CAP_PERFMON and "
				  "CAP_SYS_ADMIN are needed");
	else
		buf_printf(problem,
			   "the kernel refuses the BPF programs: %s (Linux 5.15 or later is "
			   "needed; -v prints the kernel's log)",
			   strerror(-r));
	return r == -EPERM || r == -EACCES ? -EPERM : -ENOTSUP;
}

int tracer_open(struct tracer *ret, const struct tracer_options *options, struct buf *problem)
{
	int r;

	libbpf_set_print(options->verbose ? print_all : print_nothing);
	r = pins_mount(problem);
	if (r < 0)
		return r;
	r = take_all(ret);
	if (r != -ESTALE)
		return r < 0 ? explain(r, problem) : 0;
	if (options->keep && pins_are_there() == 1) {
		buf_puts(
			problem,
			"another version of the tracer is loaded, and a process uses it (--watch)");
		return -EBUSY;
	}
	r = pins_clear(problem);
	if (r < 0)
		return r;
	r = load(options);
	if (r == 0)
		r = take_all(ret);
	return r < 0 ? explain(r, problem) : 0;
}

int tracer_max_buffers(const struct tracer *tracer, uint32_t *ret)
{
	struct bpf_map_info info = { 0 };
	uint32_t length = sizeof(info);

	if (bpf_obj_get_info_by_fd(tracer->maps[MAP_LIVE], &info, &length) < 0)
		return -errno;
	*ret = info.max_entries;
	return 0;
}

bool tracer_next_process(const struct tracer *tracer, uint32_t *tgid)
{
	return bpf_map_get_next_key(tracer->maps[MAP_PROCESSES], *tgid ? tgid : NULL, tgid) == 0;
}

int tracer_run(const struct tracer *tracer, enum tracer_program program, const uint64_t *arguments,
	       unsigned count)
{
	uint64_t all[TRACER_ARGUMENTS] = { 0 };
	struct bpf_test_run_opts options;
	int r;

	assert(count <= TRACER_ARGUMENTS);
	memcpy(all, arguments, count * sizeof(*arguments));
	bpf_options_init(&options);
	options.ctx_in = all;
	options.ctx_size_in = sizeof(all);
	r = bpf_prog_test_run_opts(tracer->programs[program], &options);
	return r < 0 ? r : (int)options.retval;
}
