/* Fuzzes the parser of TT_VISIBLE_DEVICES, which a process chooses. */
#include "fuzz.h"

#include "proto/visible_devices.h"

#include <errno.h>

static const struct visible_card cards[] = {
	{ .bdf = 0x00100, .node = 10 },
	{ .bdf = 0x08100, .node = 2 },
	{ .bdf = 0x0c100, .node = 0 },
	{ .bdf = UINT64_C(0x10000e100), .node = 1 },
};

static const size_t n_cards = sizeof(cards) / sizeof(cards[0]);

/* The devices of a process are numbered without gaps, in the order of addresses. */
static void check_order(const struct visible_devices *visible, enum visible_meaning meaning)
{
	bool ended = false;
	int last = -1;

	for (uint64_t id = 0; id <= n_cards; id++) {
		int position = visible_find(visible, meaning, cards, n_cards, id);

		CHECK(position < (int)n_cards);
		CHECK(meaning == VISIBLE_BY_EITHER || position != -ENOTUNIQ);
		if (position == -ENOTUNIQ)
			continue;
		if (position < 0) {
			ended = true;
			continue;
		}
		CHECK(!ended && position > last);
		last = position;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct visible_devices visible;

	visible_parse(text, &visible);
	CHECK(visible.status == VISIBLE_LIST || visible.status == VISIBLE_MALFORMED ||
	      visible.status == VISIBLE_TOO_LONG);
	CHECK(visible.n_patterns <= VISIBLE_PATTERNS);
	for (uint32_t i = 0; i < visible.n_patterns; i++)
		CHECK(fuzz_is_text(visible.patterns[i], sizeof(visible.patterns[i])) &&
		      strstr(text, visible.patterns[i]));
	check_order(&visible, VISIBLE_BY_POSITION);
	check_order(&visible, VISIBLE_BY_NODE);
	check_order(&visible, VISIBLE_BY_EITHER);
	free(text);
	return 0;
}
