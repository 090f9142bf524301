#include "fleet/who_render.h"

#include "basic/text.h"
#include "fleet/document.h"
#include "fleet/fleet_render.h"
#include "render/format.h"
#include "render/text_line.h"

#include <math.h>
#include <string.h>

enum {
	USER_LEAST = 8,
	USER_MOST = 20,
	NAME_LEAST = 12,
	NAME_MOST = 48,
	WIDTH_COUNT = 10,
	WIDTH_DRAM = 11,
	WIDTH_QUIET = 9,
};

static size_t clean_width(const char *text)
{
	CLEANUP_BUF struct buf clean = { 0 };

	text_clean(&clean, text, strlen(text), true);
	return text_width(buf_text(&clean), clean.length);
}

static const char *user_text(const struct fleet_owner *owner)
{
	return owner->texts[OWNED_USER][0] ? owner->texts[OWNED_USER] : "N/A";
}

static void find_widths(const struct who *who, size_t rows, size_t *ret_user, size_t *ret_name)
{
	*ret_user = USER_LEAST;
	*ret_name = NAME_LEAST;
	for (size_t i = 0; i < rows; i++) {
		CLEANUP_BUF struct buf name = { 0 };

		owner_put_name(&name, &who->owners[i]);
		*ret_user = MAX(*ret_user, clean_width(user_text(&who->owners[i])));
		*ret_name = MAX(*ret_name, clean_width(buf_text(&name)));
	}
	*ret_user = MIN(*ret_user, USER_MOST);
	*ret_name = MIN(*ret_name, NAME_MOST);
}

static void put_cell(struct text_line *line, size_t width, double value,
		     void (*put)(struct buf *out, double value))
{
	CLEANUP_BUF struct buf text = { 0 };

	if (isnan(value))
		buf_puts(&text, "N/A");
	else
		put(&text, value);
	text_line_cell_right(line, width, isnan(value) ? STYLE_DIM : STYLE_PLAIN, buf_text(&text));
}

static void put_bytes(struct buf *out, double value)
{
	format_bytes_apart(out, number_to_u64(value));
}

static void put_owner(struct text_line *line, const struct fleet_owner *owner, size_t user,
		      size_t name)
{
	CLEANUP_BUF struct buf text = { 0 };

	text_line_cell(line, user, STYLE_BOLD, user_text(owner));
	text_line_put(line, STYLE_PLAIN, "  ");
	owner_put_name(&text, owner);
	text_line_cell(line, name, STYLE_PLAIN, buf_text(&text));
	put_cell(line, WIDTH_COUNT, (double)owner->n_machines, format_whole);
	put_cell(line, WIDTH_COUNT, owner->values[OWNED_DEVICES], format_whole);
	put_cell(line, WIDTH_DRAM, owner->values[OWNED_DRAM], put_bytes);
	put_cell(line, WIDTH_QUIET, owner->values[OWNED_QUIET], format_span);
	text_line_end(line);
}

static void put_notes(struct text_line *line, const struct who *who, size_t rest)
{
	if (rest) {
		text_line_printf(line, STYLE_DIM, "+%zu owner%s (--all)", rest,
				 rest == 1 ? "" : "s");
		text_line_end(line);
	}
	if (who->count == 0) {
		text_line_printf(line, STYLE_PLAIN, "no job has a device open");
		text_line_end(line);
	}
	if (who->n_without) {
		text_line_printf(line, STYLE_WARN,
				 "%zu of %zu machines have jobs, but deliver no owners to the "
				 "server: see tt_smi-serve(1), ACCESS",
				 who->n_without, who->fleet.count);
		text_line_end(line);
	}
}

void who_render_table(struct buf *out, const struct render_options *options, const struct who *who,
		      bool all)
{
	struct text_line line = { .out = out, .options = options };
	size_t rows = all ? who->count : MIN(who->count, FLEET_ROWS), user, name;

	find_widths(who, rows, &user, &name);
	text_line_cell(&line, user, STYLE_BOLD, "USER");
	text_line_put(&line, STYLE_PLAIN, "  ");
	text_line_cell(&line, name, STYLE_BOLD, "JOB / POD");
	text_line_cell_right(&line, WIDTH_COUNT, STYLE_BOLD, "MACHINES");
	text_line_cell_right(&line, WIDTH_COUNT, STYLE_BOLD, "DEVICES");
	text_line_cell_right(&line, WIDTH_DRAM, STYLE_BOLD, "DRAM");
	text_line_cell_right(&line, WIDTH_QUIET, STYLE_BOLD, "QUIET");
	text_line_end(&line);
	for (size_t i = 0; i < rows; i++)
		put_owner(&line, &who->owners[i], user, name);
	put_notes(&line, who, who->count - rows);
}

static void put_json_owner(struct json *json, const struct who *who,
			   const struct fleet_owner *owner)
{
	json_open(json, NULL, '{');
	for (size_t i = 0; i < OWNED_TEXTS; i++)
		if (owner->texts[i][0])
			json_text(json, owned_labels[i], owner->texts[i]);
		else
			json_null(json, owned_labels[i]);
	json_open(json, "machines", '[');
	for (size_t i = 0; i < owner->n_machines; i++)
		json_text(json, NULL, who->fleet.machines[owner->machines[i]].name);
	json_close(json, ']');
	for (size_t i = 0; i < OWNED_VALUES; i++)
		document_put_number(json, owned_keys[i], owner->values[i]);
	json_close(json, '}');
}

void who_render_json(struct buf *out, const struct who *who, const char *url, double time,
		     bool pretty)
{
	struct json json = { .out = out, .indent = pretty ? 2 : 0 };

	json_open(&json, NULL, '{');
	json_text(&json, "schema", "tt-smi-fleet-who");
	json_u64(&json, "schema_version", 1);
	json_text(&json, "server", url);
	json_double(&json, "time", time);
	json_u64(&json, "machines", who->fleet.count);
	json_u64(&json, "machines_without_owners", who->n_without);
	json_open(&json, "owners", '[');
	for (size_t i = 0; i < who->count; i++)
		put_json_owner(&json, who, &who->owners[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	buf_putc(out, '\n');
}

void who_render_csv(struct buf *out, const struct who *who)
{
	for (size_t i = 0; i < OWNED_TEXTS; i++)
		buf_printf(out, "%s,", owned_labels[i]);
	buf_puts(out, "machines");
	for (size_t i = 0; i < OWNED_VALUES; i++)
		buf_printf(out, ",%s", owned_keys[i]);
	buf_putc(out, '\n');
	for (size_t o = 0; o < who->count; o++) {
		const struct fleet_owner *owner = &who->owners[o];

		for (size_t i = 0; i < OWNED_TEXTS; i++) {
			csv_put_text(out, owner->texts[i]);
			buf_putc(out, ',');
		}
		buf_printf(out, "%zu", owner->n_machines);
		for (size_t i = 0; i < OWNED_VALUES; i++) {
			buf_putc(out, ',');
			csv_put_number(out, owner->values[i]);
		}
		buf_putc(out, '\n');
	}
}
