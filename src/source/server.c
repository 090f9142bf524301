#include "source/server.h"

#include "basic/buf.h"
#include "basic/clock.h"
#include "basic/text.h"
#include "proto/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/* Longer answers are not believed. */
#define ANSWER_MAX (UINT64_C(1) << 30)

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	CLEANUP_CLOSE int fd = -1;

	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* A full backlog is a server that does not answer: not waited for. */
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return TAKE_FD(fd);
}

int server_connect_at(char path[static SERVER_PATH_SIZE])
{
	const char *named = getenv("TT_ALLOCD_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
	int fd;

	_Static_assert(SERVER_PATH_SIZE == sizeof(((struct sockaddr_un *)NULL)->sun_path),
		       "what fits here fits there");
	if (named && named[0]) {
		if (snprintf(path, SERVER_PATH_SIZE, "%s", named) >= SERVER_PATH_SIZE)
			return -ENAMETOOLONG;
		return connect_to(path);
	}
	strcpy(path, WIRE_SOCKET_SYSTEM);
	fd = connect_to(path);
	if (fd >= 0 || !runtime || !runtime[0] ||
	    strlen(runtime) + sizeof("/" WIRE_SOCKET_NAME) > SERVER_PATH_SIZE)
		return fd;
	sprintf(path, "%s/%s", runtime, WIRE_SOCKET_NAME);
	return connect_to(path);
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

/* The first descriptor that came along; any others are closed. */
static int take_descriptor(struct msghdr *message, unsigned *ret_count)
{
	int first = -1;

	*ret_count = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if ((*ret_count)++ == 0)
				first = fd;
			else
				close(fd);
		}
	}
	return first;
}

/* A message other than WIRE_DATA, with its descriptor or -1. */
static int receive(int fd, struct wire_message *ret, int *ret_descriptor)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
	uint8_t data[WIRE_MAX + 1];
	struct iovec part = { .iov_base = data, .iov_len = sizeof(data) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	CLEANUP_CLOSE int descriptor = -1;
	unsigned count;
	ssize_t n;
	int r;

	n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	if (n < 0)
		return -errno;
	if (n == 0)
		return -ECONNRESET;
	descriptor = take_descriptor(&message, &count);
	if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return -EBADMSG;
	r = wire_decode(data, (size_t)n, count, ret);
	if (r >= 0)
		*ret_descriptor = TAKE_FD(descriptor);
	return r;
}

static int send_question(int fd, const struct wire_message *question)
{
	uint8_t data[WIRE_MAX];
	size_t length = wire_encode(question, data);

	return send(fd, data, length, MSG_NOSIGNAL) == (ssize_t)length ? 0 : -errno;
}

static void pause_ms(uint32_t ms)
{
	struct timespec left = clock_timespec((int64_t)ms * NS_PER_MS);

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		continue;
}

/* The server's words, without what could upset a terminal. */
static void take_reason(const struct wire_error *error, char *why)
{
	CLEANUP_BUF struct buf clean = { 0 };

	text_clean(&clean, error->text, strnlen(error->text, sizeof(error->text)), true);
	snprintf(why, SERVER_WHY_SIZE, "%s", buf_text(&clean));
}

/*
 * Sends a question and receives the first message of the answer. A server that says when to
 * come back is asked again then, if there is time.
 */
static int exchange(int fd, const struct wire_message *question, int64_t until,
		    struct wire_message *ret, int *ret_descriptor, char *why)
{
	int r;

	for (;;) {
		r = send_question(fd, question);
		if (r >= 0)
			r = wait_for(fd, until);
		if (r >= 0)
			r = receive(fd, ret, ret_descriptor);
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

/* One packet of the answer, at most so many bytes. Returns how many, never 0. */
static int receive_data(int fd, char *to, size_t room)
{
	uint8_t header[WIRE_HEADER] = { 0 };
	struct iovec parts[] = {
		{ .iov_base = header, .iov_len = sizeof(header) },
		{ .iov_base = to, .iov_len = room },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = ARRAY_SIZE(parts) };
	ssize_t n = recvmsg(fd, &message, 0);

	if (n < 0)
		return -errno;
	if (n == 0)
		return -ECONNRESET;
	/* Descriptors that nobody asked for are closed by the kernel: there is no room for them. */
	if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return -EBADMSG;
	return wire_data_size(header, (size_t)n);
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
		r = receive_data(fd, (char *)bytes.data + at, bytes.length - at);
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

/* Nobody can change or cut it any more? */
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

static int ask(int fd, const struct wire_message *question, enum wire_type as_file,
	       int64_t timeout_ns, struct server_bytes *ret, char *why)
{
	int64_t until = clock_now(CLOCK_MONOTONIC) + timeout_ns;
	CLEANUP_CLOSE int file = -1;
	struct wire_message first;
	int r;

	why[0] = '\0';
	r = exchange(fd, question, until, &first, &file, why);
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
	const struct wire_message question = { .type = WIRE_SNAPSHOT,
					       .snapshot = { .flags = flags, .pid = pid } };
	struct server_answer answer = { 0 };
	int r;

	r = ask(fd, &question, WIRE_SNAPSHOT_REPLY, timeout_ns, &answer.bytes, why);
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
	const struct wire_message question = { .type = WIRE_DUMP, .dump.flags = flags };

	return ask(fd, &question, WIRE_DUMP_REPLY, timeout_ns, ret, why);
}
