/* Published utilisation: header and entries, byte by byte. */
#include "proto/util_shm.h"
#include "unit.h"

#include <errno.h>

static unsigned char file[72 + 40 * 4 + 64];
static struct util_figures figures;
static uint32_t version;

static void put16(size_t at, unsigned value)
{
	file[at] = (unsigned char)value;
	file[at + 1] = (unsigned char)(value >> 8);
}

static void put32(size_t at, uint32_t value)
{
	put16(at, value & 0xFFFF);
	put16(at + 2, value >> 16);
}

static void put64(size_t at, uint64_t value)
{
	put32(at, (uint32_t)value);
	put32(at + 4, (uint32_t)(value >> 32));
}

static void put_core(size_t index, unsigned sfpu, unsigned dispatch, unsigned fpu)
{
	put16(72 + index * 40 + 6, sfpu);
	put16(72 + index * 40 + 8, dispatch);
	put16(72 + index * 40 + 10, fpu);
}

/* Four cores, both sources. */
static int make(void **state)
{
	(void)state;
	memset(file, 0, sizeof(file));
	memcpy(file, "TTUT", 4);
	put16(4, 3);
	put16(6, 40);
	put64(8, 0x6B1E77A20C401B3C);
	put32(20, 3);
	put64(24, 1000);
	put64(32, 123456789);
	put32(40, 4);
	put32(48, 4242);
	put32(56, 100);
	put32(60, 50);
	put_core(0, 100, 1000, 500);
	put_core(1, 300, 1000, 200);
	put_core(2, 0, 0, 0);
	put_core(3, 0, 500, 0);
	return 0;
}

static int decode(size_t size)
{
	return util_decode(file, size, &figures, &version);
}

TEST(the_busier_unit_of_each_core_counts_and_cores_are_averaged)
{
	assert_int_equal(decode(72 + 160), 0);
	assert_true(figures.asic_id == 0x6B1E77A20C401B3C);
	assert_int_equal(figures.updated_us, 123456789);
	assert_int_equal(figures.collector, 4242);
	assert_true(figures.has_compute && figures.has_dispatch && figures.has_dram);
	assert_near(figures.compute, 0.2);
	assert_near(figures.dispatch, 0.625);
	assert_near(figures.dram_read, 100e6);
	assert_near(figures.dram_write, 50e6);
}

TEST(an_unmarked_source_is_not_used)
{
	put32(20, 1);
	assert_int_equal(decode(232), 0);
	assert_true(figures.has_dispatch);
	assert_false(figures.has_compute);
	put32(20, 2);
	assert_int_equal(decode(232), 0);
	assert_false(figures.has_dispatch);
	assert_true(figures.has_compute);
}

TEST(version_2_has_no_dram_figures_and_zero_means_not_sampled)
{
	put16(4, 2);
	assert_int_equal(decode(232), 0);
	assert_false(figures.has_dram);
	put16(4, 3);
	put32(56, 0);
	put32(60, 0);
	assert_int_equal(decode(232), 0);
	assert_false(figures.has_dram);
}

TEST(more_than_100_percent_is_100_percent)
{
	for (size_t i = 0; i < 4; i++)
		put_core(i, 65535, 65535, 65535);
	assert_int_equal(decode(232), 0);
	assert_near(figures.compute, 1);
	assert_near(figures.dispatch, 1);
}

TEST(longer_entries_are_supported)
{
	put16(6, 44);
	put32(40, 2);
	assert_int_equal(decode(72 + 88), 0);
	assert_near(figures.dispatch, (1000 + 0) / 2000.0); /* the second is read 4 bytes on */
}

TEST(other_versions_and_other_files_are_rejected)
{
	put16(4, 1);
	assert_int_equal(decode(232), -EPROTONOSUPPORT);
	assert_int_equal(version, 1);
	put16(4, 4);
	assert_int_equal(decode(232), -EPROTONOSUPPORT);
	put16(4, 3);
	file[0] = 't';
	assert_int_equal(decode(232), -EBADMSG);
	file[0] = 'T';
	assert_int_equal(decode(71), -EBADMSG);
	assert_int_equal(decode(0), -EBADMSG);
}

TEST(wrong_sizes_are_rejected)
{
	assert_int_equal(decode(231), -EBADMSG);
	put16(6, 39);
	assert_int_equal(decode(232), -EBADMSG);
	put16(6, 65535);
	assert_int_equal(decode(232), -EBADMSG);
	put16(6, 40);
	put32(40, 0);
	assert_int_equal(decode(232), -EBADMSG);
	put32(40, UTIL_MAX_CORES + 1);
	assert_int_equal(decode(232), -EBADMSG);
	put32(40, UINT32_MAX);
	assert_int_equal(decode(232), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_busier_unit_of_each_core_counts_and_cores_are_averaged,
				       make),
		cmocka_unit_test_setup(an_unmarked_source_is_not_used, make),
		cmocka_unit_test_setup(version_2_has_no_dram_figures_and_zero_means_not_sampled,
				       make),
		cmocka_unit_test_setup(more_than_100_percent_is_100_percent, make),
		cmocka_unit_test_setup(longer_entries_are_supported, make),
		cmocka_unit_test_setup(other_versions_and_other_files_are_rejected, make),
		cmocka_unit_test_setup(wrong_sizes_are_rejected, make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
