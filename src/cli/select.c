#include "cli/select.h"

#include "basic/clock.h"
#include "cli/common_options.h"
#include "cli/deadline.h"
#include "cli/device_search.h"
#include "cli/error_line.h"
#include "cli/output.h"

struct select_options {
	struct device_request request;
	unsigned count;
	bool help;
};

#define AT(member) offsetof(struct select_options, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "-c --count", ARGUMENT, "N", "number of devices (default 1)", option_count, AT(count) },
	OPTIONS_DEVICE_REQUEST(AT(request)),
	OPTION_ROOT(AT(request.root)),
	OPTION_HELP(AT(help)),
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi select" };

static int help(void)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text,
		 "Usage: tt_smi select [OPTION]...\n"
		 "Prints free devices as a value for TT_VISIBLE_DEVICES: complete PCI addresses,\n"
		 "which mean the same to every release of TT-Metal. Devices that an inherited\n"
		 "TT_VISIBLE_DEVICES leaves out are ignored. Nothing is reserved; to take devices\n"
		 "for a command, use tt_smi run --devices N.\n\n");
	option_put_help(&text, &table);
	buf_puts(&text, "\nExamples:\n"
			"  export TT_VISIBLE_DEVICES=$(tt_smi select --count 2) || exit\n"
			"  tt_smi select --board p150a --memory 24G\n"
			"\nExit status: 0 printed; 8 fewer devices are free; others as tt_smi.\n");
	return output_print(&text);
}

static int print(const struct device_search *search, unsigned wanted)
{
	CLEANUP_FREE uint32_t *chosen = calloc(wanted, sizeof(*chosen));
	CLEANUP_BUF struct buf text = { 0 };
	unsigned count = 0;

	if (!chosen)
		return error_line(EXIT_INTERNAL, "out of memory");
	for (size_t i = 0; i < search->count && count < wanted; i++)
		if (search->candidates[i].state == CANDIDATE_FREE)
			chosen[count++] = search->candidates[i].index;
	device_search_put_value(search, chosen, count, &text);
	buf_putc(&text, '\n');
	return output_print(&text);
}

static int select_now(struct device_search *search, unsigned wanted)
{
	int code;

	/* Runs that already wait are served first. */
	search->asker.time_us = claim_now();
	code = device_search_first(search);
	while (!code && device_search_free(search) < wanted && device_search_is_undecided(search)) {
		sleep_briefly();
		code = device_search_first(search);
	}
	if (code)
		return code;
	if (device_search_free(search) < wanted)
		return device_search_too_few(search, wanted);
	return print(search, wanted);
}

int select_main(int argc, char **argv)
{
	struct select_options options = { .request = device_request_default(), .count = 1 };
	struct device_search search;
	int code = options_read(&table, argc, argv, &options);

	if (!code && options.help) {
		code = help();
	} else if (!code) {
		code = device_search_open(&search, &options.request);
		if (!code)
			code = select_now(&search, options.count);
		device_search_close(&search);
	}
	device_request_done(&options.request);
	return code;
}
