#include "cli/mem.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "cli/error_line.h"
#include "cli/fullscreen.h"
#include "cli/mem_options.h"
#include "cli/repeat.h"
#include "cli/server_error.h"
#include "cli/session.h"
#include "model/history.h"
#include "render/mem.h"
#include "source/server.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static const int64_t dump_patience_ns = 5 * NS_PER_S;

struct mem {
	const struct mem_options *options;
	struct render_options look;
	struct session session;
	struct history *history;
	struct pane pane;
	unsigned shown;	 /* number of samples */
	int write_error; /* of the first failure */
	int code;	 /* exit code for the latest sample */
};

/* Writes what exists of a long document, so that it is never in memory as a whole. */
static void drain(struct buf *text, void *arg)
{
	struct mem *mem = arg;

	if (mem->write_error >= 0)
		mem->write_error = output_write(&mem->pane.output, text);
	buf_reset(text);
}

static int emit(void *arg)
{
	struct mem *mem = arg;
	const struct mem_options *options = mem->options;
	const struct mem_view view = {
		.snapshot = mem->session.snapshot,
		.history = mem->history,
		.period_ms = options->common.count == 1 ? 0 : options->period_ms,
	};
	CLEANUP_BUF struct buf text = { 0 };

	/* An empty line separates blocks of a stream. */
	if (mem->shown++ && !mem->pane.in_place && !options->json)
		buf_putc(&text, '\n');
	if (options->json)
		mem_json_render(&text, &mem->look, &view,
				json_is_pretty(options->json, options->common.count == 1), drain,
				mem);
	else
		mem_render(&text, &mem->look, &view);
	mem->code = session_judge(&mem->session);
	if (mem->write_error >= 0)
		mem->write_error = pane_write(&mem->pane, &text);
	if (mem->write_error >= 0) {
		pane_show_note(&mem->pane, session_remark(&mem->session, mem->code));
		return 0;
	}
	return output_failed(&mem->pane.output, mem->write_error);
}

/* How long a sample is valid in charts: a late one leaves no gap, a missing one does. */
static int64_t hold_ns(const struct mem *mem)
{
	return MAX(mem->options->period_ms * NS_PER_MS * 5 / 2, 5 * NS_PER_S / 2);
}

/* Takes the next sample and adds it to the history. Returns an exit code. */
static int take(void *arg)
{
	struct mem *mem = arg;
	int r = session_take(&mem->session);

	if (r == 0 && history_add(mem->history, mem->session.snapshot, hold_ns(mem)) < 0) {
		buf_reset(&mem->session.problem);
		buf_puts(&mem->session.problem, "out of memory");
		r = EXIT_INTERNAL;
	}
	return r;
}

static struct render_options decide_look(const struct mem_options *options)
{
	return look_decide(options->common.color, options->common.ascii, true);
}

static void resized(void *arg)
{
	struct mem *mem = arg;

	mem->look = decide_look(mem->options);
}

static int run(struct mem *mem)
{
	const struct mem_options *options = mem->options;
	const struct repetition repetition = {
		.pane = &mem->pane,
		.session = &mem->session,
		.count = options->common.count,
		.period_ns = options->period_ms * NS_PER_MS,
		.in_place = options->common.count != 1 && !options->json && pane_can_refresh(),
		.code = &mem->code,
		.first = take,
		.take = take,
		.emit = emit,
		.resized = resized,
		.arg = mem,
	};
	int r = repeat_output(&repetition);

	return r ? r : mem->code;
}

static int monitor(const struct mem_options *options)
{
	struct mem mem = { .options = options, .look = decide_look(options) };
	struct want want = { 0 };
	int r;

	mem_wants(&want);
	r = output_open(&mem.pane.output, NULL, false);
	if (r < 0 || history_new(&mem.history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY) < 0)
		return error_line(EXIT_INTERNAL, "out of memory");
	r = session_open(&mem.session, options->common.root, &options->common.selection, &want);
	if (r)
		error_line(r, "%s", buf_text(&mem.session.problem));
	else
		r = run(&mem);
	session_close(&mem.session);
	pane_done(&mem.pane);
	history_free(mem.history);
	return r;
}

/* ---- the server's dump ---- */

static int dump_print(const struct server_bytes *bytes)
{
	const struct buf text = { .data = bytes->data, .length = bytes->length };
	struct output output;
	int r = output_open(&output, NULL, false);

	if (r >= 0)
		r = output_write(&output, &text);
	return r < 0 ? output_failed(&output, r) : 0;
}

static int dump_failed(int error, const char *path, const char *why)
{
	CLEANUP_BUF struct buf text = { 0 };
	int code = server_error(&text, error, path, why);

	return error_line(code, "%s", buf_text(&text));
}

static int dump(void)
{
	char path[SERVER_PATH_SIZE], why[SERVER_WHY_SIZE];
	CLEANUP_CLOSE int server = server_connect_at(path), again = -1;
	struct server_bytes text;
	int r;

	if (server < 0)
		return dump_failed(server, path, "");
	r = server_dump(server, WIRE_DUMP_STREAM, dump_patience_ns, &text, why);
	if (r == -EBADMSG && why[0]) {
		/* An older server closes the connection after its error message. */
		again = server_connect();
		r = again < 0 ? again : server_dump(again, 0, dump_patience_ns, &text, why);
	}
	if (r < 0)
		return dump_failed(r, path, why);
	r = dump_print(&text);
	server_bytes_done(&text);
	return r;
}

static bool is_fullscreen(const struct mem_options *options)
{
	return !options->common.plain && !options->common.count && !options->json &&
	       !options->dump && pane_can_refresh();
}

int mem_main(int argc, char **argv)
{
	CLEANUP_BUF struct buf text = { 0 };
	struct mem_options options;
	int code;

	code = mem_options_parse(&options, argc, argv);
	if (code == 0 && options.help) {
		mem_options_help(&text);
		code = output_print(&text);
	} else if (code == 0) {
		if (is_fullscreen(&options))
			/* returns if it is not available */
			fullscreen_execute("mem", argc, argv);
		code = options.dump ? dump() : monitor(&options);
	}
	mem_options_done(&options);
	return code;
}
