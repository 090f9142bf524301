#include "tui/filter.h"

#include "render/format.h"
#include "tui/paint.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *text;
	enum filter_operator operator;
} operators[] = {
	/* Longer operators first. */
	{ "!=", OP_UNEQUAL }, { ">=", OP_LEAST }, { "<=", OP_MOST }, { ">", OP_ABOVE },
	{ "<", OP_BELOW },    { "=", OP_EQUAL },  { "~", OP_HAS },
};

bool text_contains(const char *text, const char *word)
{
	return strcasestr(text, word) != NULL;
}

/* "1G" in the units of the screen, "1Gi" always by 1024. Returns the rest of the text. */
static char *scale_bytes(char *text, double *amount)
{
	static const char units[] = "kmgt";
	char unit = (char)tolower((unsigned char)*text);

	if (unit && strchr(units, unit)) {
		unsigned steps = (unsigned)(strchr(units, unit) - units) + 1;
		bool binary = *++text == 'i';

		*amount *= binary ? ldexp(1, 10 * (int)steps) : format_unit_size(steps);
		text += binary;
	}
	return text + (tolower((unsigned char)*text) == 'b');
}

/* "1G", "1.5mb", "90", "2h": bytes and seconds with their units. */
static bool parse_amount(const char *text, enum column_kind kind, double *ret)
{
	char *end, unit;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return false;
	*ret = strtod(text, &end);
	unit = (char)tolower((unsigned char)*end);
	if (kind == KIND_BYTES)
		end = scale_bytes(end, ret);
	if (kind == KIND_SECONDS && unit && strchr("smhd", unit)) {
		*ret *= unit == 's' ? 1 : unit == 'm' ? 60 : unit == 'h' ? 3600 : 86400;
		end++;
	}
	return *end == '\0';
}

/* Length of the first term: up to a blank or an ampersand outside of quotes. */
static size_t term_length(const char *text)
{
	bool quoted = false;
	size_t n;

	for (n = 0; text[n] && (quoted || !strchr(" &", text[n])); n++)
		quoted ^= text[n] == '"';
	return n;
}

/* Removes the quotes around a value; false: unbalanced. */
static bool unquote(const char **text, size_t *length)
{
	const char *end = *text + *length;
	bool begins = *length && **text == '"';

	if (begins && (*length < 2 || end[-1] != '"'))
		return false;
	*text += begins;
	*length -= begins ? 2 : 0;
	return !memchr(*text, '"', *length);
}

static int set_value(struct filter_term *term, const char *text, size_t length, char *problem,
		     size_t size)
{
	bool is_text = term->column < 0 ||
		       process_column_kind((enum process_column)term->column) == KIND_TEXT;

	if (!unquote(&text, &length)) {
		snprintf(problem, size, "quotes must enclose a whole value");
		return -EINVAL;
	}
	if (length == 0 || length >= sizeof(term->text)) {
		snprintf(problem, size, "%s", length ? "a word is too long" : "a value is missing");
		return -EINVAL;
	}
	memcpy(term->text, text, length);
	term->text[length] = '\0';
	if (term->operator==
	    OP_HAS ||(is_text && (term->operator== OP_EQUAL || term->operator== OP_UNEQUAL)))
		return 0;
	if (is_text) {
		snprintf(problem, size, "texts are compared with = != or ~");
		return -EINVAL;
	}
	if (!parse_amount(term->text, process_column_kind((enum process_column)term->column),
			  &term->number)) {
		snprintf(problem, size, "\"%s\" is not a number", term->text);
		return -EINVAL;
	}
	return 0;
}

static int parse_term(struct filter_term *term, const char *text, size_t length, char *problem,
		      size_t size)
{
	size_t name = 0, skip = 0;

	while (name < length && !strchr("!=<>~\"", text[name]))
		name++;
	*term = (struct filter_term){ .column = -1, .operator= OP_HAS };
	if (name == length || text[name] == '"')
		return set_value(term, text, length, problem, size);
	if (name == 0) {
		snprintf(problem, size, "no column before \"%.*s\": write terms without blanks",
			 (int)MIN(length, 32), text);
		return -EINVAL;
	}
	term->column = process_column_find(text, name);
	if (term->column < 0) {
		snprintf(problem, size, "no column \"%.*s\"", (int)MIN(name, 32), text);
		return -EINVAL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(operators) && !skip; i++) {
		size_t n = strlen(operators[i].text);

		if (length - name < n || strncmp(text + name, operators[i].text, n) != 0)
			continue;
		term->operator= operators[i].operator;
		skip = n;
	}
	if (!skip) {
		snprintf(problem, size, "\"!\" is valid only in !=");
		return -EINVAL;
	}
	return set_value(term, text + name + skip, length - name - skip, problem, size);
}

int filter_parse(struct filter *filter, const char *text, char *ret_problem, size_t size)
{
	struct filter next = { 0 };
	int r;

	for (text += strspn(text, " &"); *text; text += strspn(text, " &")) {
		size_t length = term_length(text);

		if (next.count == FILTER_TERMS) {
			snprintf(ret_problem, size, "more than %d terms", FILTER_TERMS);
			return -EINVAL;
		}
		r = parse_term(&next.terms[next.count], text, length, ret_problem, size);
		if (r < 0)
			return r;
		next.count++;
		text += length;
	}
	*filter = next;
	return 0;
}

/* Does this term compare that column with "="? */
static bool asks_for(const char *text, size_t length, enum process_column column)
{
	size_t name = strlen(process_columns[column].key);

	return length > name && text[name] == '=' && process_column_find(text, name) == (int)column;
}

bool filter_replace(char *text, size_t size, enum process_column column, const char *value)
{
	CLEANUP_BUF struct buf out = { 0 };

	for (const char *at = text + strspn(text, " &"); *at; at += strspn(at, " &")) {
		size_t length = term_length(at);

		if (!asks_for(at, length, column))
			buf_printf(&out, "%s%.*s", out.length ? " " : "", (int)length, at);
		at += length;
	}
	if (value) {
		const char *quote = value[strcspn(value, " &")] ? "\"" : "";

		buf_printf(&out, "%s%s=%s%s%s", out.length ? " " : "", process_columns[column].key,
			   quote, value, quote);
	}
	if (out.failed || out.length >= size)
		return false;
	memcpy(text, buf_text(&out), out.length + 1);
	return true;
}

static bool compare_numbers(enum filter_operator operator, double left, double right)
{
	switch (operator) {
	case OP_EQUAL: return fabs(left - right) < 1e-9;
	case OP_UNEQUAL: return fabs(left - right) >= 1e-9;
	case OP_ABOVE: return left > right;
	case OP_BELOW: return left < right;
	case OP_LEAST: return left >= right;
	case OP_MOST: return left <= right;
	case OP_HAS: break;
	}
	return false;
}

static bool has_device(const struct snapshot *snapshot, const struct process *process,
		       const char *id, size_t length)
{
	for (size_t i = 0; i < process->n_usages; i++) {
		const char *other = snapshot->devices[process->usages[i].device].id;

		if (strlen(other) == length && strncasecmp(other, id, length) == 0)
			return true;
	}
	return false;
}

/* dev=0,3: the process has these devices open, and perhaps others. */
static bool has_devices(const struct snapshot *snapshot, const struct process *process,
			const char *ids)
{
	for (size_t length; *ids; ids += length + (ids[length] == ',')) {
		length = strcspn(ids, ",");
		if (!has_device(snapshot, process, ids, length))
			return false;
	}
	return true;
}

static bool term_holds(const struct filter_term *term, const struct process_scope *scope,
		       const struct process *process)
{
	CLEANUP_BUF struct buf text = { 0 };
	double number;
	bool equal;

	if (term->column >= 0 && term->operator!= OP_HAS && process_column_kind(
					 (enum process_column)term->column) != KIND_TEXT)
		return process_column_number(scope, process, (enum process_column)term->column,
					     &number) &&
		       compare_numbers(term->operator, number, term->number);
	process_column_text(&text, scope, process,
			    term->column < 0 ? COL_COMMAND : (enum process_column)term->column,
			    paint_is_utf8());
	if (term->column < 0) {
		buf_putc(&text, ' ');
		process_column_text(&text, scope, process, COL_USER, false);
	}
	if (term->operator== OP_HAS)
		return text_contains(buf_text(&text), term->text);
	equal = strcasecmp(buf_text(&text), term->text) == 0 ||
		(term->column == COL_DEVICES && has_devices(scope->snapshot, process, term->text));
	return equal == (term->operator== OP_EQUAL);
}

bool filter_holds(const struct filter *filter, const struct process_scope *scope,
		  const struct process *process)
{
	for (size_t i = 0; i < filter->count; i++)
		if (!term_holds(&filter->terms[i], scope, process))
			return false;
	return true;
}
