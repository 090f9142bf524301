#include "metal/shape.h"

#include "metal/names.h"

#include <errno.h>

/* v0.60 added two words before the device, which moved all other members. */
static void place_fields(struct metal_shape *shape, unsigned start)
{
	shape->device = (uint16_t)start;
	shape->size = (uint16_t)(start + 8);
	shape->type = (uint16_t)(start + 16);
	shape->owns_data = (uint16_t)(start + 27);
	shape->allocator = (uint16_t)(start + 48);
	shape->status = (uint16_t)(start + 56);
	shape->dry_run = (uint16_t)(start + 57);
	shape->address = (uint16_t)(start + 64);
}

/* v0.53 to v0.59: 0 requested, 1 failed, 2 allocated, 3 freed; since v0.58 without "failed". */
static int old_shape(struct metal_shape *ret, const char *versions, uint8_t allocated_mask,
		     unsigned chip)
{
	*ret = (struct metal_shape){
		.versions = versions,
		.allocated_mask = allocated_mask,
		.chip = (uint16_t)chip,
	};
	place_fields(ret, 0);
	/*
	 * Only v0.59 has it. No symbol distinguishes it from older versions, where the byte is
	 * undefined.
	 */
	ret->dry_run = 0;
	return 0;
}

static int new_shape(struct metal_shape *ret, const char *versions, unsigned chip)
{
	*ret = (struct metal_shape){
		.versions = versions,
		.allocated_mask = 1 << 1,
		.chip = (uint16_t)chip,
	};
	place_fields(ret, 16);
	return 0;
}

/* Classes in the inline namespace v0. Before v0.55 Device has no virtual functions. */
static int v0_shape(struct metal_shape *ret, bool (*has)(const char *symbol, void *arg), void *arg)
{
	if (has(METAL_NAME_ALLOCATE_V0, arg))
		return old_shape(ret, "v0.56", 1 << 2, 8);
	if (has(METAL_NAME_DEVICE_V0, arg))
		return old_shape(ret, "v0.55", 1 << 2, 8);
	return old_shape(ret, "v0.53 to v0.54", 1 << 2, 0);
}

/*
 * Since v0.66 the actual allocator is AllocatorImpl. Nightly builds of v0.68 had MetalEnv for nine
 * days before the chip id moved from 8 to 24.
 */
static int recent_shape(struct metal_shape *ret, bool (*has)(const char *symbol, void *arg),
			void *arg)
{
	bool env = has(METAL_NAME_ENV, arg);

	if (!has(METAL_NAME_RECORD, arg)) {
		new_shape(ret, env ? "v0.68 to v0.69" : "v0.66 to v0.67", env ? 0 : 8);
		ret->visible_positions = env;
		ret->order_by_id = !env;
		return 0;
	}
	/* No release has the counters without MetalEnv. */
	if (!env)
		return -ENOTSUP;
	new_shape(ret, has(METAL_NAME_DATAFLOW, arg) ? "v0.77 or later" : "v0.70 to v0.76", 24);
	ret->publishes = ret->visible_positions = true;
	return 0;
}

/*
 * UMD ordered chips by their unique ids from the middle of 2025 until about v0.66. No symbol shows
 * which of the builds from v0.57 to v0.67 have such a UMD.
 */
static int middle_shape(struct metal_shape *ret, bool view)
{
	int r = view ? new_shape(ret, "v0.60 to v0.65", 8)
		     : old_shape(ret, "v0.57 to v0.59", 1 << 1 | 1 << 2, 8);

	ret->order_by_id = true;
	return r;
}

int metal_shape_find(struct metal_shape *ret, bool (*has)(const char *symbol, void *arg), void *arg)
{
	bool track = has(METAL_NAME_TRACK, arg), track_v0 = has(METAL_NAME_TRACK_V0, arg);
	bool impl = has(METAL_NAME_ALLOCATE_IMPL, arg), view = has(METAL_NAME_VIEW, arg);
	bool allocator = has(METAL_NAME_ALLOCATE, arg);

	if (!track && !track_v0)
		return impl || allocator ? -ENOTSUP : -ENOENT;
	/*
	 * No version has these functions together: this is libttalloc-preload.so, which defines all
	 * of them.
	 */
	if (track_v0 && impl && allocator)
		return -ENOENT;
	if (track && track_v0)
		return -ENOTSUP;
	if (track_v0)
		return v0_shape(ret, has, arg);
	if (impl)
		return view ? recent_shape(ret, has, arg) : -ENOTSUP;
	if (!allocator)
		return -ENOTSUP;
	return middle_shape(ret, view);
}
