/*
 * System calls, files and text without the C library, for floor.c, so that nothing runs before its
 * own code. x86-64 and AArch64.
 */
#pragma once

#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)

static inline long sys(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

/* The kernel leaves argc, argv[], NULL, envp[] on the stack. */
#define BARE_START(main) \
	__asm__(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall " #main "\n")

#elif defined(__aarch64__)

static inline long sys(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

#define BARE_START(main) __asm__(".globl _start\n_start:\n\tmov x0, sp\n\tbl " #main "\n")

#endif

/* ---- text ---- */

static inline size_t text_length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

static inline int text_begins(const char *text, const char *beginning)
{
	while (*beginning)
		if (*text++ != *beginning++)
			return 0;
	return 1;
}

/* Copies a text with its NUL. Returns the end of the copy. */
static inline char *text_append(char *at, const char *text)
{
	while (*text)
		*at++ = *text++;
	*at = '\0';
	return at;
}

static inline char *number_append(char *at, uint64_t number)
{
	char digits[24], *digit = digits + sizeof(digits);

	*--digit = '\0';
	do
		*--digit = (char)('0' + number % 10);
	while (number /= 10);
	return text_append(at, digit);
}

/* Parses the number at *text, and moves *text behind it. */
static inline uint64_t number_take(const char **text)
{
	uint64_t number = 0;

	for (; **text >= '0' && **text <= '9'; ++*text)
		number = number * 10 + (uint64_t)(**text - '0');
	return number;
}

/* ---- end ---- */

static inline _Noreturn void leave(int status)
{
	sys(__NR_exit_group, status, 0, 0, 0);
	__builtin_unreachable();
}

static inline _Noreturn void fail(const char *what)
{
	sys(__NR_write, 2, (long)"floor: cannot read ", 19, 0);
	sys(__NR_write, 2, (long)what, (long)text_length(what), 0);
	sys(__NR_write, 2, (long)"\n", 1, 0);
	leave(1);
}

/* ---- files ---- */

struct dirent_record {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

static inline int open_at(int dir, const char *path, int flags)
{
	return (int)sys(__NR_openat, dir, (long)path, flags, 0);
}

static inline int must_open(int dir, const char *path, int flags)
{
	int fd = open_at(dir, path, flags);

	if (fd < 0)
		fail(path);
	return fd;
}

/* Reads a file from its start and adds a NUL; "" if it cannot be read. */
static inline void read_again(int fd, char *text, size_t size)
{
	long n = sys(__NR_pread64, fd, (long)text, (long)size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
}

/* Opens and reads a file; returns its descriptor. Drivers differ: a missing file reads as "". */
static inline int read_at(int dir, const char *path, char *text, size_t size)
{
	int fd = open_at(dir, path, O_RDONLY);

	text[0] = '\0';
	if (fd >= 0)
		read_again(fd, text, size);
	return fd;
}

/* Calls back for each name in a directory. A short directory takes one system call. */
static inline void each_name(int dir, char *entries, size_t size,
			     void (*visit)(int dir, const char *name))
{
	long n;

	do {
		n = sys(__NR_getdents64, dir, (long)entries, (long)size, 0);
		for (long at = 0; at < n;) {
			const struct dirent_record *entry = (const void *)(entries + at);

			at += entry->length;
			if (entry->name[0] != '.')
				visit(dir, entry->name);
		}
	} while (n > (long)size / 2);
}
