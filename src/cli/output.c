#include "cli/output.h"

#include "basic/exit_code.h"
#include "cli/error_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Beside the file, so that rename() stays within one file system. */
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

/* A device, a pipe or a terminal cannot be replaced by a file. */
static bool is_special(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 && !S_ISREG(st.st_mode);
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
	} else {
		output->fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
		r = output->fd < 0 ? -errno : 0;
	}
	if (r < 0) {
		if (output->fd >= 0)
			close(output->fd);
		output->fd = -1;
		free(TAKE_PTR(output->temporary));
	}
	return r;
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
	/* Some file systems tell of a full disk only now. */
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
