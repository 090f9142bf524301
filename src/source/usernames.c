#include "source/usernames.h"

#include "basic/parse.h"

#include <pwd.h>
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

/* Asks the system's name service, which may load modules and query a network. */
static bool system_find(uint32_t uid, char *name, size_t size)
{
	struct passwd entry, *found = NULL;
	char text[2048];

	if (getpwuid_r(uid, &entry, text, sizeof(text), &found) != 0 || !found)
		return false;
	snprintf(name, size, "%s", entry.pw_name);
	return true;
}

struct lookup {
	struct job job;
	uint32_t uid;
	char name[33];
};

static void lookup_run(void *arg)
{
	struct lookup *lookup = arg;

	if (!system_find(lookup->uid, lookup->name, sizeof(lookup->name)))
		lookup->name[0] = '\0';
}

/* A name service that did not answer is not asked again. */
static bool ask_system(struct usernames *names, struct sample *sample, uint32_t uid, char *name,
		       size_t size)
{
	struct lookup *lookup;
	struct job *job;
	bool done;

	if (!sample->root->live || names->deaf)
		return false;
	lookup = calloc(1, sizeof(*lookup));
	if (!lookup)
		return false;
	lookup->uid = uid;
	lookup->job = (struct job){ .run = lookup_run, .arg = lookup };
	job = &lookup->job;
	done = worker_pool_run(sample->workers, &job, 1, sample->deadline_ns);
	if (!done) {
		names->deaf = true;
		return false; /* its memory is left to the job */
	}
	snprintf(name, size, "%s", lookup->name);
	free(lookup);
	return name[0];
}

void usernames_find(struct usernames *names, struct sample *sample, uint32_t uid, char *name,
		    size_t size)
{
	struct user_name *grown;

	for (size_t i = 0; i < names->count; i++)
		if (names->list[i].uid == uid) {
			snprintf(name, size, "%s", names->list[i].text);
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
