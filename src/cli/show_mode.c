#include "cli/show_mode.h"

#include "render/render.h"

bool show_mode_names_fields(enum mode mode)
{
	return mode == MODE_QUERY || mode == MODE_DMON || mode == MODE_PMON;
}

void show_mode_wants(const struct show_options *options, const struct render_options *look,
		     struct want *want)
{
	switch (options->mode) {
	case MODE_TABLE: table_wants(look, want); break;
	case MODE_LIST: list_wants(want); break;
	case MODE_DETAIL: detail_wants(options->sections, want); break;
	case MODE_JSON: json_wants(want); break;
	case MODE_QUERY: query_wants(&options->query, want); break;
	case MODE_VENDOR: vendor_wants(want); break;
	case MODE_TRAYS: trays_wants(want); break;
	case MODE_DMON:
	case MODE_PMON: monitor_wants(&options->monitor, want); break;
	case MODE_HELP:
	case MODE_HELP_QUERY:
	case MODE_VERSION: break;
	}
}

static bool is_pretty(const struct show_options *options)
{
	return json_is_pretty(options->json, !options->file && !options->loop && !options->watch);
}

bool show_mode_render(struct buf *out, const struct show_options *options,
		      const struct render_options *look, const struct snapshot *snapshot,
		      bool headings_shown)
{
	switch (options->mode) {
	case MODE_TABLE: table_render(out, look, snapshot); break;
	case MODE_LIST: list_render(out, look, snapshot); break;
	case MODE_DETAIL: detail_render(out, look, snapshot, options->sections); break;
	case MODE_JSON: json_render(out, look, snapshot, is_pretty(options)); break;
	case MODE_VENDOR: vendor_render(out, look, snapshot); break;
	case MODE_QUERY:
		if (!headings_shown)
			query_render_header(out, &options->query);
		query_render(out, look, &options->query, snapshot);
		return true;
	case MODE_TRAYS: trays_render(out, snapshot, options->common.ascii); return true;
	case MODE_DMON:
	case MODE_PMON:
		if (!headings_shown)
			monitor_render_header(out, &options->monitor);
		monitor_render(out, look, &options->monitor, snapshot);
		return true;
	case MODE_HELP:
	case MODE_HELP_QUERY:
	case MODE_VERSION: break;
	}
	return false;
}
