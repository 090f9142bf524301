/*
 * The list of processes as it is shown: filtered, sorted, as a tree if wanted. Pure
 * functions of a snapshot and of what people chose.
 */
#pragma once

#include "basic/macros.h"
#include "tui/filter.h"

struct task_order {
	enum task_column column, second; /* second decides among equals, then the pid */
	bool down, second_down;
	bool tree;
};

struct task {
	const struct process *process;
	unsigned depth; /* in the tree */
};

struct tasks {
	struct task *rows;
	size_t count;
	size_t hidden; /* by the filter */
};

/* The snapshot must outlive the list. -ENOMEM: the list is empty. */
MUST_CHECK int tasks_make(struct tasks *tasks, const struct snapshot *snapshot,
			  const struct filter *filter, const struct task_order *order);
void tasks_done(struct tasks *tasks);

/* Figures are read from the largest down, names from A on. */
bool task_starts_down(enum task_column column);

/* Sorts by another column, the one before deciding among equals; the same again turns it round. */
void task_order_choose(struct task_order *order, enum task_column column);

/* Position of a process in the list; -1: it is not there. */
long tasks_find(const struct tasks *tasks, int32_t pid);

/*
 * Position of the next row, forward or backward from one, that has a word in its
 * command, user or pid; -1: none.
 */
long tasks_search(const struct tasks *tasks, const struct snapshot *snapshot, const char *word,
		  size_t from, bool forward);
