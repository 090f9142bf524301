#include "source/usernames.h"

#include "basic/parse.h"
#include "basic/text.h"
#include "basic/command_output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "name:x:uid:…" in passwd(5) text. */
static bool passwd_find(const char *text, uint32_t uid, char *name, size_t size)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		const char *colon = memchr(text, ':', length);
		const char *second =
			colon ? memchr(colon + 1, ':', length - (size_t)(colon + 1 - text)) : NULL;
		char digits[12] = { 0 };
		uint32_t found;

		if (second) {
			size_t n = strcspn(second + 1, ":\n");

			memcpy(digits, second + 1, MIN(n, sizeof(digits) - 1));
			if (parse_u32(digits, &found) == 0 && found == uid) {
				snprintf(name, size, "%.*s", (int)MIN(colon - text, 32), text);
				return true;
			}
		}
		text += length;
		text += *text == '\n';
	}
	return false;
}

/*
 * Asks the name service of the C library (nsswitch.conf(5)) by executing getent(1): its modules
 * belong to a libc that is loaded at run time, and this program may have one of its own linked in.
 * A module may query a network, so the answer has a deadline.
 */
static bool ask_system(struct usernames *names, struct sample *sample, uint32_t uid, char *name,
		       size_t size)
{
	char digits[12], line[1024];
	const char *const arguments[] = { "getent", "passwd", digits, NULL };
	ssize_t n;

	if (!sample->root->live || names->timed_out)
		return false;
	snprintf(digits, sizeof(digits), "%u", uid);
	n = command_output_line("/usr/bin/getent", arguments, sample->deadline_ns, line,
				sizeof(line));
	names->timed_out = n == -ETIMEDOUT; /* it is not asked again */
	return n > 0 && passwd_find(line, uid, name, size);
}

void usernames_find(struct usernames *names, struct sample *sample, uint32_t uid, char *name,
		    size_t size)
{
	struct user_name *grown;

	for (size_t i = 0; i < names->count; i++)
		if (names->list[i].uid == uid) {
			text_copy(name, size, names->list[i].text);
			return;
		}
	if (!names->passwd_read) {
		names->passwd_read = true;
		if (root_read_all(sample->root, "etc/passwd", 4 << 20, &names->passwd) < 0)
			buf_reset(&names->passwd);
	}
	if (!passwd_find(buf_text(&names->passwd), uid, name, size) &&
	    !ask_system(names, sample, uid, name, size))
		snprintf(name, size, "%u", uid);
	grown = reallocarray(names->list, names->count + 1, sizeof(*grown));
	if (!grown)
		return;
	names->list = grown;
	grown[names->count].uid = uid;
	snprintf(grown[names->count++].text, sizeof(grown->text), "%s", name);
}

void usernames_done(struct usernames *names)
{
	buf_done(&names->passwd);
	free(names->list);
	*names = (struct usernames){ 0 };
}
