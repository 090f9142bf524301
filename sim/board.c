#include "board.h"

#include "basic/parse.h"
#include "basic/random.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * Limits, links and sizes of the existing boards. The power limit is that of one chip: the TDP that
 * firmware publishes, not the limit of the board.
 */
static const struct sim_board boards[] = {
	/*
	 * name, arch, code, endpoints, hidden, idle W, max W, A, C, mV, fan, GT/s, lanes, Tensix,
	   GiB
	 */
	{ "n150", WORMHOLE, 0x18, 1, 0, 12, 85, 160, 75, 1000, false, "16.0", 16, 72, 12 },
	{ "n300", WORMHOLE, 0x14, 1, 1, 14, 85, 160, 75, 950, false, "16.0", 16, 64, 12 },
	{ "galaxy-wormhole", WORMHOLE, 0x35, 32, 0, 16, 170, 240, 75, 950, false, "16.0", 1, 80,
	  12 },
	{ "p100a", BLACKHOLE, 0x43, 1, 0, 20, 150, 200, 90, 900, true, "32.0", 16, 120, 28 },
	{ "p150a", BLACKHOLE, 0x40, 1, 0, 24, 150, 200, 90, 900, true, "32.0", 16, 120, 32 },
	{ "p150b", BLACKHOLE, 0x41, 1, 0, 24, 150, 200, 90, 900, false, "32.0", 16, 120, 32 },
	{ "p150c", BLACKHOLE, 0x42, 1, 0, 28, 500, 500, 90, 900, false, "32.0", 16, 120, 32 },
	{ "p300a", BLACKHOLE, 0x45, 2, 0, 18, 86, 500, 90, 900, true, "32.0", 8, 120, 32 },
	{ "p300b", BLACKHOLE, 0x44, 2, 0, 18, 94, 500, 90, 900, false, "32.0", 8, 120, 32 },
	{ "p300c", BLACKHOLE, 0x46, 2, 0, 20, 125, 500, 90, 900, false, "32.0", 8, 120, 32 },
	{ "galaxy-blackhole", BLACKHOLE, 0x47, 32, 0, 22, 130, 500, 90, 900, false, "16.0", 1, 130,
	  32 },
};

/* Trays of a Galaxy by the high digit of the bus, in the driver's order. */
static const unsigned trays[2][4] = {
	[WORMHOLE] = { 0xc0, 0x80, 0x00, 0x40 },
	[BLACKHOLE] = { 0x00, 0x40, 0xc0, 0x80 },
};

struct board_entry {
	struct slot slot;
	unsigned group; /* devices of a group share a serial number */
	bool has_bus;
};

struct board_list {
	struct board_entry entries[2 * MAX_DEVICES]; /* gaps are entries without a board */
	size_t count;
	size_t devices;
	unsigned groups;
	char *error;
};

const struct sim_board *board_find(const char *name, size_t length)
{
	if (length == 4 && !memcmp(name, "p300", 4))
		return board_find("p300a", 5);
	for (size_t i = 0; i < ARRAY_SIZE(boards); i++)
		if (strlen(boards[i].name) == length && !memcmp(boards[i].name, name, length))
			return &boards[i];
	return NULL;
}

uint64_t slot_umd_id(const struct slot *slot, bool hidden)
{
	uint64_t low = (slot->serial >> 4 & 0xF0000000) | (slot->serial & 0x0FFFFFFF);

	return slot->board->hidden ? (hidden ? 3ull : 2ull) << 32 | low : slot->asic_id;
}

uint64_t board_dram(const struct sim_board *board)
{
	uint64_t kept = board->arch == BLACKHOLE ? 4ull << 20 : 0;

	return board->dram_gib * ((1ull << 30) - kept);
}

const char *board_card_type(unsigned code)
{
	for (size_t i = 0; i < ARRAY_SIZE(boards); i++)
		if (boards[i].code == code)
			return boards[i].name;
	return "unknown";
}

static bool is_galaxy(const struct sim_board *board)
{
	return board && board->endpoints == 32;
}

static int list_fail(struct board_list *l, const char *what, const char *which, size_t length)
{
	snprintf(l->error, 128, "%s: %.*s", what, (int)MIN(length, 60), which);
	return -EINVAL;
}

static int list_add(struct board_list *l, const struct sim_board *board, unsigned bus, bool has_bus)
{
	struct board_entry *e;

	if (l->count == ARRAY_SIZE(l->entries) || (board && l->devices == MAX_DEVICES))
		return list_fail(l, "too many devices, at most", "64", 2);
	e = &l->entries[l->count++];
	*e = (struct board_entry){ .slot.board = board, .slot.bus = bus, .has_bus = has_bus };
	e->group = l->groups;
	l->devices += board != NULL;
	return 0;
}

/* Four trays of eight. */
static int list_add_galaxy(struct board_list *l, const struct sim_board *board)
{
	int r;

	for (unsigned tray = 0; tray < 4; tray++, l->groups++) {
		for (unsigned chip = 1; chip <= 8; chip++) {
			r = list_add(l, board, trays[board->arch][tray] | chip, true);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int list_add_board(struct board_list *l, const struct sim_board *board, unsigned bus,
			  bool has_bus)
{
	unsigned endpoints = board ? board->endpoints : 1;
	int r;

	if (is_galaxy(board) && !has_bus)
		return list_add_galaxy(l, board);
	if (is_galaxy(board))
		endpoints = 1; /* with a bus number: only the chip at that bus */
	for (unsigned i = 0; i < endpoints; i++) {
		r = list_add(l, board, bus + i, has_bus);
		if (r < 0)
			return r;
	}
	l->groups++;
	return 0;
}

/* One entry: [COUNTx]NAME[@BUS], where NAME may be "-". */
static int list_parse_entry(struct board_list *l, const char *text, size_t length)
{
	const struct sim_board *board = NULL;
	uint64_t bus = 0, times = 1;
	const char *name = text, *at = memchr(text, '@', length);
	size_t name_length = at ? (size_t)(at - text) : length;
	char number[8];
	size_t digits = strspn(text, "0123456789");
	int r;

	if (at) {
		snprintf(number, sizeof(number), "%.*s", (int)(length - name_length - 1), at + 1);
		if (length - name_length > 3 || parse_hex(number, &bus) < 0 || bus == 0)
			return list_fail(l, "not a PCI bus (01 to ff)", text, length);
	}
	if (digits && digits < 4 && digits < name_length && text[digits] == 'x') {
		snprintf(number, sizeof(number), "%.*s", (int)digits, text);
		if (parse_u64(number, &times) < 0 || times == 0)
			return list_fail(l, "not a number of boards", text, length);
		name += digits + 1;
		name_length -= digits + 1;
	}
	if (!(name_length == 1 && *name == '-')) {
		board = board_find(name, name_length);
		if (!board)
			return list_fail(l, "no such board", name, name_length);
	}
	for (uint64_t i = 0; i < times; i++) {
		r = list_add_board(l, board, (unsigned)bus, at);
		if (r < 0)
			return r;
		bus += board ? board->endpoints : 1;
	}
	return 0;
}

static bool bus_is_taken(const struct board_list *l, const struct board_entry *self)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct board_entry *e = &l->entries[i];

		if (e != self && e->slot.board && e->has_bus && e->slot.bus == self->slot.bus)
			return true;
	}
	return false;
}

/* Assigns the given bus numbers first, then fills the gaps. */
static int list_assign_buses(struct board_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		struct board_entry *e = &l->entries[i];

		if (!e->slot.board)
			continue;
		if (e->has_bus && (e->slot.bus > 0xff || bus_is_taken(l, e)))
			return list_fail(l, "two devices on one PCI bus", e->slot.board->name, 20);
		for (e->slot.bus = e->has_bus ? e->slot.bus : 1; !e->has_bus; e->slot.bus++) {
			if (bus_is_taken(l, e))
				continue;
			e->has_bus = true;
			break;
		}
	}
	return 0;
}

/* In a Galaxy the chip whose bus number ends in 6 has eight lanes, the others one. */
static void list_assign_widths(struct board_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		struct slot *s = &l->entries[i].slot;

		if (s->board)
			s->width = is_galaxy(s->board) && (s->bus & 0xf) == 6
					   ? 8
					   : s->board->link_width;
	}
}

/* Each device has its own root port: 01.0, 02.0, … 1f.0, 01.1, … */
static void list_assign_ports(struct board_list *l)
{
	unsigned ports[256] = { 0 };

	for (size_t i = 0; i < l->count; i++) {
		struct slot *s = &l->entries[i].slot;
		unsigned used;

		if (!s->board)
			continue;
		s->root_bus = is_galaxy(s->board) ? s->bus & 0xf0 : 0;
		used = ports[s->root_bus]++;
		s->port = (1 + used % 31) << 3 | used / 31;
	}
}

/* Since driver 2.8 the number of a Galaxy's chip follows from its bus; -1 otherwise. */
static int galaxy_number(const struct slot *s)
{
	unsigned low = s->bus & 0xf;

	for (unsigned tray = 0; tray < 4; tray++)
		if (trays[s->board->arch][tray] == (s->bus & 0xf0) && low >= 1 && low <= 8)
			return (int)(8 * tray + low - 1);
	return -1;
}

static void list_assign_numbers(struct board_list *l, const struct version *driver)
{
	bool taken[4 * MAX_DEVICES] = { false };
	bool done[ARRAY_SIZE(l->entries)] = { false };
	unsigned next = 0;

	for (size_t i = 0; i < l->count && version_at_least(driver, 2, 8); i++) {
		struct slot *s = &l->entries[i].slot;
		int n = is_galaxy(s->board) ? galaxy_number(s) : -1;

		if (n < 0 || taken[n])
			continue;
		s->number = (unsigned)n;
		taken[n] = done[i] = true;
	}
	for (size_t i = 0; i < l->count; i++) {
		if (done[i])
			continue;
		while (taken[next])
			next++;
		l->entries[i].slot.number = next;
		taken[next] = true;
	}
}

static void list_assign_identity(struct board_list *l, uint64_t seed)
{
	for (size_t i = 0; i < l->count; i++) {
		struct board_entry *e = &l->entries[i];
		struct slot *s = &e->slot;

		if (!s->board)
			continue;
		s->serial = (uint64_t)s->board->code << 36 | 0x131900000u |
			    (random_of(seed, 1, e->group) & 0xfffff);
		if (s->board->arch == WORMHOLE)
			s->serial |= 0x0100000000000000u;
		s->asic_id = random_of(seed, 2, i) | 1u << 20; /* never 0 */
		for (size_t j = 0; j < l->count; j++)
			if (l->entries[j].slot.board && l->entries[j].slot.bus < s->bus)
				s->logical++;
	}
}

int board_list_parse(const char *list, const struct version *driver, uint64_t seed,
		     struct slot ret[static MAX_DEVICES], char error[static 128])
{
	struct board_list l = { .error = error };
	int count = 0;
	int r;

	for (const char *p = list;; p++) {
		size_t length = strcspn(p, ",");

		r = list_parse_entry(&l, p, length);
		if (r < 0)
			return r;
		p += length;
		if (!*p)
			break;
	}
	if (!l.devices)
		return list_fail(&l, "no device in list", list, strlen(list));
	r = list_assign_buses(&l);
	if (r < 0)
		return r;
	list_assign_widths(&l);
	list_assign_ports(&l);
	list_assign_numbers(&l, driver);
	list_assign_identity(&l, seed);
	for (size_t i = 0; i < l.count; i++) {
		if (!l.entries[i].slot.board)
			continue;
		ret[count] = l.entries[i].slot;
		ret[count].hwmon = (unsigned)count;
		count++;
	}
	return count;
}
