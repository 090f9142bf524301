/*
 * tt_smi-sim-fleet MACHINES ADDR:PORT: serves the metrics of a simulated fleet. tt_smi sim --fleet
 * executes it on a simulated machine, whose directory is in the environment.
 */
#include "basic/exit_code.h"
#include "basic/option.h"
#include "basic/parse.h"
#include "basic/signals.h"
#include "cli/error_line.h"
#include "render/metrics.h"
#include "serve/address.h"
#include "serve/collector.h"
#include "simfleet/fleet_http.h"
#include "simfleet/fleet_machine.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Many scrapers may keep their connections. */
static void raise_file_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static int open_session(struct session *session)
{
	static const struct selection everything;
	struct want want = { .deviceless = true, .low_rate = true };
	int code;

	metrics_wants(&want);
	code = session_open(session, option_root_default(), &everything, &want);
	return code ? error_line(code, "%s", buf_text(&session->problem)) : 0;
}

static int open_socket(const char *text, int *ret)
{
	struct listen_address address;
	int fd;

	if (listen_address_parse(text, &address) < 0 ||
	    !address_is_loopback((const struct sockaddr *)&address.address))
		return error_line(EXIT_USAGE,
				  "--listen: \"%s\" is not ADDR:PORT with a loopback address",
				  text);
	fd = listen_address_open(&address);
	if (fd < 0)
		return error_line(EXIT_FAILED, "cannot listen on %s: %s", text, strerror(-fd));
	*ret = fd;
	return 0;
}

static void announce(int fd, unsigned machines)
{
	struct listen_address bound = { .length = sizeof(bound.address) };
	char text[LISTEN_ADDRESS_TEXT];

	if (getsockname(fd, (struct sockaddr *)&bound.address, &bound.length) < 0)
		return;
	listen_address_text((const struct sockaddr *)&bound.address, text, sizeof(text));
	error_line(0, "serving %u simulated machines: http://%s/targets", machines, text);
}

/* Serves until a signal ends the program. */
static int run(struct fleet_http *server, int signals)
{
	struct pollfd polled[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = fleet_http_fd(server), .events = POLLIN },
	};

	for (;;) {
		int wait_ms = fleet_http_run(server);

		if (poll(polled, ARRAY_SIZE(polled), wait_ms) < 0 && errno != EINTR)
			return error_line(EXIT_INTERNAL, "poll: %s", strerror(errno));
		if (polled[0].revents)
			return EXIT_FINE;
	}
}

static int serve(struct session *session, unsigned machines, int socket, int signals)
{
	static const struct serve_options options; /* what it collects is not served as it is */
	struct collector *collector = NULL;
	struct fleet_http *server = NULL;
	int code, r = collector_new(session, &options, &collector);

	if (r < 0)
		close(socket);
	else
		r = fleet_http_new(socket, machines, collector, &server);
	code = r < 0 ? error_line(EXIT_INTERNAL, "cannot start: %s", strerror(-r))
		     : run(server, signals);
	fleet_http_free(server);
	if (collector_free(collector))
		session_close(session);
	return code;
}

int main(int argc, char **argv)
{
	/* static: a thread that is stuck may still use it */
	static struct session session = { .root.fd = -1 };
	int code, signals, socket = -1;
	uint32_t machines;

	if (argc != 3 || parse_u32(argv[1], &machines) < 0 || machines < 1 || machines > MAX_FLEET)
		return error_line(EXIT_USAGE, "tt_smi sim --fleet executes this program");
	raise_file_limit();
	signals = signals_open(true);
	if (signals < 0)
		return error_line(EXIT_INTERNAL, "signalfd: %s", strerror(-signals));
	code = open_session(&session);
	if (code == 0)
		code = open_socket(argv[2], &socket);
	if (code)
		return code;
	announce(socket, machines);
	return serve(&session, machines, socket, signals);
}
