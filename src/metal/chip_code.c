#include "metal/chip_code.h"

#include "basic/macros.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct machine_code {
	const uint8_t *at;
	size_t left;
};

/* Skips these bytes if they are next. */
static bool skip(struct machine_code *code, const char *bytes, size_t length)
{
	if (code->left < length || memcmp(code->at, bytes, length) != 0)
		return false;
	code->at += length;
	code->left -= length;
	return true;
}

#define SKIP(code, bytes) skip(code, bytes, sizeof(bytes) - 1)

/* mov offset(base), %eax. The offset is omitted, one byte or four. */
static bool read_load(struct machine_code *code, unsigned base, uint32_t *ret)
{
	static const size_t widths[] = { 0, 1, 4 };
	size_t mode;

	if (code->left < 2 || code->at[0] != 0x8b || (code->at[1] & 0x3f) != base)
		return false;
	mode = code->at[1] >> 6;
	if (mode >= ARRAY_SIZE(widths) || code->left < 2 + widths[mode])
		return false;
	*ret = 0;
	memcpy(ret, code->at + 2, widths[mode]);
	code->at += 2 + widths[mode];
	code->left -= 2 + widths[mode];
	return *ret <= INT8_MAX; /* one byte is signed */
}

int chip_offset_in_code(const uint8_t *bytes, size_t length, uint32_t *ret)
{
	enum { RAX = 0, RDI = 7 };
	struct machine_code code = { bytes, length };
	unsigned base = RDI;
	uint32_t offset;
	bool frame;

	SKIP(&code, "\xf3\x0f\x1e\xfa");	 /* endbr64 */
	frame = SKIP(&code, "\x55\x48\x89\xe5"); /* push %rbp; mov %rsp, %rbp */
	/* Without optimisation: mov %rdi, -8(%rbp); mov -8(%rbp), %rax */
	if (frame && SKIP(&code, "\x48\x89\x7d\xf8\x48\x8b\x45\xf8"))
		base = RAX;
	if (!read_load(&code, base, &offset))
		return -ENOENT;
	if (frame && !SKIP(&code, "\x5d")) /* pop %rbp */
		return -ENOENT;
	if (!SKIP(&code, "\xc3") && !SKIP(&code, "\xf3\xc3")) /* ret */
		return -ENOENT;
	*ret = offset;
	return 0;
}
