#include "cli/output.h"

#include "basic/exit_code.h"
#include "basic/file.h"
#include "cli/error_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* In the same directory, since rename() works within one file system only. */
static int open_temporary(struct output *output, const char *file)
{
	mode_t mask;

	if (asprintf(&output->temporary, "%s.XXXXXX", file) < 0) {
		output->temporary = NULL;
		return -ENOMEM;
	}
	output->fd = mkostemp(output->temporary, O_CLOEXEC);
	if (output->fd < 0)
		return -errno;
	mask = umask(0);
	umask(mask);
	return fchmod(output->fd, 0666 & ~mask) < 0 ? -errno : 0;
}

/* A device, a pipe or a terminal cannot be replaced by a file. A link that others may have created
 * is. */
static bool is_special(const char *file)
{
	int flags = file_is_in_sticky_directory(file) ? AT_SYMLINK_NOFOLLOW : 0;
	struct stat st;

	return fstatat(AT_FDCWD, file, &st, flags) == 0 && !S_ISREG(st.st_mode) &&
	       !S_ISLNK(st.st_mode);
}

int output_open(struct output *output, const char *file, bool once)
{
	int r = 0;

	*output = (struct output){ .fd = STDOUT_FILENO, .name = "standard output" };
	if (!file || strcmp(file, "-") == 0)
		return 0;
	output->name = file;
	if (once && !is_special(file)) {
		output->final = file;
		r = open_temporary(output, file);
	} else if (once) {
		output->fd = open(file, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		r = output->fd < 0 ? -errno : 0;
	} else {
		r = log_file_open(&output->log, file);
		output->fd = output->log.fd;
	}
	if (r < 0) {
		if (output->fd >= 0)
			close(output->fd);
		output->fd = -1;
		free(TAKE_PTR(output->temporary));
	}
	return r;
}

int output_follow(struct output *output)
{
	int r;

	if (!output->log.path)
		return 0;
	r = log_file_follow(&output->log);
	output->fd = output->log.fd;
	return r;
}

bool output_is_empty(const struct output *output)
{
	return !output->log.path || log_file_is_empty(&output->log);
}

int output_write(struct output *output, const struct buf *text)
{
	size_t done = 0;

	if (text->failed)
		return -ENOMEM;
	while (done < text->length) {
		ssize_t n = write(output->fd, text->data + done, text->length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

int output_print(const struct buf *text)
{
	struct output output;
	int r;

	r = output_open(&output, NULL, true);
	if (r >= 0)
		r = output_write(&output, text);
	return r < 0 ? error_line(EXIT_OUTPUT, "cannot write %s: %s", output.name, strerror(-r))
		     : 0;
}

int output_close(struct output *output, bool keep)
{
	int r = 0;

	if (output->fd < 0)
		return 0;
	/* Some file systems report a full disk only on close(). */
	if (output->fd != STDOUT_FILENO || keep)
		r = close(output->fd) < 0 ? -errno : 0;
	output->fd = -1;
	if (output->temporary) {
		if (keep && r == 0 && rename(output->temporary, output->final) < 0)
			r = -errno;
		if (!keep || r < 0)
			unlink(output->temporary);
		free(TAKE_PTR(output->temporary));
	}
	return r;
}
