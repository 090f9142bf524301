/*
 * The list of processes as shown: filtered, sorted, as a tree if wanted. Pure functions of a
 * snapshot and of the user's choices.
 */
#pragma once

#include "basic/macros.h"
#include "tui/filter.h"

struct process_order {
	/* second is used for equal values, then the pid */
	enum process_column column, second;
	bool down, second_down;
	bool tree;
};

struct process_row {
	const struct process *process;
	unsigned depth; /* in the tree */
};

struct process_list {
	struct process_row *rows;
	size_t count;
	size_t hidden; /* number hidden by the filter */
};

/*
 * The processes of the snapshot, or those on the device of the scope. The snapshot must outlive the
 * list. -ENOMEM: the list is empty.
 */
MUST_CHECK int process_list_make(struct process_list *list, const struct process_scope *scope,
				 const struct filter *filter, const struct process_order *order);
void process_list_done(struct process_list *list);

/*
 * Sorts by another column, with the previous one as second; the same column again reverses the
 * order.
 */
void process_order_choose(struct process_order *order, enum process_column column);

/* Index of a process in the list; -1: not in it. */
long process_list_find(const struct process_list *list, int32_t pid);

/*
 * Index of the next row, forward or backward from one, that has a word in its command, user or pid;
 * -1: none.
 */
long process_list_search(const struct process_list *list, const struct process_scope *scope,
			 const char *word, size_t from, bool forward);
