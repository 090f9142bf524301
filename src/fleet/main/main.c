/* tt_smi-fleet [OPTION]... [MACHINE]...: many machines, which tt_smi fleet executes. */
#include "basic/clock.h"
#include "basic/exit_code.h"
#include "basic/locale.h"
#include "cli/error_line.h"
#include "cli/output.h"
#include "cli/pane.h"
#include "fleet/fleet_load.h"
#include "fleet/fleet_options.h"
#include "fleet/fleet_render.h"
#include "fleet/fleet_screen.h"
#include "fleet/who_load.h"
#include "fleet/who_render.h"
#include "version.h"

static int print_text(const struct fleet_options *options)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (options->help)
		fleet_options_help(&text);
	else
		buf_printf(&text, "tt_smi-fleet %s\n", TT_SMI_VERSION);
	return output_print(&text);
}

static int print_fleet(const struct fleet_options *options, const struct fleet_view *view)
{
	struct render_options look = look_decide(options->color, options->ascii, true);
	CLEANUP_BUF struct buf text = { 0 };

	if (options->json)
		fleet_render_json(&text, view, json_is_pretty(options->json, true));
	else if (options->csv)
		fleet_render_csv(&text, view->fleet);
	else
		fleet_render_table(&text, &look, view, options->all);
	return output_print(&text);
}

static int fail_empty(const struct fleet_options *options, const struct http_client *client)
{
	if (options->matchers.length || options->globs[0])
		return error_line(EXIT_NO_DEVICE, "%s: no machine matches",
				  http_client_url(client));
	return error_line(EXIT_NO_DEVICE,
			  "%s: no machines: the server has no series of tt_smi serve "
			  "(ttsmi_devices)",
			  http_client_url(client));
}

static double now(void)
{
	return (double)clock_now(CLOCK_REALTIME) / NS_PER_S;
}

static int print_who(const struct fleet_options *options, const struct http_client *client,
		     const struct who *who)
{
	struct render_options look = look_decide(options->color, options->ascii, true);
	CLEANUP_BUF struct buf text = { 0 };

	if (options->json)
		who_render_json(&text, who, http_client_url(client), now(),
				json_is_pretty(options->json, true));
	else if (options->csv)
		who_render_csv(&text, who);
	else
		who_render_table(&text, &look, who, options->all);
	return output_print(&text);
}

/* Jobs run, but no machine tells the server about owners: no table, which would look empty. */
static int show_who(const struct fleet_options *options, struct http_client *client,
		    const struct fleet_filter *filter)
{
	CLEANUP_BUF struct buf error = { 0 };
	struct who who = { 0 };
	int code = who_load(client, filter, &who, &error);

	if (code)
		return error_line(code, "%s", buf_text(&error));
	if (who.fleet.count == 0)
		code = fail_empty(options, client);
	else if (who.count == 0 && who.n_without)
		code = error_line(
			EXIT_UNAVAILABLE,
			"%s: owners are unknown: %zu machines have jobs, but the server has "
			"no series of owners (ttsmi_owner_devices); see tt_smi-serve(1), "
			"ACCESS",
			http_client_url(client), who.n_without);
	else
		code = print_who(options, client, &who);
	who_done(&who);
	return code;
}

static int show_fleet(const struct fleet_options *options, struct http_client *client,
		      const struct fleet_filter *filter)
{
	CLEANUP_BUF struct buf error = { 0 };
	struct fleet fleet = { 0 };
	int code = fleet_load(client, filter, &fleet, &error);

	if (code)
		return error_line(code, "%s", buf_text(&error));
	if (fleet.count == 0) {
		code = fail_empty(options, client);
	} else {
		const struct fleet_view view = {
			.fleet = &fleet,
			.host = http_client_host(client),
			.url = http_client_url(client),
			.time = now(),
		};

		code = print_fleet(options, &view);
	}
	fleet_done(&fleet);
	return code;
}

static int show_screen(const struct fleet_options *options, struct http_client **client,
		       const struct fleet_filter *filter)
{
	struct render_options look = look_decide(options->color, options->ascii, true);
	const struct fleet_screen screen = {
		.client = *client,
		.filter = filter,
		.period_ms = options->period_ms,
		.color = look.color,
		.utf8 = look.utf8,
	};
	bool stuck;
	int signal, code = fleet_screen_run(&screen, &signal, &stuck);

	if (stuck)
		*client = NULL; /* a thread still uses it */
	return signal ? die_by(signal) : code;
}

static int show(const struct fleet_options *options, struct http_client **client)
{
	const struct fleet_filter filter = { buf_text(&options->matchers), options->globs };

	if (options->watch)
		return show_screen(options, client, &filter);
	return options->who ? show_who(options, *client, &filter)
			    : show_fleet(options, *client, &filter);
}

int main(int argc, char **argv)
{
	CLEANUP_BUF struct buf error = { 0 };
	struct http_client *client = NULL;
	struct fleet_options options;
	int code = EXIT_FINE;

	locale_load();
	code = fleet_options_parse(&options, argc, argv);
	if (code)
		return code;
	if (options.help || options.version)
		return print_text(&options);
	code = http_client_new(&options.client, &client, &error);
	if (code)
		error_line(code, "%s", buf_text(&error));
	else
		code = show(&options, &client);
	http_client_free(client);
	fleet_options_done(&options);
	return code;
}
