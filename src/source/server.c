#include "source/server.h"

#include "basic/buf.h"
#include "basic/clock.h"
#include "basic/text.h"
#include "proto/wire_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Longer answers are refused. */
#define ANSWER_MAX (UINT64_C(1) << 30)

int server_connect_at(char path[static SERVER_PATH_SIZE])
{
	struct server_paths paths;
	int r = server_paths_find(&paths);

	path[0] = '\0';
	if (r < 0)
		return r;
	r = -ENOENT;
	for (unsigned i = 0; i < paths.count && r < 0; i++) {
		strcpy(path, paths.path[i]);
		r = wire_connect(path);
	}
	return r;
}

int server_connect(void)
{
	char path[SERVER_PATH_SIZE];

	return server_connect_at(path);
}

static int wait_for(int fd, int64_t until_ns)
{
	for (;;) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
		int64_t left = until_ns - clock_now(CLOCK_MONOTONIC);
		struct timespec timeout = clock_timespec(MAX(left, 0));
		int n = ppoll(&poll_fd, 1, &timeout, NULL);

		if (n > 0)
			return 0;
		if (n == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

static void pause_ms(uint32_t ms)
{
	struct timespec left = clock_timespec((int64_t)ms * NS_PER_MS);

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		continue;
}

/* Copies the server's text without control characters. */
static void take_reason(const struct wire_error *error, char *why)
{
	CLEANUP_BUF struct buf clean = { 0 };

	text_clean(&clean, error->text, strnlen(error->text, sizeof(error->text)), true);
	snprintf(why, SERVER_WHY_SIZE, "%s", buf_text(&clean));
}

/*
 * Sends a request and receives the first message of the answer. If the server gives a retry time,
 * the request is repeated if the deadline allows it.
 */
static int exchange(int fd, const struct wire_message *request, int64_t until,
		    struct wire_message *ret, int *ret_descriptor, char *why)
{
	int r;

	for (;;) {
		r = wire_send(fd, request, -1);
		if (r >= 0)
			r = wait_for(fd, until);
		if (r >= 0)
			r = wire_receive(fd, ret, ret_descriptor);
		if (r < 0 || ret->type != WIRE_ERROR)
			return r;
		take_reason(&ret->error, why);
		if (ret->error.code != EAGAIN || !ret->error.retry_ms ||
		    clock_now(CLOCK_MONOTONIC) + ret->error.retry_ms * NS_PER_MS >= until)
			return -(int)MIN(ret->error.code, 4095);
		pause_ms(ret->error.retry_ms);
		why[0] = '\0';
	}
}

static int receive_stream(int fd, uint64_t length, int64_t until, struct server_bytes *ret)
{
	struct server_bytes bytes = { .length = (size_t)length };
	size_t at = 0;
	int r = 0;

	if (length == 0 || length > ANSWER_MAX)
		return -EBADMSG;
	bytes.data = mmap(NULL, bytes.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	if (bytes.data == MAP_FAILED)
		return -errno;
	while (r >= 0 && at < bytes.length) {
		r = wire_receive_data(fd, (char *)bytes.data + at, bytes.length - at);
		if (r == -EAGAIN)
			r = wait_for(fd, until);
		else if (r > 0)
			at += (size_t)r;
	}
	if (r < 0) {
		server_bytes_done(&bytes);
		return r;
	}
	*ret = bytes;
	return 0;
}

/* Is the file sealed against writing and shrinking? */
static int check_sealed(int fd, uint64_t length)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	if (seals < 0 || (seals & (F_SEAL_SHRINK | F_SEAL_WRITE)) != (F_SEAL_SHRINK | F_SEAL_WRITE))
		return -EPERM;
	if (fstat(fd, &st) < 0)
		return -errno;
	return length == 0 || (uint64_t)st.st_size < length ? -EBADMSG : 0;
}

/* The answer of an older server. */
static int map_file(int file, uint64_t length, struct server_bytes *ret)
{
	struct server_bytes bytes = { .length = (size_t)length };
	int r = check_sealed(file, length);

	if (r < 0)
		return r;
	bytes.data = mmap(NULL, bytes.length, PROT_READ, MAP_SHARED, file, 0);
	if (bytes.data == MAP_FAILED)
		return -errno;
	*ret = bytes;
	return 0;
}

static int ask(int fd, const struct wire_message *request, enum wire_type as_file,
	       int64_t timeout_ns, struct server_bytes *ret, char *why)
{
	int64_t until = clock_now(CLOCK_MONOTONIC) + timeout_ns;
	CLEANUP_CLOSE int file = -1;
	struct wire_message first;
	int r;

	why[0] = '\0';
	r = exchange(fd, request, until, &first, &file, why);
	if (r < 0)
		return r;
	if (first.type == WIRE_ANSWER)
		return receive_stream(fd, first.reply.length, until, ret);
	return first.type == as_file && file >= 0 ? map_file(file, first.reply.length, ret)
						  : -EBADMSG;
}

void server_bytes_done(struct server_bytes *bytes)
{
	if (bytes->data)
		munmap(bytes->data, bytes->length);
	*bytes = (struct server_bytes){ 0 };
}

int server_ask(int fd, uint32_t flags, uint32_t pid, int64_t timeout_ns, struct server_answer *ret,
	       char why[static SERVER_WHY_SIZE])
{
	const struct wire_message request = { .type = WIRE_SNAPSHOT,
					      .snapshot = { .flags = flags, .pid = pid } };
	struct server_answer answer = { 0 };
	int r;

	r = ask(fd, &request, WIRE_SNAPSHOT_REPLY, timeout_ns, &answer.bytes, why);
	if (r >= 0)
		r = image_view_init(&answer.view, answer.bytes.data, answer.bytes.length);
	if (r < 0) {
		server_answer_done(&answer);
		return r;
	}
	*ret = answer;
	return 0;
}

void server_answer_done(struct server_answer *answer)
{
	server_bytes_done(&answer->bytes);
	*answer = (struct server_answer){ 0 };
}

int server_dump(int fd, uint32_t flags, int64_t timeout_ns, struct server_bytes *ret,
		char why[static SERVER_WHY_SIZE])
{
	const struct wire_message request = { .type = WIRE_DUMP, .dump.flags = flags };

	return ask(fd, &request, WIRE_DUMP_REPLY, timeout_ns, ret, why);
}
