#include "source/program_tables.h"

#include "basic/clock.h"
#include "metal/program_table.h"
#include "source/identity.h"
#include "source/table_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const enum utilization_bound bounds[] = {
	[PROGRAM_EXACT] = BOUND_EXACT,
	[PROGRAM_LOWER] = BOUND_LOWER,
	[PROGRAM_UPPER] = BOUND_UPPER,
};

static void set_figure(struct dispatch_line *line, const struct program_figure *figure)
{
	line->has_figure = figure->is_known;
	if (figure->is_known) {
		line->busy = (uint64_t)figure->busy;
		line->window = (uint64_t)figure->window;
		line->programs = figure->programs;
		line->bound = bounds[figure->bound];
	}
	line->has_running = figure->running > 0;
	line->running = (uint64_t)figure->running;
	line->has_last = figure->last >= 0;
	line->last = (uint64_t)figure->last;
}

static struct dispatch_line line_new(const struct process *process, int64_t now)
{
	return (struct dispatch_line){
		.pid = process->pid,
		.start_ticks = process->start_ticks,
		.updated = (uint64_t)now,
	};
}

/* Room for one more, which is not counted yet. */
static struct program_table_entry *make_room(struct program_tables *tables)
{
	struct program_table_entry *list =
		reallocarray(tables->list, tables->count + 1, sizeof(*list));

	if (!list)
		return NULL;
	tables->list = list;
	return &list[tables->count];
}

static enum dispatch_state state_of(int r)
{
	if (r >= 0)
		return (enum dispatch_state)r;
	return r == -EAGAIN ? DISPATCH_NO_ANSWER : DISPATCH_UNKNOWN_LAYOUT;
}

static int add_chip(struct program_tables *tables, const struct program_table *table,
		    const struct process *process, uint32_t chip, int64_t now,
		    struct dispatch_line *ret)
{
	struct program_table_entry *entry = make_room(tables);
	int r;

	if (!entry)
		return -ENOMEM;
	entry->pid = process->pid;
	entry->chip = chip;
	r = program_table_judge(table, chip, process->n_usages, now, &entry->figure, &entry->busy);
	if (r == -ENOMEM)
		return r;
	tables->count++;
	*ret = line_new(process, now);
	ret->has_chip = true;
	ret->chip = chip;
	ret->state = state_of(r);
	set_figure(ret, &entry->figure);
	program_table_operation(table, now, ret->operation);
	return 0;
}

/* A line per chip, and one for the others. */
static int add_lines(struct program_tables *tables, const struct program_table *table,
		     const struct process *process, struct dispatch_line **ret)
{
	CLEANUP_FREE struct dispatch_line *lines = calloc(PROGRAM_TABLE_CHIPS + 1, sizeof(*lines));
	int64_t now = clock_now(CLOCK_MONOTONIC);
	uint64_t chips = word_load(&table->chips);
	size_t count = 0;
	int r = 0;

	if (!lines)
		return -ENOMEM;
	for (uint32_t chip = 0; chip < PROGRAM_TABLE_CHIPS && r == 0; chip++)
		if (chips >> chip & 1)
			r = add_chip(tables, table, process, chip, now, &lines[count++]);
	if (r < 0)
		return r;
	lines[count] = line_new(process, now);
	lines[count++].state = program_table_state(table);
	*ret = TAKE_PTR(lines);
	return (int)count;
}

static int read_table(struct program_tables *tables, struct sample *sample,
		      const struct process *process, int32_t descriptor, struct dispatch_line **ret)
{
	CLEANUP_CLOSE int fd =
		table_file_open(sample->root, process->pid, descriptor, PROGRAM_TABLE_SIZE);
	struct program_table *table;
	int r;

	if (fd < 0) {
		table_file_report(sample->snapshot, "dispatch", process->pid, descriptor, fd);
		return 0;
	}
	table = mmap(NULL, PROGRAM_TABLE_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	if (table == MAP_FAILED)
		return errno == ENOMEM ? -ENOMEM : 0;
	r = program_table_check(table, PROGRAM_TABLE_SIZE);
	if (r < 0)
		table_file_report(sample->snapshot, "dispatch", process->pid, descriptor, r);
	r = r == 0 && table_file_is_own(process, table->pid, table->start_ticks)
		    ? add_lines(tables, table, process, ret)
		    : 0;
	munmap(table, PROGRAM_TABLE_SIZE);
	return r;
}

int program_tables_read(struct program_tables *tables, struct sample *sample,
			const struct process *process, struct dispatch_line **ret)
{
	int r = 0;

	for (unsigned i = 0; i < process->program_tables.count && r == 0; i++)
		r = read_table(tables, sample, process, process->program_tables.list[i], ret);
	return r;
}

void program_tables_done(struct program_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++)
		program_intervals_done(&tables->list[i].busy);
	free(tables->list);
	*tables = (struct program_tables){ 0 };
}

/* ---- devices ---- */

/* NULL: none of its chips is this device, or several are. */
static const struct program_table_entry *find_entry(const struct program_tables *tables,
						    const struct snapshot *snapshot,
						    const struct process *process, size_t device)
{
	const struct program_table_entry *found = NULL;

	for (size_t i = 0; i < tables->count; i++) {
		const struct program_table_entry *entry = &tables->list[i];
		size_t position;

		if (entry->pid != process->pid ||
		    !identity_logical(snapshot, process, entry->chip, &position) ||
		    position != device)
			continue;
		if (found)
			return NULL;
		found = entry;
	}
	return found;
}

void program_users_add(struct program_users *users, const struct program_tables *tables,
		       const struct snapshot *snapshot, const struct process *process,
		       size_t device)
{
	const struct program_table_entry *entry = find_entry(tables, snapshot, process, device);

	if (!entry || users->count == PROGRAM_UNION_MAX) {
		users->has_others = true;
		return;
	}
	users->list[users->count++] = (struct program_user){
		.figure = entry->figure,
		.busy = entry->figure.bound == PROGRAM_UPPER ? NULL : &entry->busy,
		.is_coarse = true,
	};
}

bool program_users_join(const struct program_users *users, struct dispatch_line *ret)
{
	struct program_figure figure;

	if (users->count < 2)
		return false;
	program_figure_join(&figure, users->list, users->count, users->has_others);
	*ret = (struct dispatch_line){ .state = DISPATCH_OK };
	set_figure(ret, &figure);
	return true;
}
