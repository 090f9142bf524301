#include "tui/tasks.h"

#include <errno.h>
#include <string.h>

struct sorting {
	const struct snapshot *snapshot;
	const struct task_order *order;
};

static int compare_tasks(const void *a, const void *b, void *arg)
{
	const struct process *left = ((const struct task *)a)->process;
	const struct process *right = ((const struct task *)b)->process;
	const struct sorting *sorting = arg;
	const struct task_order *order = sorting->order;
	int r;

	r = task_compare(sorting->snapshot, left, right, order->column, order->down);
	if (r == 0)
		r = task_compare(sorting->snapshot, left, right, order->second, order->second_down);
	if (r == 0)
		r = (left->pid > right->pid) - (left->pid < right->pid);
	/* Several may have no pid that we know: these stay as the snapshot has them. */
	return r ? r : (left > right) - (left < right);
}

/* A process in the tree, at its place in the snapshot. */
struct node {
	const struct process *process; /* NULL: not in the list */
	struct node *parent, *child, *next;
};

/* Who has no parent in the list is below the top; children keep the order they were sorted in. */
static void link_nodes(const struct tasks *tasks, const struct snapshot *snapshot,
		       struct node *nodes, struct node *top)
{
	for (size_t i = 0; i < tasks->count; i++)
		nodes[tasks->rows[i].process - snapshot->processes].process =
			tasks->rows[i].process;
	for (size_t i = tasks->count; i-- > 0;) {
		const struct process *process = tasks->rows[i].process, *above = NULL;
		struct node *node = &nodes[process - snapshot->processes];

		if (process->parent > 0)
			above = snapshot_find_process(snapshot, process->parent);
		node->parent =
			above && above != process ? &nodes[above - snapshot->processes] : top;
		if (node->parent != top && !node->parent->process)
			node->parent = top;
		node->next = node->parent->child;
		node->parent->child = node;
	}
}

/* From the top down; returns how many were reached. */
static size_t place_nodes(const struct node *top, struct task *out)
{
	const struct node *node = top->child;
	unsigned depth = 0;
	size_t n = 0;

	while (node) {
		out[n++] = (struct task){ node->process, depth };
		if (node->child) {
			node = node->child;
			depth++;
			continue;
		}
		for (; !node->next && node->parent != top; depth--)
			node = node->parent;
		node = node->next;
	}
	return n;
}

/* What is part of a loop has no beginning and would be lost: then the list stays flat. */
static int make_tree(struct tasks *tasks, const struct snapshot *snapshot)
{
	CLEANUP_FREE struct node *nodes = calloc(snapshot->n_processes + 1, sizeof(*nodes));
	CLEANUP_FREE struct task *out = calloc(tasks->count + 1, sizeof(*out));
	struct node top = { 0 };

	if (!nodes || !out)
		return -ENOMEM;
	link_nodes(tasks, snapshot, nodes, &top);
	if (place_nodes(&top, out) == tasks->count) {
		free(tasks->rows);
		tasks->rows = TAKE_PTR(out);
	}
	return 0;
}

int tasks_make(struct tasks *tasks, const struct snapshot *snapshot, const struct filter *filter,
	       const struct task_order *order)
{
	struct sorting sorting = { snapshot, order };

	tasks_done(tasks);
	tasks->rows = calloc(snapshot->n_processes + 1, sizeof(*tasks->rows));
	if (!tasks->rows)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];

		if (filter_holds(filter, snapshot, process))
			tasks->rows[tasks->count++].process = process;
		else
			tasks->hidden++;
	}
	qsort_r(tasks->rows, tasks->count, sizeof(*tasks->rows), compare_tasks, &sorting);
	return order->tree ? make_tree(tasks, snapshot) : 0;
}

void tasks_done(struct tasks *tasks)
{
	free(tasks->rows);
	*tasks = (struct tasks){ 0 };
}

bool task_starts_down(enum task_column column)
{
	return column != TASK_PID && column != TASK_DEVICES && task_infos[column].kind != KIND_TEXT;
}

void task_order_choose(struct task_order *order, enum task_column column)
{
	if (order->column == column) {
		order->down = !order->down;
		return;
	}
	order->second = order->column;
	order->second_down = order->down;
	order->column = column;
	order->down = task_starts_down(column);
}

long tasks_find(const struct tasks *tasks, int32_t pid)
{
	for (size_t i = 0; i < tasks->count; i++)
		if (tasks->rows[i].process->pid == pid)
			return (long)i;
	return -1;
}

static bool task_has(const struct snapshot *snapshot, const struct process *process,
		     const char *word)
{
	static const enum task_column searched[] = { TASK_COMMAND, TASK_USER, TASK_PID };
	CLEANUP_BUF struct buf text = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(searched); i++) {
		task_text(&text, snapshot, process, searched[i]);
		buf_putc(&text, '\n');
	}
	return text_contains(buf_text(&text), word);
}

long tasks_search(const struct tasks *tasks, const struct snapshot *snapshot, const char *word,
		  size_t from, bool forward)
{
	for (size_t i = 0; i < tasks->count; i++) {
		size_t at = (forward ? from + i : from + tasks->count - i) % tasks->count;

		if (task_has(snapshot, tasks->rows[at].process, word))
			return (long)at;
	}
	return -1;
}
