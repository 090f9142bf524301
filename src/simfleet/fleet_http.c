#include "simfleet/fleet_http.h"

#include "render/json_writer.h"
#include "render/metrics.h"
#include "serve/address.h"
#include "serve/negotiation.h"
#include "serve/response.h"
#include "simfleet/fleet_machine.h"
#include "simfleet/variant.h"
#include "version.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CONNECTIONS = 4096, IDLE_S = 180, TICK_MS = 1000 };

struct fleet_http {
	struct MHD_Daemon *daemon;
	struct collector *collector;
	unsigned machines;
	unsigned expected; /* the highest number of devices that the simulated machine has had */
	char address[LISTEN_ADDRESS_TEXT];
};

static unsigned count_served(const struct snapshot *snapshot)
{
	unsigned count = 0;

	for (size_t i = 0; i < snapshot->n_devices; i++)
		count += device_is_served(&snapshot->devices[i]);
	return count;
}

static int render_variant(const struct variant *variant, unsigned expected,
			  enum metrics_format format, struct buf *out)
{
	struct owner_list owners;
	const struct metrics_view view = {
		.version = TT_SMI_VERSION,
		.snapshot = variant->snapshot,
		.totals = variant->totals,
		.expected = expected,
		.left_out = GROUPS_ON_REQUEST,
		.owners = &owners,
	};
	int r = owner_list_make(variant->snapshot, METRICS_OWNERS, &owners);

	if (r < 0)
		return r;
	metrics_render(out, &view, format);
	owner_list_done(&owners);
	return 0;
}

/* Renders the metrics of a machine. -ENODATA: there is no sample yet; -ENOMEM. */
static int render_machine(struct fleet_http *server, unsigned number, enum metrics_format format,
			  struct buf *out)
{
	struct served_sample *record = collector_latest(server->collector);
	struct variant variant;
	int r = -ENODATA;

	if (record && record->snapshot) {
		server->expected = MAX(server->expected, count_served(record->snapshot));
		r = variant_new(&variant, number, record->snapshot, record->totals);
	}
	if (r == 0) {
		r = render_variant(&variant, server->expected, format, out);
		variant_done(&variant);
	}
	served_sample_unref(record);
	return r;
}

static enum MHD_Result serve_metrics(struct fleet_http *server, struct MHD_Connection *connection,
				     unsigned number)
{
	enum metrics_format format =
		accept_format(request_header(connection, MHD_HTTP_HEADER_ACCEPT));
	CLEANUP_BUF struct buf body = { 0 };
	int r = render_machine(server, number, format, &body);

	if (r == -ENODATA)
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "no sample yet");
	return r < 0 ? MHD_NO : answer_body(connection, &body, metrics_content_type(format));
}

/* One group of Prometheus's HTTP service discovery for each machine. */
static void put_target(struct json *json, const struct fleet_http *server, unsigned number)
{
	char name[FLEET_NAME], rack[FLEET_NAME], path[48];

	fleet_machine_name(number, name);
	fleet_machine_rack(number, rack);
	snprintf(path, sizeof(path), "/machines/%s/metrics", name);
	json_open(json, NULL, '{');
	json_open(json, "targets", '[');
	json_text(json, NULL, server->address);
	json_close(json, ']');
	json_open(json, "labels", '{');
	json_text(json, "__metrics_path__", path);
	json_text(json, "instance", name);
	json_text(json, "rack", rack);
	json_close(json, '}');
	json_close(json, '}');
}

static void put_machine(struct json *json, const struct fleet_http *server, unsigned number)
{
	char name[FLEET_NAME], rack[FLEET_NAME];

	(void)server;
	fleet_machine_name(number, name);
	fleet_machine_rack(number, rack);
	json_open(json, NULL, '{');
	json_text(json, "name", name);
	json_text(json, "rack", rack);
	json_text(json, "fault", fleet_fault_names[fleet_machine_fault(number)]);
	json_close(json, '}');
}

static enum MHD_Result
serve_list(const struct fleet_http *server, struct MHD_Connection *connection,
	   void (*put)(struct json *json, const struct fleet_http *server, unsigned number))
{
	CLEANUP_BUF struct buf body = { 0 };
	struct json json = { .out = &body };

	json_open(&json, NULL, '[');
	for (unsigned number = 1; number <= server->machines; number++)
		put(&json, server, number);
	json_close(&json, ']');
	return answer_body(connection, &body, "application/json");
}

/* The machine of "/machines/NAME/metrics"; 0: it is no such path. */
static unsigned machine_of_path(const struct fleet_http *server, const char *path)
{
	static const char prefix[] = "/machines/";
	const char *name = path + sizeof(prefix) - 1, *slash;
	unsigned number;

	if (strncmp(path, prefix, sizeof(prefix) - 1) != 0)
		return 0;
	slash = strchr(name, '/');
	if (!slash || strcmp(slash, "/metrics") != 0)
		return 0;
	number = fleet_machine_find(name, (size_t)(slash - name));
	return number <= server->machines ? number : 0;
}

static enum MHD_Result route(struct fleet_http *server, struct MHD_Connection *connection,
			     const char *path)
{
	unsigned number = machine_of_path(server, path);

	if (number)
		return serve_metrics(server, connection, number);
	if (strcmp(path, "/targets") == 0)
		return serve_list(server, connection, put_target);
	if (strcmp(path, "/machines") == 0)
		return serve_list(server, connection, put_machine);
	return answer_text(connection, MHD_HTTP_NOT_FOUND,
			   "no such page; the pages are: /targets /machines "
			   "/machines/node0001/metrics and so on");
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **context)
{
	static const struct host_names none;

	(void)version;
	(void)data;
	(void)size;
	if (!*context) {
		*context = arg;
		return MHD_YES; /* called again when the whole request was read */
	}
	if (!host_is_accepted(request_header(connection, MHD_HTTP_HEADER_HOST), &none))
		return answer_text(connection, MHD_HTTP_MISDIRECTED_REQUEST,
				   "this server is known by its address only");
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				   "only GET and HEAD are served");
	return route(arg, connection, path);
}

static void note_address(struct fleet_http *server, int fd)
{
	struct listen_address bound = { .length = sizeof(bound.address) };

	if (getsockname(fd, (struct sockaddr *)&bound.address, &bound.length) == 0)
		listen_address_text((const struct sockaddr *)&bound.address, server->address,
				    sizeof(server->address));
}

int fleet_http_new(int listen_fd, unsigned machines, struct collector *collector,
		   struct fleet_http **ret)
{
	struct fleet_http *server = calloc(1, sizeof(*server));

	if (server) {
		server->collector = collector;
		server->machines = machines;
		note_address(server, listen_fd);
		server->daemon = MHD_start_daemon(
			MHD_USE_EPOLL, 0, NULL, NULL, handle, server, MHD_OPTION_LISTEN_SOCKET,
			listen_fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
			MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S, MHD_OPTION_END);
	}
	if (!server || !server->daemon) {
		close(listen_fd);
		free(server);
		return -ENOMEM;
	}
	*ret = server;
	return 0;
}

void fleet_http_free(struct fleet_http *server)
{
	if (!server)
		return;
	MHD_stop_daemon(server->daemon);
	free(server);
}

int fleet_http_fd(const struct fleet_http *server)
{
	return MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int fleet_http_run(struct fleet_http *server)
{
	MHD_UNSIGNED_LONG_LONG wait_ms;

	MHD_run(server->daemon);
	if (MHD_get_timeout(server->daemon, &wait_ms) != MHD_YES)
		return TICK_MS;
	return (int)MIN(wait_ms, TICK_MS);
}
