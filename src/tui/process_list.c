#include "tui/process_list.h"

#include <errno.h>
#include <string.h>

struct sorting {
	const struct process_scope *scope;
	const struct process_order *order;
};

/* A process with the values of the columns that it is sorted by. */
struct sorted_process {
	struct process_key first, second;
};

static int compare_processes(const void *a, const void *b, void *arg)
{
	const struct sorted_process *left = a, *right = b;
	const struct process *one = left->first.process, *other = right->first.process;
	const struct sorting *sorting = arg;
	const struct process_order *order = sorting->order;
	int r;

	r = process_column_compare(sorting->scope, &left->first, &right->first, order->column,
				   order->down);
	if (r == 0)
		r = process_column_compare(sorting->scope, &left->second, &right->second,
					   order->second, order->second_down);
	if (r == 0)
		r = (one->pid > other->pid) - (one->pid < other->pid);
	/* Several may have no known pid: these keep the order of the snapshot. */
	return r ? r : (one > other) - (one < other);
}

static int sort(struct process_list *list, const struct process_scope *scope,
		const struct process_order *order)
{
	CLEANUP_FREE struct sorted_process *sorted = calloc(list->count + 1, sizeof(*sorted));
	struct sorting sorting = { scope, order };

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++) {
		const struct process *process = list->rows[i].process;

		sorted[i].first = process_column_key(scope, process, order->column);
		sorted[i].second = process_column_key(scope, process, order->second);
	}
	qsort_r(sorted, list->count, sizeof(*sorted), compare_processes, &sorting);
	for (size_t i = 0; i < list->count; i++)
		list->rows[i].process = sorted[i].first.process;
	return 0;
}

/* A process in the tree, by its index in the snapshot. */
struct node {
	const struct process *process; /* NULL: not in the list */
	struct node *parent, *child, *next;
};

/* Processes without a parent in the list are at the top level; children keep their sort order. */
static void link_nodes(const struct process_list *list, const struct snapshot *snapshot,
		       struct node *nodes, struct node *top)
{
	for (size_t i = 0; i < list->count; i++)
		nodes[list->rows[i].process - snapshot->processes].process = list->rows[i].process;
	for (size_t i = list->count; i-- > 0;) {
		const struct process *process = list->rows[i].process, *above = NULL;
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

/* Depth-first from the top; returns the number of processes reached. */
static size_t place_nodes(const struct node *top, struct process_row *out)
{
	const struct node *node = top->child;
	unsigned depth = 0;
	size_t n = 0;

	while (node) {
		out[n++] = (struct process_row){ node->process, depth };
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

/* Processes in a cycle are unreachable and would be lost: then the list stays flat. */
static int make_tree(struct process_list *list, const struct snapshot *snapshot)
{
	CLEANUP_FREE struct node *nodes = calloc(snapshot->n_processes + 1, sizeof(*nodes));
	CLEANUP_FREE struct process_row *out = calloc(list->count + 1, sizeof(*out));
	struct node top = { 0 };

	if (!nodes || !out)
		return -ENOMEM;
	link_nodes(list, snapshot, nodes, &top);
	if (place_nodes(&top, out) == list->count) {
		free(list->rows);
		list->rows = TAKE_PTR(out);
	}
	return 0;
}

int process_list_make(struct process_list *list, const struct process_scope *scope,
		      const struct filter *filter, const struct process_order *order)
{
	const struct snapshot *snapshot = scope->snapshot;
	int r;

	process_list_done(list);
	list->rows = calloc(snapshot->n_processes + 1, sizeof(*list->rows));
	if (!list->rows)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];

		if (scope->dev &&
		    !process_find_usage(process, (size_t)(scope->dev - snapshot->devices)))
			continue;
		if (filter_holds(filter, scope, process))
			list->rows[list->count++].process = process;
		else
			list->hidden++;
	}
	r = sort(list, scope, order);
	if (r == 0 && order->tree)
		r = make_tree(list, snapshot);
	if (r < 0)
		process_list_done(list);
	return r;
}

void process_list_done(struct process_list *list)
{
	free(list->rows);
	*list = (struct process_list){ 0 };
}

void process_order_choose(struct process_order *order, enum process_column column)
{
	if (order->column == column) {
		order->down = !order->down;
		return;
	}
	order->second = order->column;
	order->second_down = order->down;
	order->column = column;
	order->down = process_column_starts_down(column);
}

long process_list_find(const struct process_list *list, int32_t pid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].process->pid == pid)
			return (long)i;
	return -1;
}

static bool row_has(const struct process_scope *scope, const struct process *process,
		    const char *word)
{
	static const enum process_column searched[] = { COL_COMMAND, COL_USER, COL_PID };
	CLEANUP_BUF struct buf text = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(searched); i++) {
		process_column_text(&text, scope, process, searched[i], false);
		buf_putc(&text, '\n');
	}
	return text_contains(buf_text(&text), word);
}

long process_list_search(const struct process_list *list, const struct process_scope *scope,
			 const char *word, size_t from, bool forward)
{
	for (size_t i = 0; i < list->count; i++) {
		size_t at = (forward ? from + i : from + list->count - i) % list->count;

		if (row_has(scope, list->rows[at].process, word))
			return (long)at;
	}
	return -1;
}
