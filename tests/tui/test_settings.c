/* Settings: read, written, rejected; and the keys compared with the manual page. */
#include "tui/keys.h"
#include "tui/settings.h"

#include "../unit/unit.h"
#include "basic/file.h"
#include "basic/text.h"
#include "render/device_symbol.h"
#include "tui/theme.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static struct buf complaints;

static struct settings parse(const char *text)
{
	struct settings settings;

	buf_done(&complaints);
	complaints = (struct buf){ 0 };
	settings_init(&settings);
	settings_parse(&settings, text, &complaints);
	return settings;
}

TEST(settings_are_read)
{
	struct settings s = parse("# a comment\n\nview = grid\n sort=-l1 # least first\n"
				  "theme=mono\nrefresh = 250\ntree = yes\nchart = power\n"
				  "span = 60\nmouse = no\ncolumns = pid dram, user");

	assert_string_equal(buf_text(&complaints), "");
	assert_int_equal(s.view, VIEW_GRID);
	assert_int_equal(s.order.column, COL_L1);
	assert_false(s.order.down);
	assert_true(s.order.tree);
	assert_int_equal(s.refresh_ms, 250);
	assert_int_equal(s.metric, METRIC_POWER);
	assert_int_equal(s.span, 0);
	assert_false(s.mouse);
	assert_false(s.columns.hidden[COL_DRAM] || s.columns.hidden[COL_USER] ||
		     s.columns.hidden[COL_COMMAND]);
	assert_true(s.columns.hidden[COL_L1]);
	assert_int_equal(s.units, UNITS_BINARY);
}

/* The columns that are shown, from the left. */
static const char *columns(const struct settings *s)
{
	static char text[200];

	text[0] = '\0';
	for (size_t i = 0; i < PROCESS_COLUMNS; i++)
		if (!s->columns.hidden[s->columns.order[i]])
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ",
				 process_columns[s->columns.order[i]].key);
	return text;
}

TEST(columns_have_an_order)
{
	struct settings s = parse("columns = l1 pid command dram");

	assert_string_equal(columns(&s), "l1 pid command dram ");
	column_choice_move(&s.columns, 0, 1);
	assert_string_equal(columns(&s), "pid l1 command dram ");
	column_choice_move(&s.columns, 0, -1);
	column_choice_move(&s.columns, PROCESS_COLUMNS - 1, 1);
	column_choice_move(&s.columns, PROCESS_COLUMNS, -1);
	assert_string_equal(columns(&s), "pid l1 command dram ");
	column_choice_show(&s.columns, COL_L1, false);
	column_choice_show(&s.columns, COL_PID, false);
	column_choice_show(&s.columns, COL_USER, true);
	assert_string_equal(columns(&s), "pid command dram user ");
	s = parse("columns = dram");
	assert_string_equal(columns(&s), "pid dram command ");
	parse("columns = dram dram");
	assert_string_equal(buf_text(&complaints), "line 1: columns cannot be \"dram dram\"");
}

TEST(every_setting_can_be_turned_in_both_directions)
{
	for (size_t i = 0; i < settings_count; i++) {
		CLEANUP_BUF struct buf first = { 0 }, other = { 0 };
		struct settings s = parse("");
		unsigned steps = 0;

		if (!settings_can_turn(i))
			continue;
		settings_put(&s, i, &first);
		do {
			CLEANUP_BUF struct buf line = { 0 };

			settings_turn(&s, i, 1);
			buf_reset(&other);
			settings_put(&s, i, &other);
			buf_printf(&line, "%s = %s", settings_name(i), buf_text(&other));
			parse(buf_text(&line));
			assert_string_equal(buf_text(&complaints), "");
		} while (strcmp(buf_text(&first), buf_text(&other)) != 0 && ++steps < 20);
		/* The refresh period has limits; all others are cyclic. */
		assert_true(steps > 0);
		assert_true(steps < 20 || strcmp(settings_name(i), "refresh") == 0);
		settings_turn(&s, i, -1);
		buf_reset(&other);
		settings_put(&s, i, &other);
		assert_string_not_equal(buf_text(&first), buf_text(&other));
	}
}

TEST(broken_settings_are_reported_and_ignored)
{
	struct settings s = parse("view = sideways\nnonsense = 1\nrefresh = 5\nview\n"
				  "columns = pid,,bogus\nspan = 61\ntheme = grid\nsort =\n");

	assert_string_equal(buf_text(&complaints), "line 1: view cannot be \"sideways\"; "
						   "line 2: no setting \"nonsense\"; "
						   "line 3: refresh cannot be \"5\"; "
						   "line 4: \"view\" has no \"=\"; "
						   "line 5: columns cannot be \"pid,,bogus\"; "
						   "line 6: span cannot be \"61\"; "
						   "line 7: theme cannot be \"grid\"; "
						   "line 8: sort cannot be \"\"");
	assert_int_equal(s.view, VIEW_OVERVIEW);
	assert_int_equal(s.refresh_ms, 1000);
	assert_int_equal(s.order.column, COL_DRAM);
}

TEST(the_last_order_counts)
{
	assert_true(parse("sort=-dram\nsort=dram").order.down);
	assert_false(parse("sort=-dram\nsort=-dram").order.down);
	assert_false(parse("sort=pid").order.down);
	assert_true(parse("sort=-pid\nsort=-pid").order.down);
}

TEST(written_settings_are_read_back)
{
	CLEANUP_BUF struct buf first = { 0 }, second = { 0 };
	struct settings s = parse("view=memory\nsort=-dram\nspan=3600\ncolumns=pid cpu\n"
				  "theme=colorblind\nmouse=no\nchart=l1\ntree=yes\nrefresh=60000\n"
				  "units=decimal\nsigns=blocks\ncharts=devices");

	settings_write(&s, &first);
	s = parse(buf_text(&first));
	assert_string_equal(buf_text(&complaints), "");
	settings_write(&s, &second);
	assert_string_equal(buf_text(&first), buf_text(&second));
	assert_int_equal(s.view, VIEW_MEMORY);
	assert_false(s.order.down);
	assert_int_equal(s.units, UNITS_DECIMAL);
	assert_int_equal(s.characters, PLOT_BLOCKS);
	assert_int_equal(s.charts, CHARTS_OF_DEVICES);
}

TEST(a_file_of_garbage_is_handled)
{
	static const char signs[] = "=#\n abcviewsortpid-\t\x80\xff";
	uint64_t seed = 7;
	char text[512];

	for (int i = 0; i < 2000; i++) {
		size_t n = random_below(&seed, sizeof(text) - 1);

		for (size_t k = 0; k < n; k++)
			text[k] = signs[random_below(&seed, sizeof(signs) - 1)];
		text[n] = '\0';
		parse(text);
	}
}

TEST(a_symbolic_link_to_the_file_is_kept)
{
	char folder[] = "/tmp/tt-smi-settings-XXXXXX", target[64];
	CLEANUP_BUF struct buf path = { 0 }, again = { 0 };
	struct settings s = parse("view=grid");
	struct stat found;

	assert_non_null(mkdtemp(folder));
	setenv("XDG_CONFIG_HOME", folder, 1);
	assert_int_equal(settings_save(&s, &path), 0);
	snprintf(target, sizeof(target), "%s/elsewhere", folder);
	assert_int_equal(rename(buf_text(&path), target), 0);
	assert_int_equal(symlink(target, buf_text(&path)), 0);
	s = parse("view=memory");
	assert_int_equal(settings_save(&s, &again), 0);
	assert_int_equal(lstat(buf_text(&path), &found), 0);
	assert_true(S_ISLNK(found.st_mode));
	settings_init(&s);
	settings_load(&s, &complaints);
	assert_int_equal(s.view, VIEW_MEMORY);
	assert_int_equal(unlink(target), 0);
	assert_int_equal(unlink(buf_text(&path)), 0);
	*strrchr(path.data, '/') = '\0';
	assert_int_equal(rmdir(path.data), 0);
	assert_int_equal(rmdir(folder), 0);
}

TEST(the_environment_overrides_the_file)
{
	char folder[] = "/tmp/tt-smi-settings-XXXXXX";
	CLEANUP_BUF struct buf path = { 0 };
	struct settings s = parse("view=grid\ntheme=mono");

	assert_non_null(mkdtemp(folder));
	setenv("XDG_CONFIG_HOME", folder, 1);
	assert_int_equal(settings_save(&s, &path), 0);
	setenv("TT_SMI_VIEW", "device", 1);
	setenv("TT_SMI_REFRESH", "never", 1);
	settings_init(&s);
	settings_load(&s, &complaints);
	assert_int_equal(s.view, VIEW_GRID);
	settings_load_environment(&s, &complaints);
	assert_int_equal(s.view, VIEW_DEVICE);
	assert_int_equal(s.theme, THEME_MONO);
	assert_string_equal(buf_text(&complaints), "TT_SMI_REFRESH cannot be \"never\"");
	assert_int_equal(unlink(buf_text(&path)), 0);
	*strrchr(path.data, '/') = '\0';
	assert_int_equal(rmdir(path.data), 0);
	assert_int_equal(rmdir(folder), 0);
	unsetenv("TT_SMI_VIEW");
	unsetenv("TT_SMI_REFRESH");
}

TEST(unchanged_settings_keep_their_value_in_the_file)
{
	struct settings kept = parse("view=grid\nsort=-pid"), before = kept, now;

	before.view = VIEW_MEMORY; /* set by an option, so it is not saved */
	now = before;
	now.theme = THEME_LIGHT;
	process_order_choose(&now.order, COL_PID);
	settings_keep(&kept, &before, &now);
	assert_int_equal(kept.view, VIEW_GRID);
	assert_int_equal(kept.theme, THEME_LIGHT);
	assert_int_equal(kept.order.column, COL_PID);
	assert_false(kept.order.down);
}

TEST(no_key_has_two_meanings)
{
	for (size_t i = 0; i < n_keys; i++)
		for (size_t k = 0; k < KEYS_EACH && keys[i].codes[k]; k++)
			assert_int_equal(keys_find(keys[i].codes[k]), keys[i].action);
	assert_int_equal(keys_find(12345), ACT_NONE);
}

/* Names as mdoc writes them: punctuation alone has no meaning after \&. */
static void put_words(struct buf *out, const char *names)
{
	for (const char *p = names; *p; p++) {
		bool alone = (p == names || p[-1] == ' ') && (p[1] == '\0' || p[1] == ' ');

		if (*p == '\\')
			buf_puts(out, "\\e");
		else if (*p == '-' && alone)
			buf_puts(out, "\\-");
		else if (alone && strchr("[].?,!", *p))
			buf_printf(out, "\\&%c", *p);
		else
			buf_putc(out, *p);
	}
}

TEST(the_manual_has_every_key)
{
	CLEANUP_BUF struct buf manual = { 0 };

	assert_int_equal(file_read_all(AT_FDCWD, MANUAL, 1 << 20, &manual), 0);
	for (size_t i = 0; i < n_keys; i++) {
		CLEANUP_BUF struct buf entry = { 0 };

		buf_puts(&entry, "\n.It Ic ");
		put_words(&entry, keys[i].names);
		buf_printf(&entry, "\n");
		put_words(&entry, keys[i].help);
		buf_puts(&entry, "\n");
		if (!strstr(buf_text(&manual), buf_text(&entry)))
			fail_msg("the manual lacks%s", buf_text(&entry));
	}
}

TEST(the_manual_has_every_symbol)
{
	CLEANUP_BUF struct buf manual = { 0 };

	assert_int_equal(file_read_all(AT_FDCWD, MANUAL, 1 << 20, &manual), 0);
	for (size_t i = 0; i < n_device_symbols; i++) {
		CLEANUP_BUF struct buf entry = { 0 };
		uint32_t c = 0;

		utf8_decode(device_symbols[i].utf8, strlen(device_symbols[i].utf8), &c);
		buf_puts(&entry, "\n.It Ql ");
		if (c > 0x7f)
			buf_printf(&entry, "\\[u%04X]", c);
		else
			put_words(&entry, device_symbols[i].utf8);
		buf_printf(&entry, "\n%s\n", device_symbols[i].help);
		if (!strstr(buf_text(&manual), buf_text(&entry)))
			fail_msg("the manual lacks%s", buf_text(&entry));
	}
}

TEST(the_manual_has_every_setting)
{
	CLEANUP_BUF struct buf manual = { 0 };

	assert_int_equal(file_read_all(AT_FDCWD, MANUAL, 1 << 20, &manual), 0);
	for (size_t i = 0; i < settings_count; i++) {
		CLEANUP_BUF struct buf entry = { 0 };

		buf_printf(&entry, "\n.It Cm %s\n", settings_name(i));
		settings_put_help(i, &entry);
		buf_putc(&entry, '\n');
		if (!strstr(buf_text(&manual), buf_text(&entry)))
			fail_msg("the manual lacks%s", buf_text(&entry));
	}
}

static int clean(void **state)
{
	(void)state;
	buf_done(&complaints);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_read),
		cmocka_unit_test(columns_have_an_order),
		cmocka_unit_test(every_setting_can_be_turned_in_both_directions),
		cmocka_unit_test(broken_settings_are_reported_and_ignored),
		cmocka_unit_test(the_last_order_counts),
		cmocka_unit_test(written_settings_are_read_back),
		cmocka_unit_test(a_file_of_garbage_is_handled),
		cmocka_unit_test(a_symbolic_link_to_the_file_is_kept),
		cmocka_unit_test(the_environment_overrides_the_file),
		cmocka_unit_test(unchanged_settings_keep_their_value_in_the_file),
		cmocka_unit_test(no_key_has_two_meanings),
		cmocka_unit_test(the_manual_has_every_key),
		cmocka_unit_test(the_manual_has_every_symbol),
		cmocka_unit_test(the_manual_has_every_setting),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}
