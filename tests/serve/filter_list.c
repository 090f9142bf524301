/*
 * Filters and sorts the processes of a machine with the code of the full screen.
 *
 * filter_list ROOT: each line of standard input is a filter, or "sort COLUMN", which acts like the
 * choice of that column. For each line it prints the pids in their order, or "problem: TEXT".
 */
#include "cli/session.h"
#include "render/render.h"
#include "tui/process_list.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static void print_list(const struct snapshot *snapshot, const struct filter *filter,
		       const struct process_order *order)
{
	const struct process_scope scope = { .snapshot = snapshot };
	struct process_list list = { 0 };

	if (process_list_make(&list, &scope, filter, order) < 0)
		exit(1);
	for (size_t i = 0; i < list.count; i++)
		printf("%s%d", i ? " " : "", list.rows[i].process->pid);
	printf("\n");
	process_list_done(&list);
}

static void answer(const struct snapshot *snapshot, const char *line, struct process_order *order)
{
	struct filter filter = { 0 };
	char problem[256];

	if (strncmp(line, "sort ", 5) == 0) {
		int column = process_column_find(line + 5, strlen(line + 5));

		if (column < 0)
			exit(1);
		process_order_choose(order, (enum process_column)column);
	} else if (filter_parse(&filter, line, problem, sizeof(problem)) < 0) {
		printf("problem: %s\n", problem);
		return;
	}
	print_list(snapshot, &filter, order);
}

int main(int argc, char **argv)
{
	static const struct selection everything;
	struct session session = { .root.fd = -1 };
	struct process_order order = { .column = COL_DRAM, .down = true, .second = COL_PID };
	struct want want = { 0 };
	char line[1024];

	json_wants(&want);
	if (argc != 2 || !setlocale(LC_CTYPE, "") ||
	    session_open(&session, argv[1], &everything, &want) || session_take(&session))
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		answer(session.snapshot, line, &order);
	}
	session_close(&session);
	return 0;
}
