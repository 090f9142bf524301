/* The sections that the field tables name are those that -q knows. */
#include "model/snapshot.h"
#include "render/render.h"
#include "unit.h"

TEST(every_field_is_in_a_section_that_exists)
{
	static const struct field_table *const tables[] = { &host_fields, &device_fields,
							    &process_fields, &usage_fields };

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (size_t i = 0; i < tables[t]->count; i++) {
			const char *section = tables[t]->fields[i].section;

			if (section)
				assert_true(detail_knows_section(section, strlen(section)));
		}
}

TEST(every_section_that_exists_has_a_field)
{
	for (size_t s = 0; s < DETAIL_SECTIONS; s++) {
		unsigned found = 0;

		for (size_t i = 0; i < device_fields.count; i++) {
			const char *section = device_fields.fields[i].section;

			found += section && strcmp(section, detail_sections[s]) == 0;
		}
		assert_true(found > 0);
	}
}

TEST(unknown_sections_are_rejected)
{
	assert_true(detail_knows_section("power", 5));
	assert_false(detail_knows_section("POWER", 4));
	assert_false(detail_knows_section("POWERS", 6));
	assert_false(detail_knows_section("", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_in_a_section_that_exists),
		cmocka_unit_test(every_section_that_exists_has_a_field),
		cmocka_unit_test(unknown_sections_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
