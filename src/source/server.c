#include "source/server.h"

#include "basic/clock.h"
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

/* Sends a question; yields the length of the answer's file and its descriptor. */
static int exchange(int fd, const struct wire_message *question, enum wire_type wanted,
		    int64_t timeout_ns, uint64_t *ret_length)
{
	int64_t until = clock_now(CLOCK_MONOTONIC) + timeout_ns;
	CLEANUP_CLOSE int descriptor = -1;
	struct wire_message answer;
	uint8_t data[WIRE_MAX];
	size_t length = wire_encode(question, data);
	int r;

	if (send(fd, data, length, MSG_NOSIGNAL) != (ssize_t)length)
		return -errno;
	r = wait_for(fd, until);
	if (r >= 0)
		r = receive(fd, &answer, &descriptor);
	if (r < 0)
		return r;
	if (answer.type == WIRE_ERROR)
		return -(int)MIN(answer.error.code, 4095);
	if (answer.type != wanted || descriptor < 0)
		return -EBADMSG;
	*ret_length = answer.reply.length;
	return TAKE_FD(descriptor);
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

int server_ask(int fd, uint32_t flags, uint32_t pid, int64_t timeout_ns, struct server_answer *ret)
{
	const struct wire_message question = { .type = WIRE_SNAPSHOT,
					       .snapshot = { .flags = flags, .pid = pid } };
	struct server_answer answer = { 0 };
	CLEANUP_CLOSE int file = -1;
	uint64_t length = 0;
	int r;

	file = exchange(fd, &question, WIRE_SNAPSHOT_REPLY, timeout_ns, &length);
	if (file < 0)
		return file;
	r = check_sealed(file, length);
	if (r < 0)
		return r;
	answer.length = (size_t)length;
	answer.data = mmap(NULL, answer.length, PROT_READ, MAP_SHARED, file, 0);
	if (answer.data == MAP_FAILED)
		return -errno;
	r = image_view_init(&answer.view, answer.data, answer.length);
	if (r < 0) {
		server_answer_done(&answer);
		return r;
	}
	*ret = answer;
	return 0;
}

void server_answer_done(struct server_answer *answer)
{
	if (answer->data)
		munmap(answer->data, answer->length);
	*answer = (struct server_answer){ 0 };
}

int server_dump(int fd, int64_t timeout_ns)
{
	const struct wire_message question = { .type = WIRE_DUMP };
	CLEANUP_CLOSE int file = -1;
	uint64_t length = 0;
	int r;

	file = exchange(fd, &question, WIRE_DUMP_REPLY, timeout_ns, &length);
	if (file < 0)
		return file;
	r = check_sealed(file, length);
	return r < 0 ? r : TAKE_FD(file);
}
