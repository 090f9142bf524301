/* Settings as a file and in the environment. */
#include "tui/settings.h"

#include "basic/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Removes blanks at both ends. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		length--;
	text[length] = '\0';
	return text;
}

/* The separator before a warning: all of them are on one line. */
static const char *after(const struct buf *warnings)
{
	return warnings->length ? "; " : "";
}

static void parse_line(struct settings *settings, char *line, unsigned number, struct buf *warnings)
{
	char *equals, *name, *value;
	int r;

	line[strcspn(line, "#")] = '\0';
	line = trim(line);
	if (!line[0])
		return;
	equals = strchr(line, '=');
	if (!equals) {
		buf_printf(warnings, "%sline %u: \"%s\" has no \"=\"", after(warnings), number,
			   line);
		return;
	}
	*equals = '\0';
	name = trim(line);
	value = trim(equals + 1);
	r = settings_set(settings, name, value);
	if (r == -ENOENT)
		buf_printf(warnings, "%sline %u: no setting \"%s\"", after(warnings), number, name);
	else if (r < 0)
		buf_printf(warnings, "%sline %u: %s cannot be \"%s\"", after(warnings), number,
			   name, value);
}

void settings_parse(struct settings *settings, const char *text, struct buf *warnings)
{
	CLEANUP_FREE char *copy = strdup(text);
	unsigned number = 0;

	for (char *line = copy; line && *line;) {
		size_t length = strcspn(line, "\n");
		bool more = line[length] == '\n';

		line[length] = '\0';
		parse_line(settings, line, ++number, warnings);
		line += length + more;
	}
}

/* False: neither XDG_CONFIG_HOME nor HOME is set. */
static bool put_folder(struct buf *out)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && config[0] == '/')
		buf_printf(out, "%s/tt-smi", config);
	else if (home && home[0] == '/')
		buf_printf(out, "%s/.config/tt-smi", home);
	return out->length > 0;
}

void settings_load_environment(struct settings *settings, struct buf *warnings)
{
	for (size_t i = 0; i < settings_count; i++) {
		char name[32] = "TT_SMI_";
		const char *value;
		size_t n = strlen(name);

		for (const char *p = settings_name(i); *p && n + 1 < sizeof(name); p++)
			name[n++] = (char)toupper((unsigned char)*p);
		name[n] = '\0';
		value = getenv(name);
		if (value && settings_set(settings, settings_name(i), value) < 0)
			buf_printf(warnings, "%s%s cannot be \"%s\"", after(warnings), name, value);
	}
}

void settings_load(struct settings *settings, struct buf *warnings)
{
	CLEANUP_BUF struct buf path = { 0 }, text = { 0 };

	if (put_folder(&path)) {
		int r;

		buf_puts(&path, "/config");
		r = file_read_all(AT_FDCWD, buf_text(&path), 1 << 20, &text);
		if (r >= 0)
			settings_parse(settings, buf_text(&text), warnings);
		else if (r != -ENOENT && r != -ENOTDIR)
			buf_puts(warnings, strerror(-r));
		if (warnings->length)
			buf_printf(warnings, " (%s)", buf_text(&path));
	}
}

void settings_write(const struct settings *settings, struct buf *out)
{
	buf_puts(out,
		 "# Settings of tt_smi -w. Environment variables (TT_SMI_VIEW=grid) and options\n"
		 "# override them.\n");
	for (size_t i = 0; i < settings_count; i++) {
		buf_puts(out, "\n# ");
		settings_put_help(i, out);
		buf_printf(out, "\n%s = ", settings_name(i));
		settings_put(settings, i, out);
		buf_putc(out, '\n');
	}
}

/* Creates the directory and its parent. */
static int make_folders(const char *folder)
{
	CLEANUP_FREE char *above = strdup(folder);

	if (!above)
		return -ENOMEM;
	*strrchr(above, '/') = '\0';
	if (mkdir(above, 0700) < 0 && errno != EEXIST)
		return -errno;
	return mkdir(folder, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static int write_file(const char *path, const struct buf *text)
{
	CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, buf_text(text), text->length);
	if (n < 0)
		return -errno;
	return (size_t)n == text->length ? 0 : -ENOSPC;
}

/* Writes a new file and renames it: a full disk does not lose the old settings. */
static int replace_file(const char *path, const struct buf *text)
{
	CLEANUP_FREE char *real = realpath(path, NULL); /* a symbolic link is kept */
	CLEANUP_BUF struct buf fresh = { 0 };
	int r;

	if (real)
		path = real;
	buf_printf(&fresh, "%s.new", path);
	if (fresh.failed)
		return -ENOMEM;
	r = write_file(buf_text(&fresh), text);
	if (r == 0 && rename(buf_text(&fresh), path) < 0)
		r = -errno;
	if (r < 0)
		unlink(buf_text(&fresh));
	return r;
}

int settings_save(const struct settings *settings, struct buf *ret_path)
{
	CLEANUP_BUF struct buf text = { 0 };
	int r;

	if (!put_folder(ret_path))
		return -ENOENT;
	r = make_folders(buf_text(ret_path));
	if (r < 0)
		return r;
	buf_puts(ret_path, "/config");
	settings_write(settings, &text);
	if (text.failed || ret_path->failed)
		return -ENOMEM;
	return replace_file(buf_text(ret_path), &text);
}
