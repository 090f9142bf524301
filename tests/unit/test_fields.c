/* The tables that drive every output. */
#include "model/snapshot.h"
#include "unit.h"

static const struct field_table *const all_tables[] = {
	&host_fields,
	&device_fields,
	&process_fields,
	&usage_fields,
};

TEST(every_field_is_described)
{
	for (size_t t = 0; t < ARRAY_SIZE(all_tables); t++)
		for (size_t i = 0; i < all_tables[t]->count; i++) {
			const struct field *field = &all_tables[t]->fields[i];

			assert_non_null(field->key); /* an enum without its table line */
			assert_true(field->key[0]);
			assert_non_null(field->help);
			assert_true(field->help[0]);
			assert_true(field->unit < U_N);
			assert_int_equal(field->section == NULL, field->label == NULL);
			/* Blanks and commas are separators of lists and aliases. */
			assert_null(strpbrk(field->key, " ,"));
		}
}

/* Counts the fields of some tables that a name finds. */
static unsigned count_name(const struct field_table *const *tables, size_t n_tables,
			   const char *name)
{
	unsigned found = 0;

	for (size_t t = 0; t < n_tables; t++)
		for (size_t i = 0; i < tables[t]->count; i++) {
			struct field_table one = { &tables[t]->fields[i], 1, 0 };

			found += field_find(&one, name) == 0;
		}
	return found;
}

static void each_name(const struct field_table *table,
		      void (*visit)(const struct field_table *table, const char *name))
{
	for (size_t i = 0; i < table->count; i++) {
		const char *list = table->fields[i].aliases;

		visit(table, table->fields[i].key);
		while (list && *list) {
			char word[64];
			size_t length = strcspn(list, " ");

			assert_in_range(length, 1, sizeof(word) - 1); /* no double blank */
			memcpy(word, list, length);
			word[length] = '\0';
			visit(table, word);
			list += length;
			list += *list == ' ';
		}
	}
}

static void assert_unique_in_device_query(const struct field_table *table, const char *name)
{
	static const struct field_table *const seen[] = { &device_fields, &host_fields };

	(void)table;
	assert_int_equal(count_name(seen, ARRAY_SIZE(seen), name), 1);
}

TEST(names_are_unique_in_a_device_query)
{
	each_name(&device_fields, assert_unique_in_device_query);
	each_name(&host_fields, assert_unique_in_device_query);
}

/*
 * In a process query of nvidia-smi, "name" and "memory.used" are those of the process, though a
 * device has such fields too; the same is true for the fields of utilisation.
 */
static void assert_unique_in_process_query(const struct field_table *table, const char *name)
{
	static const struct field_table *const seen[] = { &process_fields, &usage_fields,
							  &device_fields, &host_fields };
	bool meant = strcmp(name, "name") == 0 || strcmp(name, "memory.used") == 0;
	int shared = field_find(&usage_fields, name);

	(void)table;
	meant |= shared > USE_UTILIZATION && shared <= USE_OPERATION;
	assert_int_equal(count_name(seen, ARRAY_SIZE(seen), name), meant ? 2 : 1);
}

TEST(names_are_unique_in_a_process_query)
{
	for (size_t t = 0; t < ARRAY_SIZE(all_tables); t++)
		each_name(all_tables[t], assert_unique_in_process_query);
}

TEST(fields_are_found_by_key_and_by_alias_and_not_by_part)
{
	assert_int_equal(field_find(&device_fields, "temperature.gpu"), DEV_TEMPERATURE);
	assert_int_equal(field_find(&device_fields, "clocks.current.sm"), DEV_AICLK);
	assert_int_equal(field_find(&device_fields, "uuid"), DEV_UUID);
	assert_int_equal(field_find(&usage_fields, "used_gpu_memory"), USE_DRAM);
	assert_int_equal(field_find(&device_fields, "temperature"), -1);
	assert_int_equal(field_find(&device_fields, "clocks.sm clocks.current.sm"), -1);
	assert_int_equal(field_find(&device_fields, ""), -1);
	assert_int_equal(field_find(&device_fields, "UUID"), -1);
}

TEST(every_json_path_is_unique_and_no_path_is_inside_another)
{
	for (size_t t = 0; t < ARRAY_SIZE(all_tables); t++)
		for (size_t i = 0; i < all_tables[t]->count; i++)
			for (size_t k = 0; k < all_tables[t]->count; k++) {
				const char *a = all_tables[t]->fields[i].json;
				const char *b = all_tables[t]->fields[k].json;
				size_t length;

				if (i == k || !a || !b)
					continue;
				length = strlen(a);
				assert_false(strncmp(a, b, length) == 0 &&
					     (b[length] == '\0' || b[length] == '.'));
			}
}

static bool has_prefix(const struct field *field, const char *prefix, size_t length)
{
	return field->json && strncmp(field->json, prefix, length) == 0;
}

/*
 * Iterating over the fields closes an object at a path outside of it: it must not be opened again.
 */
TEST(fields_of_one_json_object_are_consecutive)
{
	for (size_t t = 0; t < ARRAY_SIZE(all_tables); t++) {
		const struct field_table *table = all_tables[t];

		for (size_t i = 0; i < table->count; i++) {
			const char *path = table->fields[i].json;

			for (const char *dot = path; dot && (dot = strchr(dot, '.')); dot++) {
				size_t length = (size_t)(dot + 1 - path), k = i;

				while (k < table->count &&
				       (!table->fields[k].json ||
					has_prefix(&table->fields[k], path, length)))
					k++;
				for (; k < table->count; k++)
					assert_false(has_prefix(&table->fields[k], path, length));
			}
		}
	}
}

TEST(the_counters_are_consecutive)
{
	for (unsigned i = 0; i < DEVICE_COUNTERS; i++) {
		const struct field *field = &device_fields.fields[DEV_COUNTER + i];

		assert_int_equal(strncmp(field->key, "pcie.counter.", 13), 0);
		assert_string_equal(field->key + 13, field->json + strlen("pci.counters."));
		assert_int_equal(field->offset, offsetof(struct device, counters) + i * 4);
	}
	assert_int_equal(DEV_COUNTER_LAST - DEV_COUNTER + 1, DEVICE_COUNTERS);
}

TEST(known_values_are_read_from_their_members)
{
	struct device dev;
	struct value value;

	device_init(&dev, 12);
	dev.temperature = 34.78;
	dev.asic_id = 0x2F9C2B4A51D01A2B;
	dev.numa_node = -1;
	field_get(&device_fields, DEV_TEMPERATURE, &dev, &value);
	assert_int_equal(value.why, NOT_ASKED);
	assert_near(value.number, 0);
	dev.why[DEV_TEMPERATURE] = dev.why[DEV_ASIC_ID] = dev.why[DEV_NUMA_NODE] = KNOWN;
	field_get(&device_fields, DEV_TEMPERATURE, &dev, &value);
	assert_near(value.number, 34.78);
	field_get(&device_fields, DEV_ASIC_ID, &dev, &value);
	assert_true(value.exact == 0x2F9C2B4A51D01A2B);
	field_get(&device_fields, DEV_NUMA_NODE, &dev, &value);
	assert_near(value.number, -1);
	field_get(&device_fields, DEV_ID, &dev, &value);
	assert_string_equal(value.text, "12");
	dev.why[DEV_POWER_BOARD] = KNOWN; /* implausible in any source */
	field_get(&device_fields, DEV_POWER_BOARD, &dev, &value);
	assert_int_equal(value.why, NEVER_OFFERED);
}

TEST(every_reason_has_a_phrase_and_a_word)
{
	for (unsigned i = 0; i < REASON_N; i++) {
		assert_non_null(reason_text(i));
		assert_true(reason_code(i)[0]);
		assert_int_equal(strspn(reason_code(i), "abcdefghijklmnopqrstuvwxyz_"),
				 strlen(reason_code(i)));
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(reason_code(i), reason_code(k));
	}
}

TEST(field_sets_hold_every_field_of_every_table)
{
	for (size_t t = 0; t < ARRAY_SIZE(all_tables); t++) {
		struct fieldset set = { 0 };

		assert_true(all_tables[t]->count <= FIELDSET_WORDS * 64);
		for (unsigned i = 0; i < all_tables[t]->count; i++) {
			assert_false(fieldset_has(&set, i));
			fieldset_add(&set, i);
			assert_true(fieldset_has(&set, i));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_described),
		cmocka_unit_test(names_are_unique_in_a_device_query),
		cmocka_unit_test(names_are_unique_in_a_process_query),
		cmocka_unit_test(fields_are_found_by_key_and_by_alias_and_not_by_part),
		cmocka_unit_test(every_json_path_is_unique_and_no_path_is_inside_another),
		cmocka_unit_test(fields_of_one_json_object_are_consecutive),
		cmocka_unit_test(the_counters_are_consecutive),
		cmocka_unit_test(known_values_are_read_from_their_members),
		cmocka_unit_test(every_reason_has_a_phrase_and_a_word),
		cmocka_unit_test(field_sets_hold_every_field_of_every_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
