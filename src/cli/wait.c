#include "cli/wait.h"

#include "basic/clock.h"
#include "cli/common_options.h"
#include "cli/deadline.h"
#include "cli/device_search.h"
#include "cli/error_line.h"
#include "cli/output.h"

struct wait_options {
	struct device_request request;
	unsigned any; /* this number of them; 0: all */
	struct timeout timeout;
	bool quiet, help;
};

#define AT(member) offsetof(struct wait_options, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	OPTION_DEVICES(AT(request.selection)),
	{ "--any", ARGUMENT, "N", "wait until N of them are free (default all)", option_count, AT(any) },
	{ "--timeout", ARGUMENT, "SECONDS",
		"wait at most this long, then end with status 7; 0: check once",
		option_timeout, AT(timeout) },
	{ "-q --quiet", NO_ARGUMENT, NULL,
		"no message about devices that are not free yet", option_flag, AT(quiet) },
	OPTION_ROOT(AT(request.root)),
	OPTION_HELP(AT(help)),
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi wait" };

static int help(void)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text,
		 "Usage: tt_smi wait [OPTION]...\n"
		 "Waits until devices are free: no job has them open, and no tt_smi run has taken\n"
		 "them. Monitors such as tt-smi are not jobs. Devices that TT_VISIBLE_DEVICES\n"
		 "leaves out are ignored. To wait in order of arrival and keep the devices, use\n"
		 "tt_smi run --devices N --wait.\n\n");
	option_put_help(&text, &table);
	buf_puts(&text,
		 "\nExamples:\n"
		 "  tt_smi wait -i 0 && ./reset.sh\n"
		 "  tt_smi wait --any 2 --timeout 3600\n"
		 "\nExit status: 0 the devices are free; 7 timed out; 8 the machine has fewer\n"
		 "than N; others as tt_smi.\n");
	return output_print(&text);
}

static bool is_done(const struct device_search *search, unsigned wanted)
{
	return device_search_free(search) >= (wanted ? wanted : search->count);
}

static int explain(const struct device_search *search, int code, const char *what)
{
	CLEANUP_BUF struct buf text = { 0 };

	device_search_explain(search, &text);
	return error_line(code, "%s: %s", what, buf_text(&text));
}

static int wait_for(struct device_search *search, const struct wait_options *options)
{
	int64_t deadline_ns = timeout_deadline(&options->timeout);
	int code = device_search_first(search);
	bool told = options->quiet;

	if (code)
		return code;
	if (search->count == 0 || search->count < options->any)
		return device_search_too_few(search, MAX(options->any, 1));
	while (code || !is_done(search, options->any)) {
		if (!deadline_pause(deadline_ns, 200 * NS_PER_MS))
			return explain(search, EXIT_TIMEOUT, "not free in time");
		if (!told && !code)
			explain(search, 0, "waiting");
		told = true;
		code = device_search_look(search);
	}
	return 0;
}

int wait_main(int argc, char **argv)
{
	struct wait_options options = { .request = device_request_default() };
	struct device_search search;
	int code = options_read(&table, argc, argv, &options);

	if (!code && options.help) {
		code = help();
	} else if (!code) {
		code = device_search_open(&search, &options.request);
		if (!code)
			code = wait_for(&search, &options);
		device_search_close(&search);
	}
	device_request_done(&options.request);
	return code;
}
