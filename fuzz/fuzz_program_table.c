/*
 * Fuzzes the reader of a preloaded program's table, into which the program may write anything. A
 * table has 1.6 MB, nearly all of them zero, so the input is a list of changes to a valid table: 12
 * bytes each, an offset (32 bits) and a value (64 bits). Offsets address the header, followed by
 * the cells of the first and the last chip.
 */
#include "fuzz.h"

#include "basic/clock.h"
#include "metal/program_table.h"

#define BEGIN  (1000 * NS_PER_S)
#define NOW    (BEGIN + 5 * NS_PER_S)
#define LAST   (PROGRAM_TABLE_CHIPS - 1)
#define HEADER sizeof(struct program_table)
#define CELL   sizeof(struct program_table_chip)
#define WORDS  ((HEADER + 2 * CELL) / 8)

static void run_programs(struct program_table *table, struct program_table_chip *cell)
{
	uint64_t words[STREAM_WORDS] = { STREAM_IS_USED | STREAM_IS_USABLE };

	for (int64_t at = BEGIN; at < NOW; at += 50 * NS_PER_MS) {
		int64_t end = at + 20 * NS_PER_MS;

		program_launch(&table->launches, 1, true, (uint64_t)at);
		program_series_add_time(&cell->busy, at, end);
		program_series_add_one(&cell->ended, end);
		words[STREAM_ADVANCED] = words[STREAM_RECORDS]++;
		words[STREAM_LAST_END] = words[STREAM_ARRIVED] = (uint64_t)end;
	}
	seqlock_write(&cell->seq, cell->stream[0], STREAM_WORDS, words);
}

static void table_fill(struct program_table *table)
{
	table->magic = PROGRAM_TABLE_MAGIC;
	table->version = PROGRAM_TABLE_VERSION;
	table->header_size = HEADER;
	table->chip_size = CELL;
	table->chip_count = PROGRAM_TABLE_CHIPS;
	table->created = BEGIN;
	table->flags = PROGRAM_TABLE_HAS_PROFILER;
	table->chips = 1 | UINT64_C(1) << LAST;
	run_programs(table, &table->cells[0]);
}

static void change(struct program_table *table, uint32_t offset, uint64_t value)
{
	size_t at = offset % WORDS * 8;

	if (at >= HEADER + CELL)
		at += (LAST - 1) * CELL;
	memcpy((char *)table + at, &value, sizeof(value));
}

static void judge(const struct program_table *table, uint32_t chip, size_t n_devices)
{
	struct program_intervals busy;
	struct program_figure figure;
	int state = program_table_judge(table, chip, n_devices, NOW, &figure, &busy);

	program_intervals_done(&busy);
	CHECK(state < DISPATCH_STATE_N);
	/* An upper bound has the reason why nothing is measured. */
	CHECK((state == DISPATCH_OK) == (figure.is_known && figure.bound != PROGRAM_UPPER) ||
	      state < 0);
	CHECK(figure.running >= 0 && figure.running <= NOW);
	CHECK(figure.last >= -1 && figure.last <= NOW);
	if (!figure.is_known)
		return;
	CHECK(figure.bound <= PROGRAM_UPPER);
	CHECK(figure.window > 0 && figure.window <= PROGRAM_WINDOW_NS);
	CHECK(figure.busy >= 0 && figure.busy <= figure.window);
	CHECK(figure.to <= NOW && figure.to >= NOW - PROGRAM_KEPT_NS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct program_table *table = calloc(1, PROGRAM_TABLE_SIZE);
	char name[PROGRAM_TABLE_OPERATION];

	CHECK(table);
	table_fill(table);
	for (size_t at = 0; at + 12 <= size; at += 12) {
		uint32_t offset;
		uint64_t value;

		memcpy(&offset, data + at, sizeof(offset));
		memcpy(&value, data + at + 4, sizeof(value));
		change(table, offset, value);
	}
	if (program_table_check(table, PROGRAM_TABLE_SIZE) == 0) {
		judge(table, 0, 1);
		judge(table, LAST, 2);
		CHECK(program_table_state(table) < DISPATCH_STATE_N);
		program_table_operation(table, NOW, name);
		CHECK(fuzz_is_text(name, sizeof(name)));
		for (const char *c = name; *c; c++)
			CHECK(*c > ' ' && *c <= '~');
	}
	free(table);
	return 0;
}
