/* tt_smi-serve [OPTION]...: metrics and JSON over HTTP, which tt_smi serve executes. */
#include "basic/exit_code.h"
#include "basic/signals.h"
#include "basic/systemd.h"
#include "cli/error_line.h"
#include "cli/output.h"
#include "cli/session.h"
#include "render/metrics.h"
#include "render/render.h"
#include "serve/collector.h"
#include "serve/http.h"
#include "serve/secrets.h"
#include "serve/serve_options.h"
#include "serve/tls.h"
#include "version.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
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
		return error_line(EXIT_FAILED, "systemd passed %d sockets; only one is supported",
				  count);
	r = listen_address_adopt(SYSTEMD_FIRST_SOCKET);
	if (r < 0)
		return error_line(EXIT_FAILED, "cannot use the socket that systemd passed: %s",
				  r == -EPROTOTYPE ? "it does not listen for TCP connections"
						   : strerror(-r));
	*ret = SYSTEMD_FIRST_SOCKET;
	return 0;
}

static void announce(int fd, const struct serve_options *options)
{
	char text[LISTEN_ADDRESS_TEXT];
	struct listen_address bound = { .length = sizeof(bound.address) };
	const struct sockaddr *address = (const struct sockaddr *)&bound.address;

	if (getsockname(fd, (struct sockaddr *)&bound.address, &bound.length) < 0)
		return;
	listen_address_text(address, text, sizeof(text));
	error_line(0, "serving %s://%s/metrics", options->tls_cert ? "https" : "http", text);
	if (options->auth_file && !options->tls_cert && !address_is_loopback(address))
		error_line(0, "passwords are sent unencrypted; use --tls-cert and --tls-key");
}

/* The signal that ends the program; SIGHUP reloads files, if the options name any. */
static bool is_ended(int signals, const struct serve_options *options, struct auth *auth)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo != SIGHUP)
			return true;
		secrets_reload(options, auth);
	}
	return false;
}

/* Serves until a signal ends the program. */
static int run(struct http_server *server, const struct collector *collector, int signals,
	       const struct serve_options *options, struct auth *auth)
{
	int fds[HTTP_SERVER_FDS];

	http_server_fds(server, fds);
	for (;;) {
		struct pollfd polled[] = {
			{ .fd = signals, .events = POLLIN },
			{ .fd = collector_fd(collector), .events = POLLIN },
			{ .fd = fds[0], .events = POLLIN },
			{ .fd = fds[1], .events = POLLIN },
		};
		int wait_ms = http_server_run(server);

		if (poll(polled, ARRAY_SIZE(polled), wait_ms) < 0 && errno != EINTR)
			return error_line(EXIT_INTERNAL, "poll: %s", strerror(errno));
		if (polled[0].revents && is_ended(signals, options, auth))
			return EXIT_FINE;
	}
}

/* What main() has opened. */
struct opened {
	int signals, socket;
	struct auth *auth; /* NULL: no passwords */
};

/* The collector starts first: clients that connect at once are answered "no sample yet". */
static int serve(const struct serve_options *options, struct session *session,
		 const struct opened *opened)
{
	struct collector *collector = NULL;
	struct http_server *server = NULL;
	int code, r;

	r = collector_new(session, options, &collector);
	if (r < 0)
		close(opened->socket);
	else
		r = http_server_new(opened->socket, collector, options, opened->auth, &server);
	if (r == 0)
		systemd_notify("READY=1");
	code = r < 0 ? error_line(EXIT_INTERNAL, "cannot start: %s", strerror(-r))
		     : run(server, collector, opened->signals, options, opened->auth);
	systemd_notify("STOPPING=1");
	http_server_free(server);
	tls_unload();
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

/*
 * Keeps the memory of one answer for the next one. Otherwise most of it goes back to the kernel,
 * which has to clear it again: a sixth of the time of a scrape.
 */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 512 << 10);
	mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

int main(int argc, char **argv)
{
	/* static: a thread that is stuck may still use them */
	static struct session session = { .root.fd = -1 };
	static struct serve_options options;
	static char name[HOST_NAME_MAX + 1];
	struct opened opened = { .signals = -1, .socket = -1 };
	int code;

	code = serve_options_parse(&options, argc, argv);
	if (code)
		return code;
	if (options.help || options.version || options.list_metrics)
		return print(&options);
	keep_memory();
	if (gethostname(name, sizeof(name) - 1) == 0 && options.hosts.count < MAX_HOST_NAMES)
		options.hosts.list[options.hosts.count++] = name;
	opened.signals = signals_open(true);
	if (opened.signals < 0)
		return error_line(EXIT_INTERNAL, "signalfd: %s", strerror(-opened.signals));
	code = open_session(&session, options.root);
	if (code == 0)
		code = take_socket(&options, &opened.socket);
	if (code == 0)
		code = secrets_load(&options, &opened.auth);
	if (code)
		return code;
	announce(opened.socket, &options);
	return serve(&options, &session, &opened);
}
