/* The snapshot image: written as the server does, then read, then damaged. */
#include "reader.h"

#include "proto/snapshot_image.h"

static const struct image_counts counts = { .processes = 3, .usages = 3, .allocations = 2 };

static void *image_make(size_t *ret_length)
{
	struct image_writer writer;
	void *block;

	*ret_length = image_size(&counts);
	block = calloc(1, *ret_length);
	image_begin(&writer, block, &counts);
	assert_int_equal(image_add_process(&writer, &(struct image_process){ .pid = 10,
									     .origin = IMAGE_TABLE,
									     .name = "first" }),
			 0);
	image_add_usage(&writer,
			&(struct image_usage){
				.pool = POOL_L1, .now_bytes = 1, .peak_bytes = 2, .allocs = 1 });
	image_add_usage(&writer, &(struct image_usage){ .device = 63 });
	image_add_allocation(&writer, &(struct image_allocation){ .id = 1, .size = 1 });
	assert_int_equal(
		image_add_process(&writer,
				  &(struct image_process){ .pid = 11, .origin = IMAGE_LEGACY }),
		0);
	image_add_allocation(&writer, &(struct image_allocation){ .id = 2, .size = 2 });
	assert_int_equal(
		image_add_process(&writer, &(struct image_process){ .pid = 12,
								    .origin = IMAGE_TABLE,
								    .flags = IMAGE_FINISHED,
								    .ended_ns = 5 }),
		0);
	image_add_usage(&writer, &(struct image_usage){ .peak_bytes = 7 });
	return block;
}

static void runs_belong_to_their_process(void **state)
{
	size_t length;
	void *block = image_make(&length);
	struct image_view view;

	(void)state;
	assert_int_equal(image_view_init(&view, block, length), 0);
	assert_int_equal(view.header->process_count, 3);
	assert_string_equal(view.processes[0].name, "first");
	assert_int_equal(view.processes[0].usage_count, 2);
	assert_int_equal(view.processes[1].usage_count, 0);
	assert_int_equal(view.processes[1].allocation_first, 1);
	assert_int_equal(view.allocations[1].id, 2);
	assert_int_equal(view.usages[view.processes[2].usage_first].peak_bytes, 7);
	free(block);
}

/* Clients allocate while the server counts: what no longer fits is omitted, and marked. */
static void more_than_was_counted_is_marked(void **state)
{
	const struct image_counts few = { .processes = 1, .usages = 1, .allocations = 1 };
	struct image_process process = { .pid = 1, .origin = IMAGE_TABLE };
	struct image_usage usage = { .allocs = 1 };
	struct image_allocation allocation = { .size = 1 };
	size_t length = image_size(&few);
	void *block = calloc(1, length);
	struct image_writer writer;
	struct image_view view;

	(void)state;
	image_begin(&writer, block, &few);
	assert_int_equal(image_add_process(&writer, &process), 0);
	assert_int_equal(image_add_process(&writer, &process), -ENOSPC);
	assert_int_equal(image_add_usage(&writer, &usage), 0);
	assert_int_equal(image_add_usage(&writer, &usage), -ENOSPC);
	assert_int_equal(image_add_allocation(&writer, &allocation), 0);
	assert_int_equal(image_add_allocation(&writer, &allocation), -ENOSPC);
	assert_int_equal(image_view_init(&view, block, length), 0);
	assert_int_equal(view.processes[0].flags, IMAGE_TOTALS_LOW | IMAGE_LIST_CUT);
	free(block);
}

static void fewer_than_was_counted_is_fine(void **state)
{
	size_t length = image_size(&counts);
	void *block = calloc(1, length);
	struct image_writer writer;
	struct image_view view;

	(void)state;
	image_begin(&writer, block, &counts);
	assert_int_equal(image_view_init(&view, block, length), 0);
	assert_int_equal(view.header->process_count, 0);
	free(block);
}

/*
 * Sets every 32-bit word in turn to critical values: the result is a rejection or a view inside the
 * block.
 */
static void damage_is_refused_or_harmless(void **state)
{
	static const uint32_t values[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff8 };
	size_t length;
	uint32_t *block = image_make(&length);
	int refused = 0;

	(void)state;
	for (size_t i = 0; i < length / sizeof(*block); i++) {
		uint32_t saved = block[i];

		for (size_t j = 0; j < ARRAY_SIZE(values); j++) {
			struct image_view view;

			block[i] = values[j];
			if (image_view_init(&view, block, length) < 0) {
				refused++;
				continue;
			}
			assert_true(
				(const char *)(view.allocations + view.header->allocation_count) <=
				(const char *)block + length);
			assert_true((const char *)(view.usages + view.header->usage_count) <=
				    (const char *)block + length);
		}
		block[i] = saved;
	}
	assert_true(refused > 100);
	for (size_t cut = 0; cut < length; cut++)
		assert_true(image_view_init(&(struct image_view){ 0 }, block, cut) < 0);
	free(block);
}

static void lies_are_refused(void **state)
{
	size_t length;
	void *block = image_make(&length);
	struct image_view view;
	struct image_process *process;
	struct image_usage *usage;

	(void)state;
	assert_int_equal(image_view_init(&view, block, length), 0);
	process = (struct image_process *)view.processes;
	usage = (struct image_usage *)view.usages;

	process[1].usage_first = 1; /* owned twice */
	assert_int_equal(image_view_init(&view, block, length), -EBADMSG);
	process[1].usage_first = 2;
	process[2].ended_ns = 0; /* finished and alive */
	assert_int_equal(image_view_init(&view, block, length), -EBADMSG);
	process[2].ended_ns = 5;
	memset(process[0].name, 'x', IMAGE_NAME);
	assert_int_equal(image_view_init(&view, block, length), -EBADMSG);
	process[0].name[0] = '\0';
	usage[0].now_bytes = 3; /* above its peak */
	assert_int_equal(image_view_init(&view, block, length), -EBADMSG);
	usage[0].now_bytes = 1;
	((struct image_header *)block)->version++;
	assert_int_equal(image_view_init(&view, block, length), -EPROTONOSUPPORT);
	free(block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_belong_to_their_process),
		cmocka_unit_test(more_than_was_counted_is_marked),
		cmocka_unit_test(fewer_than_was_counted_is_fine),
		cmocka_unit_test(damage_is_refused_or_harmless),
		cmocka_unit_test(lies_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
