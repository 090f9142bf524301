/* The owner of a process: cgroup_corpus.txt, case by case. */
#include "basic/buf.h"
#include "source/procfs.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *name;
	size_t offset, size;
} fields[] = {
	{ "container", offsetof(struct owner, container), sizeof(((struct owner *)0)->container) },
	{ "runtime", offsetof(struct owner, runtime), sizeof(((struct owner *)0)->runtime) },
	{ "pod", offsetof(struct owner, pod), sizeof(((struct owner *)0)->pod) },
	{ "slurm_job", offsetof(struct owner, slurm_job), sizeof(((struct owner *)0)->slurm_job) },
	{ "slurm_step", offsetof(struct owner, slurm_step),
	  sizeof(((struct owner *)0)->slurm_step) },
	{ "unit", offsetof(struct owner, unit), sizeof(((struct owner *)0)->unit) },
};

/* "field=value field=value" into an owner. */
static void parse_expected(char *list, struct owner *ret)
{
	char *save = NULL;

	memset(ret, 0, sizeof(*ret));
	for (char *word = strtok_r(list, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');
		bool found = false;

		assert_non_null(value);
		*value++ = '\0';
		for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
			if (strcmp(fields[i].name, word) == 0) {
				assert_true(strlen(value) < fields[i].size);
				memcpy((char *)ret + fields[i].offset, value, strlen(value) + 1);
				found = true;
			}
		assert_true(found);
	}
}

static unsigned check(const char *name, const char *text, const struct owner *expected)
{
	unsigned wrong = 0;
	struct owner found;

	procfs_parse_cgroup(text, &found);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const char *a = (const char *)&found + fields[i].offset;
		const char *b = (const char *)expected + fields[i].offset;

		if (strcmp(a, b) == 0)
			continue;
		print_error("%s: %s is \"%s\", expected \"%s\"\n", name, fields[i].name, a, b);
		wrong++;
	}
	return wrong;
}

TEST(every_path_of_the_corpus_has_its_owner)
{
	FILE *file = fopen(TEST_FOLDER "/cgroup_corpus.txt", "re");
	CLEANUP_BUF struct buf text = { 0 };
	CLEANUP_FREE char *line = NULL;
	char name[128] = "";
	size_t size = 0;
	unsigned cases = 0, wrong = 0;

	assert_non_null(file);
	while (getline(&line, &size, file) > 0) {
		if (strncmp(line, "== ", 3) == 0) {
			snprintf(name, sizeof(name), "%.*s", (int)strcspn(line + 3, "\n"),
				 line + 3);
			buf_reset(&text);
		} else if (strncmp(line, "->", 2) == 0) {
			struct owner expected;

			line[strcspn(line, "\n")] = '\0';
			parse_expected(line + 2, &expected);
			wrong += check(name, buf_text(&text), &expected);
			name[0] = '\0';
			cases++;
		} else if (name[0]) {
			buf_puts(&text, line);
		}
	}
	fclose(file);
	assert_int_equal(wrong, 0);
	assert_true(cases >= 60);
}

TEST(a_text_without_its_last_newline_is_parsed)
{
	struct owner owner;

	procfs_parse_cgroup("0::/system.slice/x.service", &owner);
	assert_string_equal(owner.unit, "x.service");
}

TEST(no_owner_remains_from_an_earlier_call)
{
	struct owner owner;

	memset(&owner, 'x', sizeof(owner));
	procfs_parse_cgroup("", &owner);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		assert_string_equal((const char *)&owner + fields[i].offset, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_path_of_the_corpus_has_its_owner),
		cmocka_unit_test(a_text_without_its_last_newline_is_parsed),
		cmocka_unit_test(no_owner_remains_from_an_earlier_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
