#include "cli/output.h"

#include "basic/chase.h"
#include "basic/exit_code.h"
#include "cli/error_line.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

/* In the same directory, since rename() works within one file system only. */
static int open_temporary(struct output *output, const char *file)
{
	uint64_t random;

	output->directory = chase_directory(file, &output->link);
	if (output->directory < 0)
		return output->directory;
	if (getrandom(&random, sizeof(random), 0) < 0)
		return -errno;
	if (asprintf(&output->temporary, "%s.%016" PRIx64, chase_name(file), random) < 0) {
		output->temporary = NULL;
		return -ENOMEM;
	}
	output->fd = openat(output->directory, output->temporary,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return output->fd < 0 ? -errno : 0;
}

/*
 * A device, a pipe or a terminal cannot be replaced by a file. A link that others may have created
 * can.
 */
static bool is_special(struct output *output, const char *file)
{
	CLEANUP_CLOSE int fd = chase_open(file, O_PATH, 0, &output->link);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode);
}

static void forget(struct output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	if (output->directory >= 0)
		close(output->directory);
	output->fd = output->directory = -1;
	free(TAKE_PTR(output->temporary));
}

int output_open(struct output *output, const char *file, bool once)
{
	int r = 0;

	*output =
		(struct output){ .fd = STDOUT_FILENO, .directory = -1, .name = "standard output" };
	if (!file || strcmp(file, "-") == 0)
		return 0;
	output->name = file;
	output->fd = -1;
	if (once && !is_special(output, file)) {
		r = open_temporary(output, file);
	} else if (once) {
		r = chase_open(file, O_WRONLY | O_NOCTTY, 0, &output->link);
		output->fd = r;
	} else {
		r = log_file_open(&output->log, file, &output->link);
		output->fd = output->log.fd;
	}
	if (r < 0)
		forget(output);
	return MIN(r, 0);
}

int output_follow(struct output *output)
{
	int r;

	if (!output->log.path)
		return 0;
	r = log_file_follow(&output->log, &output->link);
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

int output_failed(struct output *output, int error)
{
	CLEANUP_BUF struct buf link = output->link;

	output->link = (struct buf){ 0 };
	if (link.length)
		return error_line(EXIT_OUTPUT,
				  "cannot write %s: %s is a symbolic link in a directory where "
				  "other users can create links, and is not followed",
				  output->name, buf_text(&link));
	return error_line(EXIT_OUTPUT, "cannot write %s: %s", output->name, strerror(-error));
}

int output_print(const struct buf *text)
{
	struct output output;
	int r;

	r = output_open(&output, NULL, true);
	if (r >= 0)
		r = output_write(&output, text);
	return r < 0 ? output_failed(&output, r) : 0;
}

static int finish_temporary(struct output *output, bool keep)
{
	int directory = output->directory, r = 0;

	if (keep && renameat(directory, output->temporary, directory, chase_name(output->name)) < 0)
		r = -errno;
	if (!keep || r < 0)
		unlinkat(directory, output->temporary, 0);
	return r;
}

int output_close(struct output *output, bool keep)
{
	int closed = 0, r = 0;

	if (output->fd < 0)
		return 0;
	/* Some file systems report a full disk only on close(). */
	if (output->fd != STDOUT_FILENO || keep)
		closed = close(output->fd) < 0 ? -errno : 0;
	output->fd = -1;
	if (output->temporary)
		r = finish_temporary(output, keep && closed == 0);
	forget(output);
	buf_done(&output->link);
	return closed < 0 ? closed : r;
}
