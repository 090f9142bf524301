/*
 * The state of the screen: what is shown, selected and typed. Events change it, drawing only reads
 * it.
 */
#pragma once

#include "basic/buf.h"
#include "model/history.h"
#include "tui/feed.h"
#include "tui/filter.h"
#include "model/device_view.h"
#include "tui/keys.h"
#include "tui/layout.h"
#include "tui/settings.h"
#include "tui/process_list.h"

/* Overlays, which get the keys first. */
enum overlay {
	OVERLAY_NONE,
	OVERLAY_SEARCH, /* text input */
	OVERLAY_FILTER,
	OVERLAY_SORT, /* a menu */
	OVERLAY_USER,
	OVERLAY_OWNER,
	OVERLAY_SIGNAL,
	OVERLAY_SETUP,
	OVERLAY_CONFIRM, /* a confirmation */
	OVERLAY_HELP,	 /* text */
	OVERLAY_DETAIL,
};

enum { PROMPT_SIZE = 200, MAX_WAITING = 32 };

struct ui {
	struct settings settings;
	struct settings kept; /* for the file: its content, with changes made by keys */
	const char *version;
	bool read_only, color;

	struct feed *feed;
	struct frame *frame;		    /* shown; NULL: there is no sample yet */
	struct frame *waiting[MAX_WAITING]; /* while paused: newer ones, in their order */
	size_t n_waiting;
	struct device_view device_view;
	struct history *history;
	struct process_list list;
	struct filter filter;
	char filter_text[PROMPT_SIZE];
	char search_text[PROMPT_SIZE];

	enum view view_before; /* the view that Esc returns to from the device view */
	int rows, columns;
	struct layout layout;
	/* selected, and first shown; indices into device_view.order */
	size_t device, first_device;
	size_t row, first_row; /* selected process, and first shown */
	bool follow;
	struct process_id followed;
	size_t page_top;
	struct process_id *tagged;
	size_t n_tagged;
	bool paused;
	bool stepping;	 /* show the next frame despite the pause */
	int64_t back_ns; /* how far charts are scrolled back */

	enum overlay overlay;
	char prompt[PROMPT_SIZE];
	size_t menu_at;
	struct buf owners; /* users or owners in the menu, each NUL-terminated */
	size_t n_owners;
	int signal; /* to be confirmed */
	/* fixed when the menu was opened, since the list may change meanwhile */
	struct process_id *targets;
	size_t n_targets;
	size_t overlay_top;
	int32_t detail_pid;
	struct buf detail; /* environment and files of that process */
	/* the line to scroll to once they are available, or NULL */
	const char *detail_anchor;

	struct buf message;
	int64_t message_until_ns;
	bool quit, redraw;
};

void ui_done(struct ui *ui);

/* The newest frame, shown or not; NULL: none. */
const struct frame *ui_newest(const struct ui *ui);

/* Shows a message in the bottom line for five seconds. */
void ui_show_message(struct ui *ui, const char *format, ...) PRINTF(2, 3);

/* Hands a task to the sampler thread. False: too many are waiting, which a message says. */
bool ui_submit(struct ui *ui, const struct ui_task *task);

/* ---- queries ---- */

static inline const struct snapshot *ui_snapshot(const struct ui *ui)
{
	return ui->frame ? ui->frame->snapshot : NULL;
}

struct counts ui_counts(const struct ui *ui);

/* Do charts show one reading of several devices? */
bool ui_charts_devices(const struct ui *ui);

/*
 * The reading of a chart: the chosen one, and those after it that the selected device has had; any
 * device, if charts show several.
 */
enum metric ui_metric(const struct ui *ui, size_t i);

/* The time that charts show. */
int64_t ui_chart_span(const struct ui *ui);

/* The device at an index of device_view.order; NULL: none. */
const struct device *ui_device(const struct ui *ui, size_t position);
const struct process *ui_process(const struct ui *ui); /* the selected one, or NULL */

/* What is listed and counted: in the memory view processes on the selected device. */
struct process_scope ui_scope(const struct ui *ui);
bool ui_is_tagged(const struct ui *ui, const struct process *process);

/* The time of the shown frame. */
int64_t ui_now(const struct ui *ui);

/* Number of rows of processes that fit. */
size_t ui_table_rows(const struct ui *ui);
bool ui_table_has_title(const struct ui *ui);
bool ui_table_has_headings(const struct ui *ui);

/* Signals that can be sent; the first is the default. */
extern const int ui_signals[];
extern const size_t ui_n_signals;
