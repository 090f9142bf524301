/*
 * Tests the connection from the server's side: which packets arrive and how often, and that no
 * behaviour of a server can block or end the program. The test controls the clock.
 */
#include "reader.h"

#include "basic/clock.h"
#include "proto/wire.h"
#include "ttalloc.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The linker redirects calls of the library to these. */
static int64_t now_ns = 1000 * NS_PER_S;

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	(void)clock;
	*ret = clock_timespec(now_ns);
	return 0;
}

static char path[] = "/tmp/ttalloc-server-XXXXXX/s";

static int server_listen(int backlog)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(address.sun_path, path, sizeof(path));
	unlink(path);
	CHECK_EQUAL(bind(sock, (struct sockaddr *)&address, sizeof(address)), 0);
	CHECK_EQUAL(listen(sock, backlog), 0);
	return sock;
}

static int client_accept(int server)
{
	return accept4(server, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* Receives HELLO and returns the descriptor that came with it. */
static int hello_receive(int client)
{
	struct wire_message message;
	uint8_t data[WIRE_MAX + 1];
	struct iovec part = { .iov_base = data, .iov_len = sizeof(data) };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct msghdr packet = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t length = recvmsg(client, &packet, MSG_CMSG_CLOEXEC);
	int fd;

	CHECK(length > 0);
	CHECK_EQUAL(packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC), 0);
	CHECK_EQUAL(packet.msg_controllen, CMSG_SPACE(sizeof(int)));
	CHECK_EQUAL(wire_decode(data, (size_t)length, 1, &message), 0);
	CHECK_EQUAL(message.type, WIRE_HELLO);
	CHECK_EQUAL(message.hello.table_version, TABLE_VERSION);
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}

static uint64_t dram_in(int fd)
{
	struct table_pool_total total;
	struct reader reader;

	CHECK_EQUAL(reader_map(&reader, fd), 0);
	CHECK_EQUAL(reader.view.pid, getpid());
	CHECK_EQUAL(table_read_pool(&reader.view, 0, POOL_DRAM, &total), 0);
	reader_done(&reader);
	return total.now_bytes;
}

/* Long enough for the library to look for the server again. */
static void second_pass(void)
{
	now_ns += NS_PER_S + 50 * NS_PER_MS;
	ttalloc_poll();
}

static void message_send(int client, const struct wire_message *message)
{
	uint8_t data[WIRE_MAX];
	size_t length = wire_encode(message, data);

	CHECK_EQUAL(send(client, data, length, MSG_NOSIGNAL), length);
}

/* Fault of the original server: the server had to be first, and a restart lost everything. */
static void table_is_handed_over_again_after_a_restart_body(void)
{
	int server, client, fd;

	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 100), 0); /* no server listens */
	CHECK_EQUAL(ttalloc_get_state(), TTALLOC_LOCAL);
	for (int i = 0; i < 2; i++) {
		server = server_listen(8);
		second_pass();
		CHECK_EQUAL(ttalloc_get_state(), TTALLOC_CONNECTED);
		client = client_accept(server);
		CHECK(client >= 0);
		fd = hello_receive(client);
		message_send(client, &(struct wire_message){ .type = WIRE_WELCOME });
		CHECK_EQUAL(dram_in(fd), 100 + i);
		/* The server sees changes without another message. */
		CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 2 + (uint64_t)i, 1), 0);
		CHECK_EQUAL(dram_in(fd), 101 + i);
		second_pass();
		CHECK_EQUAL(ttalloc_get_state(), TTALLOC_CONNECTED);
		close(fd);
		close(client);
		close(server);
	}
	/* Fault of the original server: the end of a server killed the program with SIGPIPE. */
	second_pass();
	CHECK_EQUAL(ttalloc_get_state(), TTALLOC_LOCAL);
	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 9, 1), 0);
}

/* A program that closed its standard input must not read our connection there. */
static void connection_is_nobodys_standard_input_body(void)
{
	int server;

	ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 1);
	server = server_listen(8);
	close(STDIN_FILENO);
	second_pass();
	CHECK_EQUAL(ttalloc_get_state(), TTALLOC_CONNECTED);
	CHECK_EQUAL(fcntl(STDIN_FILENO, F_GETFD), -1);
	close(server);
}

static void missing_server_is_looked_for_once_a_second_body(void)
{
	int server, client;

	ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 1);
	server = server_listen(8);
	for (int ms = 0; ms < 999; ms++) {
		now_ns += NS_PER_MS;
		ttalloc_report_alloc(0, TTALLOC_DRAM, 2, 1);
		ttalloc_report_free(0, TTALLOC_DRAM, 2);
		ttalloc_poll();
	}
	CHECK_EQUAL(client_accept(server), -1); /* an attempt before the second is over */
	second_pass();
	client = client_accept(server);
	CHECK(client >= 0);
	CHECK_EQUAL(client_accept(server), -1); /* only one */
}

static void refused_table_is_not_offered_again_at_once_body(void)
{
	struct wire_message refusal = { .type = WIRE_ERROR,
					.error = { .code = EUSERS, .text = "too many" } };
	int server = server_listen(8), client;

	ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 1);
	client = client_accept(server);
	CHECK(client >= 0);
	message_send(client, &refusal);
	close(client);
	for (int i = 0; i < 3; i++) {
		second_pass();
		CHECK_EQUAL(ttalloc_get_state(), TTALLOC_LOCAL);
		CHECK_EQUAL(client_accept(server), -1);
	}
}

static void nonsense_from_a_server_ends_the_connection_body(void)
{
	int server = server_listen(8), client;

	ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 1);
	client = client_accept(server);
	CHECK_EQUAL(send(client, "nonsense", 8, MSG_NOSIGNAL), 8);
	second_pass();
	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 2, 1), 0);
	CHECK(client_accept(server) >= 0); /* the library connects again */
}

/* Fault of the original server: a server that does not answer, with a full queue. */
static void busy_server_holds_nobody_up_body(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int server = server_listen(0);

	memcpy(address.sun_path, path, sizeof(path));
	for (int i = 0; i < 8; i++) {
		int other = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);

		if (connect(other, (struct sockaddr *)&address, sizeof(address)) < 0)
			CHECK_EQUAL(errno, EAGAIN);
	}
	for (uint64_t i = 0; i < 1000; i++)
		CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, i, 1), 0);
	CHECK_EQUAL(ttalloc_get_state(), TTALLOC_LOCAL);
	close(server);
}

/* The server must notice the end of the parent although the child still runs. */
static void child_does_not_keep_the_connection_open_body(void)
{
	int server = server_listen(8), client, hold[2];
	struct pollfd gone;
	pid_t parent, child;
	char byte;

	CHECK_EQUAL(pipe(hold), 0);
	parent = fork();
	if (parent == 0) {
		ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 1);
		child = fork();
		if (child == 0) {
			close(hold[1]);
			_exit((int)read(hold[0], &byte, 1)); /* runs until the test is over */
		}
		_exit(0);
	}
	CHECK_EQUAL(waitpid(parent, NULL, 0), parent);
	client = client_accept(server);
	CHECK(client >= 0);
	gone = (struct pollfd){ .fd = client, .events = POLLRDHUP };
	CHECK_EQUAL(poll(&gone, 1, 60000), 1);
	CHECK(gone.revents & (POLLHUP | POLLRDHUP));
	close(hold[1]);
}

enum { FIRST_OWN = 64, NUMBERS = 128 }; /* where the library keeps its descriptors */

/* What the program opened in place of the library's descriptors. */
struct replaced {
	struct stat what[NUMBERS];
	bool is[NUMBERS];
	int beside; /* the other end of the sockets */
};

static bool is_socket(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

/*
 * A program that closes all unknown descriptors and reuses their numbers for its own, of the same
 * kind, so that only the inode distinguishes them.
 */
static unsigned descriptors_replace(struct replaced *ret)
{
	unsigned count = 0;
	int pair[2], file = memfd_create("file", 0);

	CHECK_EQUAL(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	CHECK(file >= 0);
	*ret = (struct replaced){ .beside = pair[1] };
	for (int fd = FIRST_OWN; fd < NUMBERS; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			continue;
		CHECK_EQUAL(dup2(is_socket(fd) ? pair[0] : file, fd), fd);
		CHECK_EQUAL(fstat(fd, &ret->what[fd]), 0);
		ret->is[fd] = true;
		count++;
	}
	return count;
}

static void descriptors_compare(const struct replaced *replaced)
{
	for (int fd = FIRST_OWN; fd < NUMBERS; fd++) {
		struct stat st;

		if (!replaced->is[fd])
			continue;
		CHECK_EQUAL(fstat(fd, &st), 0);
		CHECK_EQUAL(st.st_ino, replaced->what[fd].st_ino);
	}
}

static void numbers_that_the_program_reused_are_left_alone_body(void)
{
	int server = server_listen(8), client;
	struct replaced replaced;
	char byte = 0;

	close_range(FIRST_OWN, NUMBERS, 0); /* what this test was given */
	ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 100);
	client = client_accept(server);
	CHECK(client >= 0);
	CHECK_EQUAL(descriptors_replace(&replaced), 2); /* connection and table */
	CHECK_EQUAL(send(replaced.beside, "x", 1, MSG_NOSIGNAL), 1);
	second_pass();
	descriptors_compare(&replaced); /* the program's descriptors are open */
	/* They are neither read from nor sent to the server. */
	CHECK_EQUAL(client_accept(server), -1);
	for (int fd = FIRST_OWN; fd < NUMBERS; fd++)
		if (replaced.is[fd] && is_socket(fd))
			CHECK_EQUAL(recv(fd, &byte, 1, MSG_DONTWAIT), 1);
	CHECK_EQUAL(byte, 'x');
	CHECK_EQUAL(ttalloc_get_state(), TTALLOC_LOCAL);
	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 2, 1), 0);
	close(client);
	close(server);
}

static void child_leaves_reused_numbers_alone_body(void)
{
	int server = server_listen(8), status;
	struct replaced replaced;
	pid_t child;

	close_range(FIRST_OWN, NUMBERS, 0);
	ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 100);
	CHECK(client_accept(server) >= 0);
	CHECK_EQUAL(descriptors_replace(&replaced), 2);
	child = fork();
	if (child == 0) {
		descriptors_compare(&replaced);
		ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 1);
		descriptors_compare(&replaced);
		_exit(0);
	}
	CHECK_EQUAL(waitpid(child, &status, 0), child);
	CHECK_EQUAL(status, 0);
	descriptors_compare(&replaced);
	close(server);
}

ISOLATED(table_is_handed_over_again_after_a_restart)
ISOLATED(numbers_that_the_program_reused_are_left_alone)
ISOLATED(child_leaves_reused_numbers_alone)
ISOLATED(connection_is_nobodys_standard_input)
ISOLATED(missing_server_is_looked_for_once_a_second)
ISOLATED(refused_table_is_not_offered_again_at_once)
ISOLATED(nonsense_from_a_server_ends_the_connection)
ISOLATED(busy_server_holds_nobody_up)
ISOLATED(child_does_not_keep_the_connection_open)

static int path_setup(void **state)
{
	char *slash = strrchr(path, '/');

	(void)state;
	*slash = '\0';
	if (!mkdtemp(path))
		return -1;
	*slash = '/';
	setenv("TT_ALLOCD_SOCKET", path, 1);
	setenv("TT_SMI_ROOT", "/nonexistent", 1);
	return 0;
}

static int path_teardown(void **state)
{
	(void)state;
	unlink(path);
	*strrchr(path, '/') = '\0';
	return rmdir(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_handed_over_again_after_a_restart),
		cmocka_unit_test(connection_is_nobodys_standard_input),
		cmocka_unit_test(missing_server_is_looked_for_once_a_second),
		cmocka_unit_test(refused_table_is_not_offered_again_at_once),
		cmocka_unit_test(nonsense_from_a_server_ends_the_connection),
		cmocka_unit_test(busy_server_holds_nobody_up),
		cmocka_unit_test(child_does_not_keep_the_connection_open),
		cmocka_unit_test(numbers_that_the_program_reused_are_left_alone),
		cmocka_unit_test(child_leaves_reused_numbers_alone),
	};

	return cmocka_run_group_tests(tests, path_setup, path_teardown);
}
