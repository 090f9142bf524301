#include "basic/parse.h"

#include <errno.h>
#include <string.h>

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

int parse_leading(const char **text, unsigned base, uint64_t *ret)
{
	uint64_t value = 0;
	const char *p = *text;

	for (; (unsigned)digit_value(*p) < base; p++) {
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit_value(*p), &value))
			return -ERANGE;
	}
	if (p == *text)
		return -EINVAL;

	*text = p;
	*ret = value;
	return 0;
}

static int parse_digits(const char *text, unsigned base, uint64_t *ret)
{
	uint64_t value;
	int r = parse_leading(&text, base, &value);

	if (r < 0)
		return r;
	if (*text == '\n')
		text++;
	if (*text != '\0')
		return -EINVAL;

	*ret = value;
	return 0;
}

int parse_u64(const char *text, uint64_t *ret)
{
	return parse_digits(text, 10, ret);
}

int parse_u32(const char *text, uint32_t *ret)
{
	uint64_t value;
	int r;

	r = parse_digits(text, 10, &value);
	if (r < 0)
		return r;
	if (value > UINT32_MAX)
		return -ERANGE;
	*ret = (uint32_t)value;
	return 0;
}

int parse_i64(const char *text, int64_t *ret)
{
	int negative = text[0] == '-';
	uint64_t value;
	int r;

	r = parse_digits(text + negative, 10, &value);
	if (r < 0)
		return r;
	if (value > (uint64_t)INT64_MAX + (uint64_t)negative)
		return -ERANGE;
	*ret = negative ? (int64_t)(0 - value) : (int64_t)value;
	return 0;
}

int parse_hex(const char *text, uint64_t *ret)
{
	return parse_digits(text, 16, ret);
}

int parse_hex_prefixed(const char *text, uint64_t *ret)
{
	if (text[0] != '0' || text[1] != 'x')
		return -EINVAL;
	return parse_digits(text + 2, 16, ret);
}

bool parse_has_word(const char *list, const char *word, size_t length)
{
	while (list && *list) {
		size_t n = strcspn(list, " ");

		if (n == length && memcmp(list, word, length) == 0)
			return true;
		list += n;
		list += *list == ' ';
	}
	return false;
}
