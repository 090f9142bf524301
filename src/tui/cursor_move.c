#include "tui/cursor_move.h"

/* Ways to get to a row or a column, and their costs. */
enum way {
	STAY,
	STEP,	  /* byte by byte: line feeds or backspaces */
	RELATIVE, /* ESC [ n letter */
	ABSOLUTE, /* the same with the number of the row or column */
	RETURN,	  /* to the first column */
};

struct move_part {
	enum way way;
	size_t cost;
};

static size_t count_digits(int n)
{
	size_t digits = n < 10 ? 1 : 2;

	for (; n >= 100; n /= 10)
		digits++;
	return digits;
}

/* A sequence with one number, which need not be sent if it is 1. */
static size_t sequence_cost(int n)
{
	return n == 1 ? 3 : 3 + count_digits(n);
}

static void consider(struct move_part *part, enum way way, size_t cost)
{
	if (cost < part->cost)
		*part = (struct move_part){ way, cost };
}

static struct move_part find_vertical(int from, int to)
{
	struct move_part part = { ABSOLUTE, sequence_cost(to + 1) };

	if (from == to)
		return (struct move_part){ STAY, 0 };
	consider(&part, RELATIVE, sequence_cost(from < to ? to - from : from - to));
	if (to > from)
		consider(&part, STEP, (size_t)(to - from));
	return part;
}

static struct move_part find_horizontal(int from, int to)
{
	struct move_part part = { ABSOLUTE, sequence_cost(to + 1) };

	if (from == to)
		return (struct move_part){ STAY, 0 };
	consider(&part, RELATIVE, sequence_cost(from < to ? to - from : from - to));
	if (to < from)
		consider(&part, STEP, (size_t)(from - to));
	if (to == 0)
		consider(&part, RETURN, 1);
	return part;
}

static size_t address_cost(struct cursor_place to)
{
	return 4 + count_digits(to.row + 1) + count_digits(to.column + 1);
}

size_t cursor_move_cost(const struct terminal_strings *strings, struct cursor_place from,
			struct cursor_place to)
{
	size_t address = address_cost(to), parts;

	if (from.row < 0 || !strings->is_ordinary)
		return from.row == to.row && from.column == to.column ? 0 : address;
	parts = find_vertical(from.row, to.row).cost + find_horizontal(from.column, to.column).cost;
	return MIN(parts, address);
}

static void put_number(struct buf *out, int n)
{
	char digits[12];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	buf_add(out, digits + at, sizeof(digits) - at);
}

static void put_sequence(struct buf *out, int n, char letter)
{
	buf_add(out, "\033[", 2);
	if (n != 1)
		put_number(out, n);
	buf_putc(out, letter);
}

static void put_address(struct buf *out, struct cursor_place to)
{
	buf_add(out, "\033[", 2);
	put_number(out, to.row + 1);
	buf_putc(out, ';');
	put_number(out, to.column + 1);
	buf_putc(out, 'H');
}

static void put_vertical(struct buf *out, enum way way, int from, int to)
{
	if (way == STEP)
		buf_fill(out, '\n', (size_t)(to - from));
	else if (way == RELATIVE)
		put_sequence(out, from < to ? to - from : from - to, from < to ? 'B' : 'A');
	else if (way == ABSOLUTE)
		put_sequence(out, to + 1, 'd');
}

static void put_horizontal(struct buf *out, enum way way, int from, int to)
{
	if (way == STEP)
		buf_fill(out, '\b', (size_t)(from - to));
	else if (way == RETURN)
		buf_putc(out, '\r');
	else if (way == RELATIVE)
		put_sequence(out, from < to ? to - from : from - to, from < to ? 'C' : 'D');
	else if (way == ABSOLUTE)
		put_sequence(out, to + 1, 'G');
}

void cursor_move(const struct terminal_strings *strings, struct cursor_place from,
		 struct cursor_place to, struct buf *out)
{
	struct move_part vertical, horizontal;
	char text[64];

	if (from.row == to.row && from.column == to.column)
		return;
	if (!strings->is_ordinary) {
		terminal_expand(strings->address, to.row, to.column, text, sizeof(text));
		buf_puts(out, text);
		return;
	}
	vertical = find_vertical(from.row, to.row);
	horizontal = find_horizontal(from.column, to.column);
	if (from.row < 0 || vertical.cost + horizontal.cost >= address_cost(to)) {
		put_address(out, to);
		return;
	}
	put_vertical(out, vertical.way, from.row, to.row);
	put_horizontal(out, horizontal.way, from.column, to.column);
}
