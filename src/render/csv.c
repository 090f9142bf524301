#include "render/csv.h"

#include "basic/text.h"
#include "render/field_text.h"
#include "render/format.h"
#include "render/nvidia_fields.h"

#include <errno.h>
#include <string.h>

/* The tables that are searched for a name, in this order; for devices also nvidia_fields(). */
static const struct field_table *const tables[][5] = {
	[QUERY_DEVICES] = { &device_fields, &host_fields },
	[QUERY_PROCESSES] = { &process_fields, &usage_fields, &device_fields, &host_fields },
	[QUERY_ACCOUNTS] = { &accounted_fields, &device_fields, &host_fields },
};

const char *const query_names[QUERY_N] = {
	[QUERY_DEVICES] = "query-gpu",
	[QUERY_PROCESSES] = "query-compute-apps",
	[QUERY_ACCOUNTS] = "query-accounted-apps",
};

/* NULL: there are no more. */
static const struct field_table *table_at(enum query_kind kind, size_t i)
{
	enum { NVIDIA = 2 };

	return kind == QUERY_DEVICES && i == NVIDIA ? nvidia_fields() : tables[kind][i];
}

static bool find_column(enum query_kind kind, const char *name, struct query_column *ret)
{
	const struct field_table *table;

	for (size_t i = 0; (table = table_at(kind, i)); i++) {
		int index = field_find(table, name);

		if (index >= 0) {
			*ret = (struct query_column){ table, (unsigned)index, NULL };
			return true;
		}
	}
	return false;
}

/* The next word of the list without surrounding blanks. The caller frees it. */
static char *next_word(const char **list)
{
	const char *from = *list + strspn(*list, " ");
	size_t length = strcspn(from, ",");

	*list = from + length;
	while (length && from[length - 1] == ' ')
		length--;
	return strndup(from, length);
}

int query_parse(enum query_kind kind, const char *fields, struct query *ret, char **ret_bad)
{
	struct query query = { .kind = kind, .header = true, .units = true };

	for (;;) {
		CLEANUP_FREE char *name = next_word(&fields);
		struct query_column column, *grown;

		grown = reallocarray(query.columns, query.n_columns + 1, sizeof(*grown));
		if (grown)
			query.columns = grown;
		if (!name || !grown) {
			query_done(&query);
			return -ENOMEM;
		}
		if (!find_column(kind, name, &column)) {
			query_done(&query);
			*ret_bad = TAKE_PTR(name);
			return -EINVAL;
		}
		column.name = TAKE_PTR(name);
		query.columns[query.n_columns++] = column;
		if (*fields == '\0')
			break;
		fields++;
	}
	*ret = query;
	return 0;
}

void query_done(struct query *query)
{
	for (size_t i = 0; i < query->n_columns; i++)
		free(query->columns[i].name);
	free(query->columns);
	*query = (struct query){ 0 };
}

void query_wants(const struct query *query, struct want *want)
{
	if (query->kind == QUERY_PROCESSES)
		want_add_list(want, FIELDS(PART(PROCESSES)));
	if (query->kind == QUERY_ACCOUNTS) {
		want_add_list(want, FIELDS(PART(ACCOUNTS)));
		want->deviceless = true; /* the server remembers them without the driver */
	}
	for (size_t i = 0; i < query->n_columns; i++)
		if (query->columns[i].table->of != OF_NOTHING)
			want_add(want, query->columns[i].table->of, query->columns[i].index);
}

void query_render_header(struct buf *out, const struct query *query)
{
	if (!query->header)
		return;
	for (size_t i = 0; i < query->n_columns; i++) {
		const struct query_column *column = &query->columns[i];
		const struct field *field = &column->table->fields[column->index];

		buf_printf(out, "%s%s", i ? ", " : "", column->name);
		if (unit_infos[field->unit].csv)
			buf_printf(out, " [%s]", unit_infos[field->unit].csv);
	}
	buf_putc(out, '\n');
}

/* Quotes the value if it contains a comma or a quote, or starts with a blank. */
static void put_quoted(struct buf *out, const char *text)
{
	bool quotes = strpbrk(text, ",\"") || text[0] == ' ';

	if (quotes)
		buf_putc(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			buf_putc(out, '"');
		buf_putc(out, *text);
	}
	if (quotes)
		buf_putc(out, '"');
}

struct csv_row {
	const struct snapshot *snapshot;
	const struct device *device;
	const struct process *process;
	const struct usage *usage;
	const struct accounted *accounted;
};

static const void *row_object(const struct csv_row *row, const struct field_table *table)
{
	if (table == &device_fields)
		return row->device;
	if (table == &process_fields)
		return row->process;
	if (table == &usage_fields)
		return row->usage;
	if (table == &accounted_fields)
		return row->accounted;
	return &row->snapshot->host;
}

static void put_row(struct buf *out, const struct render_options *options,
		    const struct query *query, const struct csv_row *row)
{
	for (size_t i = 0; i < query->n_columns; i++) {
		const struct query_column *column = &query->columns[i];
		CLEANUP_BUF struct buf raw = { 0 }, clean = { 0 };
		const void *object = row_object(row, column->table);
		struct value value = { .why = GONE };

		if (object)
			field_get(column->table, column->index, object, &value);
		buf_puts(out, i ? ", " : "");
		if (value.why != KNOWN) {
			buf_puts(out, "[N/A]");
			continue;
		}
		field_round_bound(column->table, object, &value);
		format_value(&raw, &value, query->units);
		text_clean(&clean, buf_text(&raw), raw.length, options->utf8);
		put_quoted(out, buf_text(&clean));
	}
	buf_putc(out, '\n');
}

void query_render(struct buf *out, const struct render_options *options, const struct query *query,
		  const struct snapshot *snapshot)
{
	struct csv_row row = { .snapshot = snapshot };

	if (query->kind == QUERY_DEVICES) {
		for (size_t i = 0; i < snapshot->n_devices; i++) {
			row.device = &snapshot->devices[i];
			put_row(out, options, query, &row);
		}
		return;
	}
	for (size_t i = 0; query->kind == QUERY_ACCOUNTS && i < snapshot->n_accounts; i++) {
		row.accounted = &snapshot->accounts[i];
		/* The columns of a device that was removed stay empty. */
		row.device = row.accounted->device < snapshot->n_devices
				     ? &snapshot->devices[row.accounted->device]
				     : NULL;
		put_row(out, options, query, &row);
	}
	for (size_t i = 0; query->kind == QUERY_PROCESSES && i < snapshot->n_processes; i++) {
		row.process = &snapshot->processes[i];
		for (size_t k = 0; k < row.process->n_usages; k++) {
			row.usage = &row.process->usages[k];
			row.device = &snapshot->devices[row.usage->device];
			put_row(out, options, query, &row);
		}
	}
}

/* The next of the other names of a field, after *at; NULL if there is none. */
static const char *next_alias(const char **at, size_t *ret_length)
{
	const char *alias = *at;

	if (!alias || !*alias)
		return NULL;
	*ret_length = strcspn(alias, " ");
	*at = alias + *ret_length + strspn(alias + *ret_length, " ");
	return alias;
}

/* "clocks.current.memory" or "clocks.mem" */
static void put_names(struct buf *out, const struct field *field)
{
	const char *at = field->aliases, *alias;
	size_t length;

	buf_printf(out, "\"%s\"", field->key);
	while ((alias = next_alias(&at, &length)))
		buf_printf(out, " or \"%.*s\"", (int)length, alias);
}

static void put_field_help(struct buf *out, const struct field *field)
{
	const char *unit = unit_infos[field->unit].csv;

	put_names(out, field);
	buf_printf(out, "\n    %s", field->help);
	if (unit)
		buf_printf(out, " [%s]", unit);
	if (field->kind == K_NEVER)
		buf_puts(out, " (known to scripts; the driver does not expose this value)");
	buf_puts(out, "\n\n");
}

static void put_nvidia_help(struct buf *out)
{
	const struct field_table *table = nvidia_fields();

	buf_puts(out,
		 "Fields of nvidia-smi that have no meaning for these devices; they are accepted,\n"
		 "and their value is [N/A]:\n\n");
	for (size_t i = 0; i < table->count; i++) {
		put_names(out, &table->fields[i]);
		buf_putc(out, '\n');
	}
}

/* Device fields with the same name as a process field cannot be queried and are not listed. */
void query_help(struct buf *out, enum query_kind kind)
{
	buf_puts(out,
		 "The heading of a column is the name of the field as given in the query.\n\n");
	for (size_t t = 0; tables[kind][t]; t++) {
		for (unsigned i = 0; i < tables[kind][t]->count; i++) {
			const struct field *field = &tables[kind][t]->fields[i];
			struct query_column found;

			if (find_column(kind, field->key, &found) && found.table == tables[kind][t])
				put_field_help(out, field);
		}
	}
	if (kind == QUERY_DEVICES)
		put_nvidia_help(out);
}

static void try_names(struct suggestion *suggestion, const struct field *field)
{
	const char *at = field->aliases, *alias;
	size_t length;

	suggestion_try(suggestion, field->key, strlen(field->key));
	while ((alias = next_alias(&at, &length)))
		suggestion_try(suggestion, alias, length);
}

struct suggestion query_suggest(enum query_kind kind, const char *name)
{
	struct suggestion suggestion = suggestion_begin(name, strlen(name));
	const struct field_table *table;

	for (size_t t = 0; (table = table_at(kind, t)); t++)
		for (size_t i = 0; i < table->count; i++)
			try_names(&suggestion, &table->fields[i]);
	return suggestion;
}
