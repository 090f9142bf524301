/*
 * The chips of a mesh, from its view.
 *
 * A mesh points to a MeshDeviceView, whose constructor gets the devices. Versions differ in where
 * the mesh keeps that pointer; it is searched for among the words of its implementation, in which
 * only one can be that of a known view. What is found is compared with the devices for which
 * TT-Metal makes views of a mesh buffer, METAL_CREATE_AT. Once it has proved right, the probe of
 * that function, which is called once per device, is no longer needed.
 */
#pragma once

#include "trace/kernel/hit.h"

#define VIEW_WORDS 64 /* of an implementation that are searched */

static __always_inline struct trace_view_place *view_place(const struct hit *hit)
{
	uint32_t index = hit->library->id % TRACE_LIBRARIES;
	struct trace_view_place *place = bpf_map_lookup_elem(&view_places, &index);

	return place && place->id == hit->library->id ? place : NULL;
}

/* Of this process or, in a forked child, of its parent at that time. */
static __always_inline struct trace_view *view_find(uint32_t tgid, uint64_t pointer)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct trace_key key = { .tgid = tgid, .pointer = pointer };
	struct trace_view *view = bpf_map_lookup_elem(&views, &key);

	if (view)
		return view;
	key.tgid = task->group_leader->real_parent->tgid;
	view = bpf_map_lookup_elem(&views, &key);
	return view && view->created < task->group_leader->start_boottime ? view : NULL;
}

/*
 * Sets the chips of the view to which the word at this address points. 1: there is one, else 0. Not
 * static: see chips_add().
 */
__weak __noinline int view_read(uint32_t tgid, uint64_t address, uint64_t *ret_chips)
{
	struct trace_view *view;
	uint64_t pointer = 0;

	if (!ret_chips || !read_user(&pointer, sizeof(pointer), address) ||
	    !metal_is_pointer(pointer))
		return 0;
	view = view_find(tgid, pointer);
	if (!view)
		return 0;
	*ret_chips = view->chips;
	return 1;
}

/* The chips of the mesh with this implementation; 0: not known. Not static: see chips_add(). */
__weak __noinline uint64_t view_chips(struct trace_view_place *place, uint32_t tgid, uint64_t impl)
{
	uint64_t chips = 0;

	if (!place || !metal_is_pointer(impl))
		return 0;
	if (place->offset) {
		view_read(tgid, impl + place->offset, &chips);
		return chips;
	}
	for (unsigned i = 1; i < VIEW_WORDS; i++) {
		if (view_read(tgid, impl + 8 * i, &chips)) {
			place->offset = 8 * i;
			break;
		}
	}
	return chips;
}

/*
 * The local devices in a vector of pointers, or of pointers that may be of another host. Not
 * static: see chips_add().
 */
__weak __noinline uint64_t vector_chips(const struct trace_library *library, uint64_t bias,
					uint64_t vector, bool remote)
{
	uint64_t bounds[2], element[2] = { 0, 1 }, chips = 0, chip;
	uint32_t step = remote ? 16 : 8;

	if (!library || !read_user(bounds, sizeof(bounds), vector))
		return 0;
	for (unsigned i = 0; i < TRACE_CHIPS && bounds[0] < bounds[1]; i++, bounds[0] += step) {
		if (!read_user(element, step, bounds[0]))
			return 0;
		if (remote && !(element[1] & 0xff))
			continue; /* the index of the variant: 0 is remote */
		if (device_kind(library, bias, element[0], &chip) != DEVICE_CHIP)
			return 0;
		chips |= chip;
	}
	return bounds[0] == bounds[1] ? chips : 0;
}

static __always_inline void on_view(const struct hit *hit, bool remote)
{
	struct trace_key key = { .tgid = hit->tgid, .pointer = hit->regs->rdi };
	struct trace_view view = {
		.created = bpf_ktime_get_boot_ns(),
		.chips = vector_chips(hit->library, hit->bias, hit->regs->rdx, remote),
	};

	hit->process->has_views = 1;
	/* A view that finds no room must not leave that of an earlier mesh. */
	if (bpf_map_update_elem(&views, &key, &view, BPF_ANY) != 0)
		bpf_map_delete_elem(&views, &key);
}
