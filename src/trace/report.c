#include "trace/report.h"

#include "trace/pins.h"
#include "trace/process_stat.h"

#include "basic/file.h"
#include "basic/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Replaces the file atomically. */
static int write_file(const char *path, const char *text, size_t length)
{
	CLEANUP_CLOSE int fd = -1;
	char temporary[128];

	snprintf(temporary, sizeof(temporary), "%s.new", path);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	if (write(fd, text, length) != (ssize_t)length || rename(temporary, path) < 0)
		return errno ? -errno : -EIO;
	return 0;
}

static void print_since(struct buf *out, const struct trace_state *state)
{
	time_t since = state->since;
	struct tm local;
	char text[64];

	localtime_r(&since, &local);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
	buf_printf(out, "loaded      since %s, %s\n", text,
		   state->multi ? "one link per library" : "one link per probe");
}

static void print_library(struct buf *out, const struct trace_library *library)
{
	buf_puts(out, "library     ");
	text_clean(out, library->path, strlen(library->path), true);
	buf_printf(out, " (%s, %u probes, allocations by %s, build id ", library->versions,
		   library->probes, library->tracks ? "track_allocate" : "allocate_buffer");
	for (size_t i = 0; i < library->build_id_length; i++)
		buf_printf(out, "%02x", library->build_id[i]);
	buf_puts(out, library->build_id_length ? ")\n" : "unknown)\n");
}

static void print_holder(struct buf *out, const struct device_holder *holder)
{
	buf_puts(out, !holder->is_followed ? "unfollowed  "
		      : holder->is_partial ? "incomplete  "
					   : "unreliable  ");
	buf_printf(out, "%d ", holder->pid);
	text_clean(out, holder->comm, strlen(holder->comm), true);
	buf_printf(out, ": %s", holder->problem);
	if (holder->file[0]) {
		buf_puts(out, " (");
		text_clean(out, holder->file, strlen(holder->file), true);
		buf_putc(out, ')');
	}
	buf_putc(out, '\n');
}

int report_write(const struct trace_scan *scan, struct buf *text)
{
	CLEANUP_BUF struct buf out = { 0 };
	int r;

	print_since(&out, &scan->state.tracer->state);
	for (size_t i = 0; i < TRACE_LIBRARIES; i++)
		if (scan->state.libraries[i].id)
			print_library(&out, &scan->state.libraries[i]);
	for (size_t i = 0; i < scan->n_holders; i++)
		if (scan->holders[i].problem)
			print_holder(&out, &scan->holders[i]);
	if (out.failed)
		return -ENOMEM;
	if (strcmp(buf_text(&out), buf_text(text)) == 0)
		return 0;
	r = write_file(REPORT_FILE, out.data, out.length);
	if (r == 0) {
		buf_reset(text);
		buf_puts(text, out.data);
	}
	return r;
}

int report_watcher_set(void)
{
	struct process_stat self;
	char text[64];
	int r = process_stat_read(getpid(), &self);

	if (r < 0)
		return r;
	snprintf(text, sizeof(text), "%d %llu\n", getpid(), (unsigned long long)self.start);
	return write_file(REPORT_WATCHER, text, strlen(text));
}

void report_watcher_clear(void)
{
	unlink(REPORT_WATCHER);
}

pid_t report_watcher(void)
{
	unsigned long long start;
	char text[64];
	pid_t pid;

	if (file_read(AT_FDCWD, REPORT_WATCHER, text, sizeof(text)) < 0 ||
	    sscanf(text, "%d %llu", &pid, &start) != 2 || !process_is_alive(pid, start))
		return 0;
	return pid;
}
