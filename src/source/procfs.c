#include "source/procfs.h"

#include "basic/parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The word after n others, words separated by single blanks; "" if there are fewer. */
static const char *skip_words(const char *text, unsigned n)
{
	while (n-- > 0) {
		text = strchr(text, ' ');
		if (!text)
			return "";
		text++;
	}
	return text;
}

static bool word_u64(const char *word, uint64_t *ret)
{
	uint64_t number = 0;
	const char *at = word;

	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(number, UINT64_C(10), &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
			return false;
	*ret = number;
	return at > word && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\0');
}

/*
 * The name may contain anything, including blanks and parentheses; the last parenthesis ends it.
 * The words after it are fields 3 and on of proc(5); each is searched from the one before.
 */
int procfs_parse_stat(const char *text, struct procfs_stat *ret)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	struct procfs_stat stat = { 0 };
	uint64_t parent, user, system;

	if (!open || !close || close < open || close[1] != ' ')
		return -EBADMSG;
	memcpy(stat.comm, open + 1, MIN((size_t)(close - open - 1), sizeof(stat.comm) - 1));
	text = close + 2;
	stat.state = text[0];
	text = skip_words(text, 1);
	if (!word_u64(text, &parent) || parent > INT32_MAX)
		return -EBADMSG;
	text = skip_words(text, 10);
	if (!word_u64(text, &user) || !word_u64(skip_words(text, 1), &system))
		return -EBADMSG;
	text = skip_words(text, 8);
	if (!word_u64(text, &stat.start_ticks) || !word_u64(skip_words(text, 1), &stat.size) ||
	    !word_u64(skip_words(text, 2), &stat.rss_pages))
		return -EBADMSG;
	if (!word_u64(skip_words(text, 6), &stat.stack_start))
		stat.stack_start = 0;
	stat.parent = (int32_t)parent;
	stat.cpu_ticks = user + system;
	*ret = stat;
	return 0;
}

/* The line that begins with this key; NULL: there is none. */
static const char *find_line(const char *text, const char *key)
{
	size_t length = strlen(key);

	while (strncmp(text, key, length) != 0) {
		text = strchr(text, '\n');
		if (!text)
			return NULL;
		text++;
	}
	return text + length;
}

static void parse_ns_pids(const char *text, struct procfs_status *status)
{
	while (status->ns_depth < ARRAY_SIZE(status->ns_pids)) {
		uint64_t pid;

		text += strspn(text, " \t");
		if (!word_u64(text, &pid) || pid > INT32_MAX)
			return;
		status->ns_pids[status->ns_depth++] = (int32_t)pid;
		text += strcspn(text, " \t\n");
	}
}

/* Real, effective, saved and that of file systems, separated by tabs. */
static bool parse_uids(const char *text, struct procfs_status *status)
{
	status->is_root = true;
	for (unsigned i = 0; i < 4; i++) {
		uint64_t uid;

		if (!word_u64(text, &uid) || uid > UINT32_MAX)
			return false;
		status->is_root &= uid == 0;
		if (i == 1)
			status->uid = (uint32_t)uid;
		text += strcspn(text, "\t\n");
		text += *text == '\t';
	}
	return true;
}

int procfs_parse_status(const char *text, struct procfs_status *ret)
{
	const char *uid = find_line(text, "Uid:\t"), *ns = find_line(text, "NSpid:");
	struct procfs_status status = { 0 };

	if (!uid || !parse_uids(uid, &status))
		return -EBADMSG;
	if (ns)
		parse_ns_pids(ns, &status);
	*ret = status;
	return 0;
}

void procfs_program_name(const char *data, size_t length, char *name, size_t size)
{
	size_t first = strnlen(data, length), base = 0, kept;
	const char *slash = first ? memrchr(data, '/', first - 1) : NULL;

	if (slash)
		base = (size_t)(slash + 1 - data);
	kept = MIN(first - base, size - 1);
	memcpy(name, data + base, kept);
	name[kept] = '\0';
}

void procfs_join_arguments(const char *data, size_t length, char *command, size_t size)
{
	char *gap;

	while (length && data[length - 1] == '\0')
		length--;
	length = MIN(length, size - 1);
	memcpy(command, data, length);
	command[length] = '\0';
	for (gap = command; (gap = memchr(gap, '\0', (size_t)(command + length - gap)));)
		*gap = ' ';
}

bool procfs_is_title(const char *first, const char *name, const char *comm)
{
	/* The kernel keeps 15 bytes, and threads may change them: python3 stays python3. */
	if (strncmp(name, comm, 15) == 0)
		return false;
	return first[0] == '-' || strpbrk(first, " :");
}

int procfs_parse_pids(const char *text, void (*each)(int32_t pid, void *arg), void *arg)
{
	while (*text) {
		const char *end = strchr(text, '\n');
		uint64_t pid;

		if (!end || !word_u64(text, &pid) || pid > INT32_MAX ||
		    (size_t)(end - text) != strspn(text, "0123456789"))
			return -EBADMSG;
		each((int32_t)pid, arg);
		text = end + 1;
	}
	return 0;
}

bool procfs_parse_devices(const char *text, uint32_t *ret_major)
{
	while (text && *text) {
		const char *name = text + strspn(text, " ");
		uint64_t major;

		if (word_u64(name, &major) && major <= UINT32_MAX) {
			name += strspn(name, "0123456789");
			if (strncmp(name, " tenstorrent\n", 13) == 0) {
				*ret_major = (uint32_t)major;
				return true;
			}
		}
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return false;
}

bool procfs_parse_btime(const char *text, int64_t *ret_seconds)
{
	const char *line = find_line(text, "btime ");
	uint64_t seconds;

	if (!line || !word_u64(line, &seconds) || seconds > INT64_MAX / 1000000000)
		return false;
	*ret_seconds = (int64_t)seconds;
	return true;
}

bool procfs_names_node(const char *text, const char *prefix, uint32_t *ret_index)
{
	static const char directory[] = "/dev/tenstorrent/";
	const char *at = strstr(text, directory);
	size_t before;
	uint64_t index;

	if (!at)
		return false;
	/* A link is just the path; a line of maps has it after blanks. */
	before = (size_t)(at - text);
	if (before && at[-1] != ' ') {
		size_t length = strlen(prefix);

		if (length == 0 || before < length || strncmp(at - length, prefix, length) != 0 ||
		    (before > length && at[-(ptrdiff_t)length - 1] != ' '))
			return false;
	}
	at += sizeof(directory) - 1;
	before = strspn(at, "0123456789");
	if ((at[before] != '\0' && strcmp(at + before, "\n") != 0) || !word_u64(at, &index) ||
	    index > UINT32_MAX)
		return false;
	*ret_index = (uint32_t)index;
	return true;
}

const char *procfs_find_variable(const char *data, size_t length, const char *name)
{
	size_t name_length = strlen(name);

	for (size_t at = 0; at < length; at += strlen(data + at) + 1)
		if (strncmp(data + at, name, name_length) == 0 && data[at + name_length] == '=')
			return data + at + name_length + 1;
	return NULL;
}
