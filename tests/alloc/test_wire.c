/* Messages of the server's own socket. */
#include "reader.h"

#include "proto/server_path.h"
#include "proto/wire.h"
#include "proto/wire_socket.h"

#include <fcntl.h>
#include <sys/socket.h>

static const struct wire_message messages[] = {
	{ .type = WIRE_HELLO, .hello = { .table_version = 1 } },
	{ .type = WIRE_WELCOME, .welcome = { .slot_limit = 1 << 20 } },
	{ .type = WIRE_ERROR, .error = { .code = EUSERS, .retry_ms = 500, .text = "too many" } },
	{ .type = WIRE_SNAPSHOT, .snapshot = { .flags = WIRE_WANT_FINISHED, .pid = 17 } },
	{ .type = WIRE_SNAPSHOT_REPLY, .reply = { .length = 1 << 20 } },
	{ .type = WIRE_DUMP, .dump = { .flags = WIRE_DUMP_KERNELS } },
	{ .type = WIRE_DUMP_REPLY, .reply = { .length = 80 } },
	{ .type = WIRE_ANSWER, .reply = { .length = 1 << 30 } },
};

static void every_message_survives_the_way(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		struct wire_message got;
		uint8_t data[WIRE_MAX];
		size_t length = wire_encode(&messages[i], data);

		memset(&got, 0xff, sizeof(got));
		assert_int_equal(
			wire_decode(data, length, wire_descriptors(messages[i].type), &got), 0);
		assert_memory_equal(&got, &messages[i], sizeof(got));
	}
}

static void every_truncation_is_refused(void **state)
{
	struct wire_message got;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		uint8_t data[WIRE_MAX + 1] = { 0 };
		size_t length = wire_encode(&messages[i], data);
		unsigned fds = wire_descriptors(messages[i].type);

		for (size_t cut = 0; cut < length; cut++)
			assert_int_equal(wire_decode(data, cut, fds, &got), -EBADMSG);
		assert_int_equal(wire_decode(data, length + 1, fds, &got), -EBADMSG);
	}
}

static void descriptors_must_be_those_of_the_type(void **state)
{
	struct wire_message got;
	uint8_t data[WIRE_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		size_t length = wire_encode(&messages[i], data);
		unsigned fds = wire_descriptors(messages[i].type);

		assert_int_equal(wire_decode(data, length, !fds, &got), -EBADMSG);
		assert_int_equal(wire_decode(data, length, 2, &got), -EBADMSG);
	}
	assert_int_equal(wire_descriptors(WIRE_HELLO), 1);
	assert_int_equal(wire_descriptors(WIRE_SNAPSHOT), 0);
}

/* Flips every bit of every message: each is rejected or is another valid message. */
static void no_flipped_bit_goes_unnoticed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		uint8_t data[WIRE_MAX], again[WIRE_MAX];
		size_t length = wire_encode(&messages[i], data);

		for (size_t bit = 0; bit < 8 * length; bit++) {
			struct wire_message got;
			int r;

			data[bit / 8] ^= (uint8_t)(1u << bit % 8);
			r = wire_decode(data, length, wire_descriptors(messages[i].type), &got);
			if (bit < 8 * 4)
				assert_int_equal(r, -EBADMSG); /* magic */
			else if (bit < 8 * 6)
				assert_int_equal(r, -EPROTONOSUPPORT); /* version */
			else if (r == 0) /* text after its end is dropped: it is not compared */
				assert_int_equal(wire_encode(&got, again), length);
			data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

static void data_packets_have_their_size_and_nothing_else(void **state)
{
	static const size_t sizes[] = { 1, 100, WIRE_DATA_MAX };
	uint8_t header[WIRE_HEADER];
	struct wire_message got;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		wire_data_header(sizes[i], header);
		assert_int_equal(wire_data_size(header, WIRE_HEADER + sizes[i]), sizes[i]);
		assert_int_equal(wire_data_size(header, WIRE_HEADER + sizes[i] - 1), -EBADMSG);
		assert_int_equal(wire_data_size(header, WIRE_HEADER + sizes[i] + 1), -EBADMSG);
		assert_int_equal(wire_decode(header, sizeof(header), 0, &got), -EBADMSG);
		for (size_t bit = 0; bit < 8 * WIRE_HEADER; bit++) {
			header[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_int_equal(wire_data_size(header, WIRE_HEADER + sizes[i]), -EBADMSG);
			header[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
	wire_data_header(0, header);
	assert_int_equal(wire_data_size(header, WIRE_HEADER), -EBADMSG);
	wire_data_header(WIRE_DATA_MAX + 1, header);
	assert_int_equal(wire_data_size(header, WIRE_HEADER + WIRE_DATA_MAX + 1), -EBADMSG);
}

static void unknown_flags_and_values_are_refused(void **state)
{
	struct wire_message bad[] = {
		{ .type = WIRE_HELLO, .hello = { .table_version = 1, .flags = 1 } },
		{ .type = WIRE_WELCOME, .welcome = { .flags = 1 } },
		{ .type = WIRE_ERROR, .error = { .code = 0 } },
		{ .type = WIRE_ERROR, .error = { .code = 4096 } },
		{ .type = WIRE_SNAPSHOT, .snapshot = { .flags = 8 } },
		{ .type = WIRE_SNAPSHOT, .snapshot = { .pid = UINT32_MAX } },
		{ .type = WIRE_DUMP, .dump = { .flags = 4 } },
		{ .type = WIRE_DUMP, .dump = { .reserved = 1 } },
		{ .type = WIRE_DUMP_REPLY, .reply = { .length = UINT64_MAX } },
	};
	struct wire_message got;
	uint8_t data[WIRE_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		size_t length = wire_encode(&bad[i], data);

		assert_int_equal(wire_decode(data, length, wire_descriptors(bad[i].type), &got),
				 -EBADMSG);
	}
}

static void long_error_text_is_cut(void **state)
{
	struct wire_message message = { .type = WIRE_ERROR, .error = { .code = 1 } };
	struct wire_message got;
	uint8_t data[WIRE_MAX];

	(void)state;
	memset(message.error.text, 'x', WIRE_TEXT);
	assert_int_equal(wire_decode(data, wire_encode(&message, data), 0, &got), 0);
	assert_int_equal(strlen(got.error.text), WIRE_TEXT - 1);
}

/* ---- the socket ---- */

static void set_variables(const char *named, const char *runtime)
{
	unsetenv("TT_ALLOCD_SOCKET");
	unsetenv("XDG_RUNTIME_DIR");
	if (named)
		setenv("TT_ALLOCD_SOCKET", named, 1);
	if (runtime)
		setenv("XDG_RUNTIME_DIR", runtime, 1);
}

static void the_server_is_looked_for_in_order(void **state)
{
	struct server_paths paths;
	char longest[SERVER_PATH_SIZE + 1];

	(void)state;
	memset(longest, 'a', sizeof(longest) - 1);
	longest[0] = '/';
	longest[sizeof(longest) - 1] = '\0';

	set_variables(NULL, "/run/user/7");
	assert_int_equal(server_paths_find(&paths), 0);
	assert_int_equal(paths.count, 2);
	assert_string_equal(paths.path[0], "/run/tt-smi/allocd.sock");
	assert_string_equal(paths.path[1], "/run/user/7/tt-smi/allocd.sock");
	assert_false(server_path_is_set());

	/* A relative directory and an empty name are ignored. */
	set_variables("", "run/user/7");
	assert_int_equal(server_paths_find(&paths), 0);
	assert_int_equal(paths.count, 1);
	assert_string_equal(paths.path[0], "/run/tt-smi/allocd.sock");
	set_variables(NULL, longest);
	assert_int_equal(server_paths_find(&paths), 0);
	assert_int_equal(paths.count, 1);

	/* A server given by name is the only one. */
	set_variables("/tmp/sock", "/run/user/7");
	assert_int_equal(server_paths_find(&paths), 0);
	assert_int_equal(paths.count, 1);
	assert_string_equal(paths.path[0], "/tmp/sock");
	assert_true(server_path_is_set());
	set_variables(longest, NULL);
	assert_int_equal(server_paths_find(&paths), -ENAMETOOLONG);
	set_variables(NULL, NULL);
}

static void assert_listens_at(const char *path)
{
	char *found = server_path_to_listen();

	if (path)
		assert_string_equal(found, path);
	else
		assert_null(found);
	free(found);
}

/* The server listens where its clients look. */
static void the_server_listens_where_clients_look(void **state)
{
	bool root = geteuid() == 0;

	(void)state;
	unsetenv("RUNTIME_DIRECTORY");
	set_variables("/tmp/sock", "/run/user/7");
	assert_listens_at("/tmp/sock");
	set_variables("", "/run/user/7");
	assert_listens_at(root ? "/run/tt-smi/allocd.sock" : "/run/user/7/tt-smi/allocd.sock");
	set_variables(NULL, "run/user/7");
	assert_listens_at(root ? "/run/tt-smi/allocd.sock" : NULL);
	setenv("RUNTIME_DIRECTORY", "/run/tt-smi:/run/other", 1);
	assert_listens_at("/run/tt-smi/allocd.sock");
	set_variables("/tmp/sock", NULL);
	assert_listens_at("/tmp/sock");
	set_variables(NULL, NULL);
	unsetenv("RUNTIME_DIRECTORY");
}

static void make_pair(int ends[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
}

/* The number of the next descriptor: shows whether any was left open. */
static int next_descriptor(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return fd;
}

static void a_message_comes_with_its_descriptor(void **state)
{
	struct wire_message got;
	int ends[2], fd = -1;

	(void)state;
	make_pair(ends);
	assert_int_equal(wire_receive(ends[1], &got, &fd), -EAGAIN);
	assert_int_equal(wire_send(ends[0], &messages[0], ends[0]), 0);
	assert_int_equal(wire_receive(ends[1], &got, &fd), 0);
	assert_int_equal(got.type, WIRE_HELLO);
	assert_true(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
	close(fd);
	assert_int_equal(wire_send(ends[0], &messages[1], -1), 0);
	assert_int_equal(wire_receive(ends[1], &got, &fd), 0);
	assert_int_equal(got.type, WIRE_WELCOME);
	assert_int_equal(fd, -1);
	close(ends[0]);
	assert_int_equal(wire_receive(ends[1], &got, &fd), -ECONNRESET);
	close(ends[1]);
}

static void descriptors_of_a_refused_message_are_closed(void **state)
{
	struct wire_message got;
	int ends[2], fd = -1, next;

	(void)state;
	make_pair(ends);
	next = next_descriptor();
	/* A message with a descriptor that its type does not have, or without one that it needs. */
	assert_int_equal(wire_send(ends[0], &messages[1], ends[0]), 0);
	assert_int_equal(wire_receive(ends[1], &got, &fd), -EBADMSG);
	assert_int_equal(next_descriptor(), next);
	assert_int_equal(wire_send(ends[0], &messages[0], -1), 0);
	assert_int_equal(wire_receive(ends[1], &got, &fd), -EBADMSG);
	assert_int_equal(fd, -1);
	close(ends[0]);
	close(ends[1]);
}

static void data_comes_in_pieces(void **state)
{
	static const char text[] = "an answer";
	char got[sizeof(text)];
	int ends[2];

	(void)state;
	make_pair(ends);
	assert_int_equal(wire_receive_data(ends[1], got, sizeof(got)), -EAGAIN);
	assert_int_equal(wire_send_data(ends[0], text, sizeof(text)), sizeof(text));
	assert_int_equal(wire_receive_data(ends[1], got, sizeof(got)), sizeof(text));
	assert_string_equal(got, text);
	/* More than was announced. */
	assert_int_equal(wire_send_data(ends[0], text, sizeof(text)), sizeof(text));
	assert_int_equal(wire_receive_data(ends[1], got, 3), -EBADMSG);
	close(ends[0]);
	assert_int_equal(wire_receive_data(ends[1], got, sizeof(got)), -ECONNRESET);
	assert_int_equal(wire_send_data(ends[1], text, sizeof(text)), -ECONNRESET);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_survives_the_way),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(descriptors_must_be_those_of_the_type),
		cmocka_unit_test(no_flipped_bit_goes_unnoticed),
		cmocka_unit_test(data_packets_have_their_size_and_nothing_else),
		cmocka_unit_test(unknown_flags_and_values_are_refused),
		cmocka_unit_test(long_error_text_is_cut),
		cmocka_unit_test(the_server_is_looked_for_in_order),
		cmocka_unit_test(the_server_listens_where_clients_look),
		cmocka_unit_test(a_message_comes_with_its_descriptor),
		cmocka_unit_test(descriptors_of_a_refused_message_are_closed),
		cmocka_unit_test(data_comes_in_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
