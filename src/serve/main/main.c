/* tt_smi-serve [OPTION]...: metrics and JSON over HTTP, which tt_smi serve executes. */
#include "basic/exit_code.h"
#include "basic/systemd.h"
#include "cli/error_line.h"
#include "cli/output.h"
#include "cli/session.h"
#include "render/metrics.h"
#include "render/render.h"
#include "serve/collector.h"
#include "serve/http.h"
#include "serve/serve_options.h"
#include "version.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

static int print(const struct serve_options *options)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (options->help)
		serve_options_help(&text);
	else if (options->version)
		buf_printf(&text, "tt_smi-serve %s\n", TT_SMI_VERSION);
	else
		metrics_list(&text);
	return output_print(&text);
}

/* Blocks the signals that end the program, in all threads. -errno. */
static int open_signals(void)
{
	sigset_t signals;
	int fd;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* Listens where the options say. */
static int open_socket(const struct serve_options *options, int *ret)
{
	char text[LISTEN_ADDRESS_TEXT];
	int fd = listen_address_open(&options->listen);

	listen_address_text((const struct sockaddr *)&options->listen.address, text, sizeof(text));
	if (fd < 0)
		return error_line(EXIT_FAILED, "cannot listen on %s: %s", text, strerror(-fd));
	*ret = fd;
	return 0;
}

/* The socket that systemd has opened, else one of our own. */
static int take_socket(const struct serve_options *options, int *ret)
{
	int count = systemd_sockets(), r;

	if (count == 0)
		return open_socket(options, ret);
	if (count > 1)
		return error_line(EXIT_FAILED, "systemd gave %d sockets; one is served", count);
	r = listen_address_adopt(SYSTEMD_FIRST_SOCKET);
	if (r < 0)
		return error_line(EXIT_FAILED, "the socket given by systemd cannot be used: %s",
				  r == -EPROTOTYPE ? "it does not listen for TCP connections"
						   : strerror(-r));
	*ret = SYSTEMD_FIRST_SOCKET;
	return 0;
}

static void announce(int fd)
{
	char text[LISTEN_ADDRESS_TEXT];
	struct listen_address bound = { .length = sizeof(bound.address) };

	if (getsockname(fd, (struct sockaddr *)&bound.address, &bound.length) < 0)
		return;
	listen_address_text((const struct sockaddr *)&bound.address, text, sizeof(text));
	error_line(0, "serving http://%s/metrics", text);
}

/* Serves until a signal ends the program. */
static int run(struct http_server *server, const struct collector *collector, int signals)
{
	struct pollfd polled[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = http_server_fd(server), .events = POLLIN },
		{ .fd = collector_fd(collector), .events = POLLIN },
	};

	for (;;) {
		int wait_ms = http_server_run(server);

		if (poll(polled, ARRAY_SIZE(polled), wait_ms) < 0 && errno != EINTR)
			return error_line(EXIT_INTERNAL, "poll: %s", strerror(errno));
		if (polled[0].revents)
			return EXIT_FINE;
	}
}

/* The collector starts first: clients that connect at once are answered "no sample yet". */
static int serve(const struct serve_options *options, struct session *session, int signals,
		 int socket)
{
	struct collector *collector = NULL;
	struct http_server *server = NULL;
	int code, r;

	r = collector_new(session, &collector);
	if (r < 0)
		close(socket);
	else
		r = http_server_new(socket, collector, options, &server);
	if (r == 0)
		systemd_notify("READY=1");
	code = r < 0 ? error_line(EXIT_INTERNAL, "cannot start: %s", strerror(-r))
		     : run(server, collector, signals);
	systemd_notify("STOPPING=1");
	http_server_free(server);
	if (collector_free(collector))
		session_close(session);
	return code;
}

/* A machine without devices is served too: it may get some. */
static int open_session(struct session *session, const char *root)
{
	static const struct selection everything;
	struct want want = { .deviceless = true, .low_rate = true };
	int code;

	metrics_wants(&want);
	json_wants(&want);
	code = session_open(session, root, &everything, &want);
	return code ? error_line(code, "%s", buf_text(&session->problem)) : 0;
}

int main(int argc, char **argv)
{
	/* static: a thread that is stuck may still use it */
	static struct session session = { .root.fd = -1 };
	static char name[HOST_NAME_MAX + 1];
	struct serve_options options;
	int code, signals, socket = -1;

	code = serve_options_parse(&options, argc, argv);
	if (code)
		return code;
	if (options.help || options.version || options.list_metrics)
		return print(&options);
	if (gethostname(name, sizeof(name) - 1) == 0 && options.hosts.count < MAX_HOST_NAMES)
		options.hosts.list[options.hosts.count++] = name;
	signals = open_signals();
	if (signals < 0)
		return error_line(EXIT_INTERNAL, "signalfd: %s", strerror(-signals));
	code = open_session(&session, options.root);
	if (code == 0)
		code = take_socket(&options, &socket);
	if (code)
		return code;
	announce(socket);
	return serve(&options, &session, signals, socket);
}
