#include "proto/visible_devices.h"

#include <errno.h>
#include <string.h>

static const char blanks[] = " \t\r\n";
static const char digits[] = "0123456789";
static const char address_characters[] = "0123456789abcdefABCDEF:.";

struct token {
	const char *at;
	size_t length;
};

/* The next token without surrounding blanks, possibly empty; false at the end. */
static bool token_next(const char **rest, const char *end, struct token *ret)
{
	const char *comma;

	if (!*rest)
		return false;
	comma = memchr(*rest, ',', (size_t)(end - *rest));
	*ret = (struct token){ *rest, (size_t)((comma ? comma : end) - *rest) };
	*rest = comma ? comma + 1 : NULL;
	while (ret->length && memchr(blanks, ret->at[0], sizeof(blanks) - 1)) {
		ret->at++;
		ret->length--;
	}
	while (ret->length && memchr(blanks, ret->at[ret->length - 1], sizeof(blanks) - 1))
		ret->length--;
	return true;
}

static bool token_consists_of(struct token token, const char *characters)
{
	for (size_t i = 0; i < token.length; i++)
		if (!strchr(characters, token.at[i]))
			return false;
	return true;
}

static enum visible_status take_number(struct visible_devices *visible, struct token token)
{
	uint32_t number = 0;

	for (size_t i = 0; i < token.length; i++) {
		number = number * 10 + (uint32_t)(token.at[i] - '0');
		if (number >= VISIBLE_NUMBERS)
			return VISIBLE_MALFORMED;
	}
	visible->numbers[number / 64] |= UINT64_C(1) << number % 64;
	return VISIBLE_LIST;
}

static enum visible_status take_pattern(struct visible_devices *visible, struct token token)
{
	char pattern[PCI_ADDRESS_SIZE] = "";

	if (token.length >= sizeof(pattern) || !token_consists_of(token, address_characters) ||
	    (!memchr(token.at, ':', token.length) && !memchr(token.at, '.', token.length)))
		return VISIBLE_MALFORMED;
	memcpy(pattern, token.at, token.length);
	for (uint32_t i = 0; i < visible->n_patterns; i++)
		if (strcmp(visible->patterns[i], pattern) == 0)
			return VISIBLE_LIST;
	if (visible->n_patterns == VISIBLE_PATTERNS)
		return VISIBLE_TOO_LONG;
	memcpy(visible->patterns[visible->n_patterns++], pattern, sizeof(pattern));
	return VISIBLE_LIST;
}

void visible_parse(const char *value, struct visible_devices *ret)
{
	enum visible_status status = VISIBLE_LIST;
	struct token token;
	size_t length;

	*ret = (struct visible_devices){ .status = VISIBLE_UNSET };
	if (!value)
		return;
	length = strnlen(value, VISIBLE_LENGTH_MAX + 1);
	if (length > VISIBLE_LENGTH_MAX)
		status = VISIBLE_TOO_LONG;
	for (const char *rest = value;
	     status == VISIBLE_LIST && token_next(&rest, value + length, &token);) {
		if (token.length == 0)
			continue;
		status = token_consists_of(token, digits) ? take_number(ret, token)
							  : take_pattern(ret, token);
	}
	if (status != VISIBLE_LIST)
		*ret = (struct visible_devices){ 0 };
	ret->status = (uint32_t)status;
}

enum visible_meaning visible_meaning_of(bool positions, bool order_by_id)
{
	unsigned meaning = positions ? VISIBLE_BY_POSITION : VISIBLE_BY_NODE;

	return (enum visible_meaning)(meaning | (order_by_id ? VISIBLE_ORDER_BY_ID : 0));
}

static uint64_t cards_with_address(const char *pattern, enum visible_meaning meaning,
				   const struct visible_card *cards, size_t count)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < count; i++) {
		char text[PCI_ADDRESS_SIZE];

		pci_address_format(cards[i].bdf, text);
		if (meaning == VISIBLE_BY_POSITION ? strstr(text, pattern) != NULL
						   : strcmp(text, pattern) == 0)
			mask |= UINT64_C(1) << i;
	}
	return mask;
}

static uint64_t cards_with_number(uint32_t number, enum visible_meaning meaning,
				  const struct visible_card *cards, size_t count)
{
	if (meaning == VISIBLE_BY_POSITION)
		return number < count ? UINT64_C(1) << number : 0;
	for (size_t i = 0; i < count; i++)
		if (cards[i].node == number)
			return UINT64_C(1) << i;
	return 0;
}

/* Resolves the list for one meaning. If a token matches no card, the result is empty. */
static uint64_t resolve_list(const struct visible_devices *visible, enum visible_meaning meaning,
			     const struct visible_card *cards, size_t count)
{
	uint64_t mask = 0, found;

	for (uint32_t i = 0; i < ARRAY_SIZE(visible->numbers); i++) {
		for (uint64_t left = visible->numbers[i]; left; left &= left - 1) {
			found = cards_with_number(i * 64 + (uint32_t)__builtin_ctzll(left), meaning,
						  cards, count);
			if (!found)
				return 0;
			mask |= found;
		}
	}
	for (uint32_t i = 0; i < visible->n_patterns; i++) {
		found = cards_with_address(visible->patterns[i], meaning, cards, count);
		if (!found)
			return 0;
		mask |= found;
	}
	return mask;
}

unsigned visible_resolve(const struct visible_devices *visible, enum visible_meaning meaning,
			 const struct visible_card *cards, size_t count, uint64_t ret_masks[2])
{
	ret_masks[0] = ret_masks[1] = 0;
	meaning &= VISIBLE_BY_EITHER;
	count = MIN(count, (size_t)VISIBLE_CARDS);
	if (visible->status == VISIBLE_UNSET)
		ret_masks[0] = count == VISIBLE_CARDS ? UINT64_MAX : (UINT64_C(1) << count) - 1;
	if (visible->status != VISIBLE_LIST)
		return 1;
	if (meaning != VISIBLE_BY_EITHER) {
		ret_masks[0] = resolve_list(visible, meaning, cards, count);
		return 1;
	}
	ret_masks[0] = resolve_list(visible, VISIBLE_BY_POSITION, cards, count);
	ret_masks[1] = resolve_list(visible, VISIBLE_BY_NODE, cards, count);
	return ret_masks[0] == ret_masks[1] ? 1 : 2;
}

/* The position of the set bit with this many set bits below it; -1 if there is none. */
static int nth_bit(uint64_t mask, uint64_t n)
{
	for (; mask; mask &= mask - 1)
		if (n-- == 0)
			return __builtin_ctzll(mask);
	return -1;
}

int visible_find(const struct visible_devices *visible, enum visible_meaning meaning,
		 const struct visible_card *cards, size_t count, uint64_t id)
{
	uint64_t masks[2];
	unsigned answers;
	int position;

	switch ((enum visible_status)visible->status) {
	case VISIBLE_UNSET:
	case VISIBLE_LIST: break;
	case VISIBLE_MALFORMED: return -EINVAL;
	case VISIBLE_TOO_LONG: return -E2BIG;
	case VISIBLE_UNREADABLE: return -EACCES;
	}
	answers = visible_resolve(visible, meaning, cards, count, masks);
	position = nth_bit(masks[0], id);
	if (answers == 2 && nth_bit(masks[1], id) != position)
		return -ENOTUNIQ;
	if (meaning & VISIBLE_ORDER_BY_ID && __builtin_popcountll(masks[0]) > 1)
		return -ENOTUNIQ;
	return position < 0 ? -ENODEV : position;
}
