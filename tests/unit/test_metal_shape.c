/* Names of TT-Metal's functions, and what their presence shows. */
#include "metal/names.h"
#include "metal/shape.h"
#include "unit.h"

#include <errno.h>

#define P "_ZN2tt8tt_metal"

struct symbols {
	const char *names[8];
};

static bool has(const char *symbol, void *arg)
{
	const struct symbols *symbols = arg;

	for (size_t i = 0; i < ARRAY_SIZE(symbols->names) && symbols->names[i]; i++)
		if (strcmp(symbols->names[i], symbol) == 0)
			return true;
	return false;
}

static int find(struct symbols symbols, struct metal_shape *ret)
{
	return metal_shape_find(ret, has, &symbols);
}

/* The names of the reference, written independently, so that mistakes are not shared. */
static const struct {
	const char *symbol;
	enum metal_hook hook;
} hooks[] = {
	{ P "12GraphTracker14track_allocateEPKNS0_6BufferE", METAL_TRACK_ALLOCATE },
	{ P "12GraphTracker14track_allocateEPKNS0_2v06BufferE", METAL_TRACK_ALLOCATE },
	{ P "12GraphTracker16track_deallocateEPNS0_6BufferE", METAL_TRACK_DEALLOCATE },
	{ P "13AllocatorImpl15allocate_bufferEPNS0_6BufferE", METAL_ALLOCATE },
	{ P "9Allocator15allocate_bufferEPNS0_6BufferE", METAL_ALLOCATE },
	{ P "9Allocator15allocate_bufferEPNS0_2v06BufferE", METAL_ALLOCATE },
	{ P "13AllocatorImpl17deallocate_bufferEPNS0_6BufferE", METAL_DEALLOCATE },
	{ P "9Allocator17deallocate_bufferEPNS0_6BufferE", METAL_DEALLOCATE },
	{ P "6Buffer19mark_as_deallocatedEv", METAL_FORGET },
	{ P "13AllocatorImpl18deallocate_buffersEv", METAL_FORGET_ALL },
	{ P "9Allocator18deallocate_buffersEv", METAL_FORGET_ALL },
	{ P "13AllocatorImplD2Ev", METAL_DESTROY },
	{ P "13AllocatorImplD1Ev", METAL_DESTROY },
	{ P
	  "6Buffer6createEPNS0_7IDeviceEmmmNS0_10BufferTypeERKNS0_18BufferShardingArgsESt8optional"
	  "IbES8_IN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEEE",
	  METAL_CREATE_AT },
	{ P
	  "6Buffer6createEPNS0_7IDeviceEmmmNS0_10BufferTypeENS0_18TensorMemoryLayoutERKSt8optional"
	  "ISt7variantIJNS0_15ShardSpecBufferENS0_22BufferDistributionSpecEEEES6_IbES6_INS_3stl"
	  "10StrongTypeIhNS0_14SubDeviceIdTagEEEE",
	  METAL_CREATE_AT },
	{ P
	  "6Buffer6createEPNS0_7IDeviceEmmmNS0_10BufferTypeENS0_18TensorMemoryLayoutERKSt8optional"
	  "INS0_15ShardSpecBufferEES6_IbES6_INS_3stl10StrongTypeIhNS0_14SubDeviceIdTagEEEE",
	  METAL_CREATE_AT },
	{ P "6Buffer6createEPNS0_7IDeviceEmmmNS0_10BufferTypeE", METAL_CREATE_AT },
	{ P "2v06Buffer6createEPNS1_7IDeviceEmmmNS1_10BufferTypeENS1_1xE", METAL_CREATE_AT },
	{ "__cxa_throw", METAL_THROW },
	/* Without an address: allocates its own memory, which another hook sees. */
	{ P "6Buffer6createEPNS0_7IDeviceEmmNS0_10BufferTypeERKNS0_18BufferShardingArgsE",
	  METAL_HOOKS },
	{ P "6Buffer6createEPNS0_7IDeviceEmmmNS0_10BufferTypeEx.cold", METAL_HOOKS },
	{ P "12GraphTracker14track_allocateEPKNS0_6BufferE.part.0", METAL_HOOKS },
	{ P "12GraphTracker14track_allocateEPKNS0_6Buffer", METAL_HOOKS },
	{ P "6Buffer4viewERKNS0_12BufferRegionE", METAL_HOOKS },
	{ "__cxa_throw_bad_array_new_length", METAL_HOOKS },
	{ P, METAL_HOOKS },
	{ "malloc", METAL_HOOKS },
	{ "", METAL_HOOKS },
};

TEST(hooks_are_known_by_their_names)
{
	for (size_t i = 0; i < ARRAY_SIZE(hooks); i++) {
		unsigned line = metal_name_find(hooks[i].symbol);

		if ((line == METAL_NAMES ? METAL_HOOKS : metal_names[line].hook) != hooks[i].hook)
			fail_msg("%s", hooks[i].symbol);
	}
}

/* The full names avoid a search: one that differs from its pattern would never match. */
TEST(every_full_name_is_its_own_line)
{
	for (unsigned i = 0; i < METAL_NAMES; i++)
		if (!strpbrk(metal_names[i].pattern, "?*"))
			assert_int_equal(metal_name_find(metal_names[i].pattern), i);
	assert_int_equal(metal_name_find(hooks[13].symbol), 18);
	assert_int_equal(metal_name_find(hooks[14].symbol), 19);
	assert_int_equal(metal_name_find(hooks[15].symbol), 20);
}

TEST(the_class_that_does_it_comes_before_its_wrapper)
{
	assert_true(metal_name_find(P "13AllocatorImpl18deallocate_buffersEv") <
		    metal_name_find(P "9Allocator18deallocate_buffersEv"));
	assert_true(metal_name_find(P "13AllocatorImplD2Ev") < metal_name_find(P "9AllocatorD2Ev"));
}

static const struct {
	struct symbols symbols;
	const char *versions;
	unsigned device, status, chip, allocated_mask;
	bool publishes;
} versions[] = {
	{ { { METAL_NAME_TRACK_V0 } }, "v0.53 to v0.54", 0, 56, 0, 4, false },
	{ { { METAL_NAME_TRACK_V0, METAL_NAME_DEVICE_V0 } }, "v0.55", 0, 56, 8, 4, false },
	{ { { METAL_NAME_TRACK_V0, METAL_NAME_ALLOCATE_V0 } }, "v0.56", 0, 56, 8, 4, false },
	{ { { METAL_NAME_TRACK, METAL_NAME_ALLOCATE } }, "v0.57 to v0.59", 0, 56, 8, 6, false },
	{ { { METAL_NAME_TRACK, METAL_NAME_ALLOCATE, METAL_NAME_VIEW } },
	  "v0.60 to v0.65",
	  16,
	  72,
	  8,
	  2,
	  false },
	{ { { METAL_NAME_TRACK, METAL_NAME_ALLOCATE_IMPL, METAL_NAME_VIEW } },
	  "v0.66 to v0.67",
	  16,
	  72,
	  8,
	  2,
	  false },
	{ { { METAL_NAME_TRACK, METAL_NAME_ALLOCATE_IMPL, METAL_NAME_VIEW, METAL_NAME_ENV } },
	  "v0.68 to v0.69",
	  16,
	  72,
	  0, /* some nightly builds still have it at 8 */
	  2,
	  false },
	{ { { METAL_NAME_TRACK, METAL_NAME_ALLOCATE_IMPL, METAL_NAME_VIEW, METAL_NAME_ENV,
	      METAL_NAME_RECORD } },
	  "v0.70 to v0.76",
	  16,
	  72,
	  24,
	  2,
	  true },
	{ { { METAL_NAME_TRACK, METAL_NAME_ALLOCATE_IMPL, METAL_NAME_VIEW, METAL_NAME_ENV,
	      METAL_NAME_RECORD, METAL_NAME_DATAFLOW } },
	  "v0.77 or later",
	  16,
	  72,
	  24,
	  2,
	  true },
};

TEST(versions_are_identified_by_their_symbols)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		struct metal_shape shape;

		assert_int_equal(find(versions[i].symbols, &shape), 0);
		assert_string_equal(shape.versions, versions[i].versions);
		assert_int_equal(shape.device, versions[i].device);
		assert_int_equal(shape.status, versions[i].status);
		assert_int_equal(shape.chip, versions[i].chip);
		assert_int_equal(shape.allocated_mask, versions[i].allocated_mask);
		assert_int_equal(shape.publishes, versions[i].publishes);
		assert_int_equal(shape.visible_positions,
				 strcmp(versions[i].versions, "v0.68") >= 0);
		assert_int_equal(shape.order_by_id,
				 strcmp(versions[i].versions, "v0.57") >= 0 &&
					 strcmp(versions[i].versions, "v0.68") < 0);
	}
}

TEST(fields_are_where_the_releases_have_them)
{
	struct metal_shape old, new;

	assert_int_equal(find(versions[3].symbols, &old), 0);
	assert_int_equal(find(versions[8].symbols, &new), 0);
	assert_int_equal(old.size, 8);
	assert_int_equal(old.type, 16);
	assert_int_equal(old.owns_data, 27);
	assert_int_equal(old.allocator, 48);
	assert_int_equal(old.dry_run, 0);
	assert_int_equal(old.address, 64);
	assert_int_equal(new.size, 24);
	assert_int_equal(new.type, 32);
	assert_int_equal(new.owns_data, 43);
	assert_int_equal(new.allocator, 64);
	assert_int_equal(new.dry_run, 73);
	assert_int_equal(new.address, 80);
}

TEST(symbols_that_no_release_has_together_are_rejected)
{
	struct metal_shape shape = { .versions = "untouched" };

	assert_int_equal(find((struct symbols){ { "malloc" } }, &shape), -ENOENT);
	assert_int_equal(find((struct symbols){ { METAL_NAME_VIEW } }, &shape), -ENOENT);
	assert_int_equal(find((struct symbols){ { METAL_NAME_TRACK_V0, METAL_NAME_ALLOCATE,
						  METAL_NAME_ALLOCATE_IMPL } },
			      &shape),
			 -ENOENT);
	assert_int_equal(find((struct symbols){ { METAL_NAME_ALLOCATE_IMPL } }, &shape), -ENOTSUP);
	assert_int_equal(find((struct symbols){ { METAL_NAME_TRACK } }, &shape), -ENOTSUP);
	assert_int_equal(
		find((struct symbols){ { METAL_NAME_TRACK, METAL_NAME_TRACK_V0 } }, &shape),
		-ENOTSUP);
	assert_int_equal(
		find((struct symbols){ { METAL_NAME_TRACK, METAL_NAME_ALLOCATE_IMPL } }, &shape),
		-ENOTSUP);
	/* The offset of the chip id is unknown in this combination. */
	assert_int_equal(find((struct symbols){ { METAL_NAME_TRACK, METAL_NAME_ALLOCATE_IMPL,
						  METAL_NAME_VIEW, METAL_NAME_RECORD } },
			      &shape),
			 -ENOTSUP);
	assert_string_equal(shape.versions, "untouched");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hooks_are_known_by_their_names),
		cmocka_unit_test(every_full_name_is_its_own_line),
		cmocka_unit_test(the_class_that_does_it_comes_before_its_wrapper),
		cmocka_unit_test(versions_are_identified_by_their_symbols),
		cmocka_unit_test(fields_are_where_the_releases_have_them),
		cmocka_unit_test(symbols_that_no_release_has_together_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
