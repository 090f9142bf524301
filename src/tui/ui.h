/*
 * The state of the screen: what is shown, selected and typed. Events change it, drawing
 * reads it.
 */
#pragma once

#include "basic/buf.h"
#include "model/history.h"
#include "tui/feed.h"
#include "tui/filter.h"
#include "tui/device_view.h"
#include "tui/keys.h"
#include "tui/layout.h"
#include "tui/settings.h"
#include "tui/process_list.h"

/* What lies over the view and gets the keys. */
enum overlay {
	OVERLAY_NONE,
	OVERLAY_SEARCH, /* a line to type in */
	OVERLAY_FILTER,
	OVERLAY_SORT, /* a menu */
	OVERLAY_USER,
	OVERLAY_OWNER,
	OVERLAY_SIGNAL,
	OVERLAY_SETUP,
	OVERLAY_CONFIRM, /* a question */
	OVERLAY_HELP,	 /* text */
	OVERLAY_DETAIL,
};

enum { PROMPT_SIZE = 200, MAX_WAITING = 32 };

struct ui {
	struct settings settings;
	struct settings kept; /* for the file: what it had, and what keys changed */
	const char *version;
	bool read_only, color;

	struct feed *feed;
	struct frame *frame;		    /* shown; NULL: the first sample is on its way */
	struct frame *waiting[MAX_WAITING]; /* while paused: newer ones, in their order */
	size_t n_waiting;
	struct device_view device_view;
	struct history *history;
	struct process_list list;
	struct filter filter;
	char filter_text[PROMPT_SIZE];
	char search_text[PROMPT_SIZE];

	enum view view_before; /* where Esc goes from the view of one device */
	int rows, columns;
	struct layout layout;
	size_t device, first_device; /* selected, at the top; positions in device_view.order */
	size_t row, first_row;	     /* of the processes */
	bool follow;
	struct process_id followed;
	size_t page_top;
	struct process_id *tagged;
	size_t n_tagged;
	bool paused;
	bool stepping;	 /* the next frame is shown all the same */
	int64_t back_ns; /* how far charts are scrolled back */

	enum overlay overlay;
	char prompt[PROMPT_SIZE];
	size_t menu_at;
	struct buf owners; /* users or owners to choose from, each with its NUL */
	size_t n_owners;
	int signal;		    /* to be confirmed */
	struct process_id *targets; /* of the signal, fixed when the menu was opened: the list may
				       change meanwhile */
	size_t n_targets;
	size_t overlay_top;
	int32_t detail_pid;
	struct buf detail;	   /* environment and files of that process */
	const char *detail_anchor; /* the line to go to once they are there, or NULL */

	struct buf message;
	int64_t message_until_ns;
	bool quit, redraw;
};

void ui_done(struct ui *ui);

/* The newest frame there is, shown or not; NULL: none. */
const struct frame *ui_newest(const struct ui *ui);

/* Shows a message in the bottom line for five seconds. */
void ui_say(struct ui *ui, const char *format, ...) PRINTF(2, 3);

/* ---- queries ---- */

static inline const struct snapshot *ui_snapshot(const struct ui *ui)
{
	return ui->frame ? ui->frame->snapshot : NULL;
}

struct counts ui_counts(const struct ui *ui);

/* Do charts show one reading of several devices? */
bool ui_charts_devices(const struct ui *ui);

/* The device at a position of device_view.order; NULL: there is none. */
const struct device *ui_device(const struct ui *ui, size_t position);
const struct process *ui_process(const struct ui *ui); /* the selected one, or NULL */
bool ui_is_tagged(const struct ui *ui, const struct process *process);

/* The time of the frame shown. */
int64_t ui_now(const struct ui *ui);

/* Rows of processes that find room. */
size_t ui_table_rows(const struct ui *ui);
bool ui_table_has_headings(const struct ui *ui);

/* Signals that can be sent, the first the usual one. */
extern const int ui_signals[];
extern const size_t ui_n_signals;
