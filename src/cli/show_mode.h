/* What each mode of the default command reads, and how it is written. */
#pragma once

#include "cli/show_options.h"
#include "render/render_options.h"

#include <stdbool.h>

/* Are the fields of the output requested by name? */
bool show_mode_names_fields(enum mode mode);

void show_mode_wants(const struct show_options *options, const struct render_options *look,
		     struct want *want);

/* Returns whether the output has columns, whose headings are written unless they were before. */
bool show_mode_render(struct buf *out, const struct show_options *options,
		      const struct render_options *look, const struct snapshot *snapshot,
		      bool headings_shown);
