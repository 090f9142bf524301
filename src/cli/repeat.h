/*
 * Output that is repeated: takes a sample, shows it, and waits for the next one, until the count is
 * reached, a key is pressed or a signal arrives.
 */
#pragma once

#include "cli/pane.h"
#include "cli/session.h"

struct repetition {
	struct pane *pane;
	struct session *session; /* its problem is shown where there is no sample */
	unsigned count;		 /* of samples; 0: no end */
	int64_t period_ns;
	int64_t pair_ns; /* takes another sample, which is not shown, this long before each */
	bool in_place;	 /* on a terminal that supports it */
	int *code;	 /* exit code of the latest sample */

	/* These return an exit code: */
	int (*first)(void *arg); /* takes the first sample */
	int (*take)(void *arg);	 /* takes the next one */
	int (*emit)(void *arg);	 /* shows it */
	void (*resized)(
		void *arg); /* the terminal has another size: what is shown is shown again */
	void *arg;
};

/*
 * 0, or the exit code of an error, which was printed. If the first sample fails, the terminal is
 * not touched.
 */
MUST_CHECK int repeat_output(const struct repetition *repetition);
