#include "cli/run_program.h"

#include "metal/library.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

/* As much as the kernel looks at for a script; program headers come next to the start. */
enum { HEAD = 4096, INTERPRETERS_MAX = 5 };

struct head {
	union {
		char text[HEAD + 1];
		Elf64_Ehdr elf;
	};
	size_t length;
};

static int look_at(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

int program_find(const char *name, char *path, size_t size)
{
	const char *list = getenv("PATH");
	int r = -ENOENT;

	if (strchr(name, '/')) {
		snprintf(path, size, "%s", name);
		return look_at(name);
	}
	for (list = list ? list : "/bin:/usr/bin"; name[0]; list++) {
		size_t length = strcspn(list, ":");
		int n = snprintf(path, size, "%.*s%s%s", (int)length, list, length ? "/" : "",
				 name);
		int seen = n < 0 || (size_t)n >= size ? -ENOENT : look_at(path);

		if (seen == 0)
			return 0;
		if (seen == -EACCES)
			r = seen;
		list += length;
		if (!*list)
			break;
	}
	return r;
}

static int head_read(const char *path, struct head *ret)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, ret->text, HEAD);
	if (n < 0)
		return -errno;
	ret->length = (size_t)n;
	ret->text[n] = '\0';
	return 0;
}

/* "#! /path argument" */
static bool interpreter_of(const struct head *head, char *path, size_t size)
{
	const char *at = head->text + 2;
	size_t length;

	if (strncmp(head->text, "#!", 2) != 0)
		return false;
	at += strspn(at, " \t");
	length = strcspn(at, " \t\r\n");
	if (length == 0 || length >= size)
		return false;
	memcpy(path, at, length);
	path[length] = '\0';
	return true;
}

static bool is_elf(const struct head *head)
{
	return head->length >= sizeof(Elf64_Ehdr) && memcmp(head->text, ELFMAG, SELFMAG) == 0;
}

/*
 * The loader works with rights of another user: it then ignores what is to be preloaded. Such
 * programs are often not to be read, so this looks at no more than who owns it.
 */
static bool gains_rights(const char *path)
{
	struct stat st;
	char caps[64];

	if (stat(path, &st) < 0)
		return false;
	return ((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
	       ((st.st_mode & S_ISGID) && st.st_gid != getegid()) ||
	       (geteuid() != 0 && getxattr(path, "security.capability", caps, sizeof(caps)) > 0);
}

static bool has_loader(const struct head *head)
{
	for (size_t i = 0; i < head->elf.e_phnum; i++) {
		size_t at = head->elf.e_phoff + i * head->elf.e_phentsize;
		Elf64_Phdr segment;

		if (at + sizeof(segment) > head->length)
			return true; /* cannot be told: assume the best */
		memcpy(&segment, head->text + at, sizeof(segment));
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

/* A program calls what is part of it without asking the loader. */
static bool contains_metal(const char *path)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct metal_library library;
	int r = fd < 0 ? -errno : metal_library_read(&library, fd);

	return r == 0 || r == -ENOTSUP;
}

const char *program_obstacle(const char *path)
{
	char interpreter[PATH_MAX];
	struct head self, head;
	int r;

	if (head_read("/proc/self/exe", &self) < 0)
		return NULL;
	for (int i = 0; i < INTERPRETERS_MAX; i++) {
		r = head_read(path, &head);
		if (r < 0 || !interpreter_of(&head, interpreter, sizeof(interpreter)))
			break;
		path = interpreter;
	}
	/* Of a script they are not heeded, of its interpreter they are. */
	if ((r < 0 || is_elf(&head)) && gains_rights(path))
		return "gets rights of another user";
	if (r < 0 || !is_elf(&head))
		return NULL; /* may be executed all the same */
	if (head.elf.e_ident[EI_CLASS] != self.elf.e_ident[EI_CLASS] ||
	    head.elf.e_machine != self.elf.e_machine)
		return "is made for another machine";
	if (!has_loader(&head))
		return "is linked statically";
	return contains_metal(path) ? "has TT-Metal built in" : NULL;
}
