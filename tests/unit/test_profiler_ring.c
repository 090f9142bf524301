/* The profiler's ring in the memory of a process: found, read, and refused if anything is odd. */
#include "metal/profiler_ring.h"
#include "unit.h"

#include <errno.h>

#define BASE	UINT64_C(0x7f0000000000)
#define MANAGER (BASE + 0x100)
#define STATES	(BASE + 0x1000)
#define SOCKET	(BASE + 0x3000)
#define HUGE	(BASE + 0x8000)
#define DATA	(BASE + 0x10000)
#define COUNTER (DATA + PROFILER_RING)

static uint8_t memory[0x10000 + PROFILER_RING + 0x1000];
static uint8_t pages[PROFILER_RING];
static struct program_record records[PROFILER_RECORDS];
static unsigned reads, grow_at;
static uint32_t sent;

static void put(uint64_t address, uint64_t value, size_t width)
{
	memcpy(memory + (address - BASE), &value, width);
}

static void put_sent(uint32_t bytes)
{
	sent = bytes;
	put(COUNTER, sent, 4);
}

static void send(uint16_t id, uint64_t start, uint64_t end)
{
	uint32_t words[16] = { (uint32_t)(start >> 32), (uint32_t)start, id, 7,
			       (uint32_t)(end >> 32),	(uint32_t)end };

	memcpy(memory + (DATA - BASE) + sent % PROFILER_RING, words, sizeof(words));
	put_sent(sent + PROFILER_RECORD);
}

/* During read number grow_at the chip writes more records and overwrites ten. */
static int read_memory(void *arg, uint64_t address, void *to, size_t length)
{
	(void)arg;
	if (address < BASE || address - BASE > sizeof(memory) ||
	    length > sizeof(memory) - (address - BASE))
		return -EFAULT;
	memcpy(to, memory + (address - BASE), length);
	if (++reads == grow_at)
		put_sent(sent + 10 * PROFILER_RECORD);
	return 0;
}

static const struct metal_memory from = { read_memory, NULL };

static void put_state(unsigned i, uint64_t socket)
{
	uint64_t at = STATES + i * 192;
	double frequency = 1.0;

	put(at, BASE + 0x40, 8);
	put(at + 8, i, 4);
	put(at + 80, socket, 8);
	put(at + 112, 1000, 8);
	put(at + 120, 5000, 8);
	memcpy(memory + (at + 128 - BASE), &frequency, 8);
}

/* One chip with a ring and one without. */
static int make_memory(void **state)
{
	(void)state;
	memset(memory, 0, sizeof(memory));
	reads = grow_at = 0;
	put(MANAGER + 24, STATES, 8);
	put(MANAGER + 32, STATES + 2 * 192, 8);
	put(MANAGER + 40, STATES + 4 * 192, 8);
	put_state(0, SOCKET);
	put_state(1, 0);
	put(SOCKET + 80, PROFILER_RING, 4);
	put(SOCKET + 84, PROFILER_RECORD, 4);
	put(SOCKET + 144, DATA, 8);
	put(SOCKET + 160, COUNTER, 8);
	put_sent(0);
	return 0;
}

static struct profiler_ring find_one(void)
{
	struct profiler_ring rings[4];

	assert_int_equal(profiler_rings_find(&from, MANAGER, rings, 4), 1);
	return rings[0];
}

static int read_ring(struct profiler_ring *ring, struct profiler_batch *batch)
{
	*batch = (struct profiler_batch){ .records = records };
	return profiler_ring_read(ring, &from, pages, batch);
}

static void records_are_read_in_order_and_once(void **state)
{
	struct profiler_ring ring = find_one();
	struct profiler_batch batch;

	(void)state;
	for (uint16_t i = 1; i <= 10; i++)
		send(i, UINT64_C(0x100000000) * i, UINT64_C(0x100000000) * i + 9);
	assert_int_equal(read_ring(&ring, &batch), 0);
	assert_int_equal(batch.count, 10);
	assert_int_equal(batch.records[9].id, 10);
	assert_int_equal(batch.records[9].start, UINT64_C(0xA00000000));
	assert_int_equal(batch.records[9].end, UINT64_C(0xA00000009));
	assert_int_equal(batch.first_tick, 1000);
	assert_int_equal(batch.host_ns, 5000);
	assert_true(batch.ticks_per_ns == 1.0);
	assert_int_equal(read_ring(&ring, &batch), 0);
	assert_int_equal(batch.count, 0);
}

static void markers_and_unnumbered_programs_are_skipped(void **state)
{
	struct profiler_ring ring = find_one();
	struct profiler_batch batch;

	(void)state;
	send(1, 10, 20);
	send(0, 20, 30);
	send(99, 30, 40);
	put(DATA + 2 * 64 + 12, 0xFFFFFFFF, 4); /* a sync marker */
	send(98, 40, 45);
	put(DATA + 3 * 64 + 12, 0xFFFFFFFE, 4); /* a stall */
	send(2, 50, 45);			/* ends before it starts */
	send(3, 50, 60);
	assert_int_equal(read_ring(&ring, &batch), 0);
	assert_int_equal(batch.count, 2);
	assert_int_equal(batch.records[1].id, 3);
	assert_int_equal(batch.invalid, 1);
}

static void the_ring_and_its_counter_wrap(void **state)
{
	struct profiler_ring ring;
	struct profiler_batch batch;

	(void)state;
	put_sent((uint32_t) - (PROFILER_RING / 2)); /* the counter wraps in the middle */
	put(SOCKET + 88, sent, 4);
	ring = find_one();
	for (unsigned i = 0; i < PROFILER_RECORDS; i++)
		send((uint16_t)(i % 60000 + 1), 100 + i, 101 + i);
	assert_int_equal(read_ring(&ring, &batch), 0);
	assert_int_equal(batch.count, PROFILER_RECORDS);
	assert_int_equal(batch.lost, 0);
	assert_int_equal(batch.records[0].start, 100);
	assert_int_equal(batch.records[PROFILER_RECORDS - 1].start, 100 + PROFILER_RECORDS - 1);
}

static void overwritten_records_are_counted(void **state)
{
	struct profiler_ring ring = find_one();
	struct profiler_batch batch;

	(void)state;
	for (unsigned i = 0; i < PROFILER_RECORDS + 100; i++)
		send((uint16_t)(i % 60000 + 1), 100 + i, 101 + i);
	put(SOCKET + 88, sent, 4);
	assert_int_equal(read_ring(&ring, &batch), 0);
	assert_int_equal(batch.lost, 100);
	assert_int_equal(batch.records[0].start, 200);
}

static void records_overwritten_during_the_read_are_dropped(void **state)
{
	struct profiler_ring ring = find_one();
	struct profiler_batch batch;

	(void)state;
	for (unsigned i = 0; i < PROFILER_RECORDS; i++)
		send((uint16_t)(i % 60000 + 1), 100 + i, 101 + i);
	reads = 0;
	grow_at = 4; /* reads are state, socket, counter, pages: during that of the pages */
	assert_int_equal(read_ring(&ring, &batch), 0);
	assert_int_equal(batch.lost, 10);
	assert_int_equal(batch.records[0].start, 110);
}

/* In a huge page only what TT-Metal has acknowledged is read. */
static void a_huge_page_is_read_up_to_the_acknowledged_byte(void **state)
{
	static const uint16_t flags[] = { 293, 301 };

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct profiler_ring ring;
		struct profiler_batch batch;

		make_memory(state);
		put(SOCKET + 144, 0, 8);
		put(SOCKET + flags[i], 1, 1);
		put(SOCKET + flags[i] + 3, DATA, 8);
		put(SOCKET + flags[i] + 11, COUNTER, 8);
		ring = find_one();
		assert_true(ring.is_huge);
		send(1, 10, 20);
		send(2, 30, 40);
		put(SOCKET + 88, PROFILER_RECORD, 4);
		assert_int_equal(read_ring(&ring, &batch), 0);
		assert_int_equal(batch.count, 1);
	}
}

static void odd_layouts_are_refused(void **state)
{
	static const struct {
		uint64_t address, value;
		size_t width;
	} odd[] = {
		{ MANAGER + 24, 0x10, 8 },		/* no pointer */
		{ MANAGER + 32, STATES + 100, 8 },	/* not a multiple of a state's size */
		{ MANAGER + 32, STATES - 192, 8 },	/* ends before it begins */
		{ MANAGER + 32, STATES + 192 * 99, 8 }, /* more chips than there can be */
		{ STATES, 3, 8 },			/* the device is no pointer */
		{ STATES + 8, 64, 4 },			/* chip number */
		{ STATES + 80, 12345, 8 },		/* the socket is no pointer */
		{ SOCKET + 80, 4096, 4 },		/* size of the ring */
		{ SOCKET + 84, 128, 4 },		/* size of a page */
		{ SOCKET + 88, 7, 4 },			/* acknowledged half a record */
		{ SOCKET + 144, DATA + 8, 8 },		/* the counter does not follow the data */
		{ SOCKET + 160, COUNTER + 8, 8 },	/* the same */
		{ COUNTER, 63, 4 },			/* sent half a record */
		{ COUNTER, 5U << 20, 4 },		/* sent more than fits */
	};
	struct profiler_ring rings[4];

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		struct profiler_batch batch;
		struct profiler_ring ring;

		make_memory(state);
		ring = find_one();
		put(odd[i].address, odd[i].value, odd[i].width);
		assert_int_equal(profiler_rings_find(&from, MANAGER, rings, 4), -EBADMSG);
		if (odd[i].address >=
		    STATES + 80) /* also noticed if it changes after the ring was found */
			assert_int_equal(read_ring(&ring, &batch), -EBADMSG);
	}
}

static void memory_that_cannot_be_read_is_an_error(void **state)
{
	struct profiler_ring rings[4], ring = find_one();
	struct profiler_batch batch;

	(void)state;
	put(STATES + 80, BASE - 4096, 8);
	assert_int_equal(profiler_rings_find(&from, MANAGER, rings, 4), -EFAULT);
	assert_int_equal(read_ring(&ring, &batch), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(records_are_read_in_order_and_once, make_memory),
		cmocka_unit_test_setup(markers_and_unnumbered_programs_are_skipped, make_memory),
		cmocka_unit_test_setup(the_ring_and_its_counter_wrap, make_memory),
		cmocka_unit_test_setup(overwritten_records_are_counted, make_memory),
		cmocka_unit_test_setup(records_overwritten_during_the_read_are_dropped,
				       make_memory),
		cmocka_unit_test_setup(a_huge_page_is_read_up_to_the_acknowledged_byte,
				       make_memory),
		cmocka_unit_test_setup(odd_layouts_are_refused, make_memory),
		cmocka_unit_test_setup(memory_that_cannot_be_read_is_an_error, make_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
