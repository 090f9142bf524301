/*
 * The state of the screen of tt_smi fleet -w. Events change it, drawing only reads it. Keys are
 * those of tt_smi -w (tui/keys.h), as far as they have a meaning here.
 */
#pragma once

#include "fleet/chips.h"
#include "fleet/fleet.h"
#include "fleet_tui/fleet_feed.h"
#include "render/screen_names.h"

#include <stdint.h>

/* What the cell of a chip shows. */
enum chip_reading { READING_TEMPERATURE, READING_POWER, READING_DRAM, READING_N };

struct fleet_ui {
	const char *host;
	struct fleet fleet; /* shown; empty until the first answer */
	bool has_fleet;
	struct chip_page page;
	int64_t started_ns, answered_ns; /* CLOCK_MONOTONIC; answered: 0 is never */
	char error[400];
	unsigned period_ms;

	int rows, columns;
	size_t selected, first; /* machines */
	char *followed;		/* instance of the selected one, which stays selected */
	bool in_machine;	/* its chips fill the screen */
	size_t top;		/* first chip shown there */
	enum chip_reading reading;
	enum fleet_order order;
	enum theme theme;
	bool help, quit, redraw, color;
};

void fleet_ui_done(struct fleet_ui *ui);

/* Takes what the feed has published. */
void fleet_ui_take(struct fleet_ui *ui, struct fleet_news *news);

void fleet_ui_resize(struct fleet_ui *ui, int rows, int columns);

/* A key, as a curses code. */
void fleet_ui_key(struct fleet_ui *ui, int code);

/* The machine that is selected; NULL: there is none. */
const struct fleet_machine *fleet_ui_machine(const struct fleet_ui *ui);

/* ---- layout, in cells of the screen ---- */

enum {
	FLEET_TOP = 4,
	FLEET_CHIPS = FLEET_TOP + 1, /* in a machine: the first chip */
	FLEET_BOTTOM = 1,
	CHIP_WIDTH = 5,
};

/* Columns before the chips of a machine. */
int fleet_ui_name_width(const struct fleet_ui *ui);
int fleet_ui_chips_left(const struct fleet_ui *ui);

/* Chips in a line, lines of a machine, and machines on the screen; at least one. */
size_t fleet_ui_per_line(const struct fleet_ui *ui);
size_t fleet_ui_lines(const struct fleet_ui *ui);
size_t fleet_ui_machines(const struct fleet_ui *ui);

/* The largest `top`: with the last chip of the machine at the bottom. */
size_t fleet_ui_last_top(const struct fleet_ui *ui);

/* Tells the feed which machines are on the screen. */
void fleet_ui_request(const struct fleet_ui *ui, struct fleet_feed *feed);

/* Seconds since the server answered; negative: the answers are as frequent as they should be. */
double fleet_ui_silence(const struct fleet_ui *ui, int64_t now_ns);

/* The keys that have a meaning here, for help and manual page. */
struct fleet_key {
	int action; /* enum action */
	const char *help;
};

extern const struct fleet_key fleet_keys[];
extern const size_t n_fleet_keys;
