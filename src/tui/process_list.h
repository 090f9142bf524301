/*
 * The list of processes as it is shown: filtered, sorted, as a tree if wanted. Pure
 * functions of a snapshot and of what people chose.
 */
#pragma once

#include "basic/macros.h"
#include "tui/filter.h"

struct process_order {
	enum process_column column, second; /* second decides among equals, then the pid */
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
	size_t hidden; /* by the filter */
};

/* The snapshot must outlive the list. -ENOMEM: the list is empty. */
MUST_CHECK int process_list_make(struct process_list *list, const struct snapshot *snapshot,
				 const struct filter *filter, const struct process_order *order);
void process_list_done(struct process_list *list);

/* Figures are read from the largest down, names from A on. */
bool process_column_starts_down(enum process_column column);

/* Sorts by another column, the one before deciding among equals; the same again turns it round. */
void process_order_choose(struct process_order *order, enum process_column column);

/* Position of a process in the list; -1: it is not there. */
long process_list_find(const struct process_list *list, int32_t pid);

/*
 * Position of the next row, forward or backward from one, that has a word in its
 * command, user or pid; -1: none.
 */
long process_list_search(const struct process_list *list, const struct snapshot *snapshot,
			 const char *word, size_t from, bool forward);
