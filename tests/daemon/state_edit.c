/*
 * state_edit: stands in for the server's binary when the server executes itself again after SIGHUP
 * and passes its state on. It damages the state in one place and executes the real server, which
 * gets the damaged state and all descriptors.
 *
 *	STATE_EDIT	name of the damage
 *	STATE_NEXT	path of the real server
 */
#include "daemon/state.h"

#include "basic/parse.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOO_MANY = 1 << 26 }; /* more records than the state has bytes */

static const char variable[] = "TT_ALLOCD_STATE";

/* The first record of each kind; NULL: there is none. */
struct sections {
	struct state_head *head;
	struct state_client *client; /* one with a connection */
	struct state_process *process;
	struct ledger_entry *entry; /* of the process */
	struct state_legacy_connection *legacy;
	struct state_account *account;
	struct state_exit_watch *exit_watch;
	size_t length; /* of the whole state */
};

static struct state_frame *frame_of(void *record)
{
	return (struct state_frame *)record - 1;
}

static void section_note(struct sections *ret, const struct state_frame *frame, void *record)
{
	struct state_client *client = record;

	if (frame->kind == STATE_CLIENT && !ret->client && client->connection >= 0)
		ret->client = client;
	if (frame->kind == STATE_PROCESS && !ret->process)
		ret->process = record;
	if (frame->kind == STATE_LEGACY && !ret->legacy)
		ret->legacy = record;
	if (frame->kind == STATE_ACCOUNT && !ret->account)
		ret->account = record;
	if (frame->kind == STATE_EXIT_WATCH && !ret->exit_watch)
		ret->exit_watch = record;
}

static void sections_find(char *data, size_t length, struct sections *ret)
{
	char *at = data + sizeof(struct state_head);

	*ret = (struct sections){ .head = (void *)data, .length = length };
	while (at < data + length) {
		const struct state_frame *frame = (void *)at;

		section_note(ret, frame, at + sizeof(*frame));
		at += sizeof(*frame) + frame->size;
	}
	if (ret->process && ret->process->entries)
		ret->entry = (void *)((char *)(ret->process + 1) +
				      (size_t)__builtin_popcountll(ret->process->devices) *
					      sizeof(struct ledger_device));
}

/* The state is truncated a few bytes into this record. */
static void end_within(struct sections *s, const void *record)
{
	s->length = (size_t)((const char *)record - (const char *)s->head) + 8;
}

#define EDIT(name, what)               \
	if (strcmp(edit, name) == 0) { \
		what;                  \
		return true;           \
	}

static bool state_spoil(struct sections *s, const char *edit)
{
	EDIT("nothing", (void)0)
	EDIT("magic", s->head->magic++)
	EDIT("version", s->head->version++)
	EDIT("older version", s->head->version--)
	EDIT("head size", s->head->size += 8)
	EDIT("client's size", frame_of(s->client)->size += 8)
	EDIT("process's size", frame_of(s->process)->size += 8)
	EDIT("process's size by an entry",
	     frame_of(s->process)->size -= sizeof(struct ledger_entry))
	EDIT("legacy connection's size", frame_of(s->legacy)->size -= 8)
	EDIT("account's size", frame_of(s->account)->size -= sizeof(struct image_usage))
	EDIT("last record's size", frame_of(s->exit_watch)->size -= 4)
	EDIT("no size", frame_of(s->account)->size = 0)
	EDIT("kind", frame_of(s->client)->kind = STATE_RECORDS)
	EDIT("another kind", frame_of(s->exit_watch)->kind = STATE_CONNECTION)
	EDIT("connections", s->head->connections = TOO_MANY)
	EDIT("clients", s->head->clients = TOO_MANY)
	EDIT("processes", s->head->processes = TOO_MANY)
	EDIT("legacy connections", s->head->legacy_connections = TOO_MANY)
	EDIT("accounts", s->head->accounts = TOO_MANY)
	EDIT("exit_watches", s->head->exit_watches = TOO_MANY)
	EDIT("client's connection", s->client->connection = INT32_MAX)
	EDIT("client's connection by one", s->client->connection = (int32_t)s->head->connections)
	EDIT("entries", s->process->entries = UINT32_MAX)
	EDIT("devices", s->process->devices = UINT64_MAX)
	EDIT("entry's device", s->entry->device = 200)
	EDIT("entry's device by one", s->entry->device = TABLE_DEVICES)
	EDIT("entry's device that has no totals", s->entry->device = 5)
	EDIT("entry's pool", s->entry->pool = 200)
	EDIT("entry's pool by one", s->entry->pool = POOL_COUNT)
	EDIT("entry's size", s->entry->size = 0)
	EDIT("legacy connection's process", s->legacy->process = INT32_MAX)
	EDIT("legacy connection's process below", s->legacy->process = INT32_MIN)
	EDIT("received", s->legacy->in_length = UINT16_MAX)
	EDIT("received beyond its end", s->legacy->in_at = UINT16_MAX)
	EDIT("sent", (s->legacy->state = LEGACY_WRITING, s->legacy->out_length = UINT16_MAX))
	EDIT("bytes of a record", s->legacy->stream.have = UINT16_MAX)
	EDIT("size of records", s->legacy->stream.size = UINT16_MAX)
	EDIT("usages of an account", s->account->usages = UINT32_MAX)
	EDIT("exit_watch's account", s->exit_watch->account = UINT32_MAX)
	EDIT("exit_watch's account by one", s->exit_watch->account = s->head->accounts)
	EDIT("end within the head", end_within(s, &s->head->own))
	EDIT("end within a client", end_within(s, s->client))
	EDIT("end within a process", end_within(s, s->process))
	EDIT("end within an entry", end_within(s, s->entry))
	EDIT("end within a legacy connection", end_within(s, s->legacy))
	EDIT("end within an account", end_within(s, s->account))
	EDIT("end within the usages of an account", end_within(s, s->account + 1))
	EDIT("end one byte early", s->length--)
	return false;
}

static int state_copy(const char *data, size_t length)
{
	int fd = memfd_create("spoiled", 0);

	return fd >= 0 && write(fd, data, length) == (ssize_t)length ? fd : -1;
}

int main(int argc, char **argv)
{
	const char *edit = getenv("STATE_EDIT"), *number = getenv(variable);
	struct sections sections;
	char text[16], *data;
	uint32_t fd;
	struct stat st;
	int spoiled;

	(void)argc;
	if (!edit || !number || parse_u32(number, &fd) < 0 || fstat((int)fd, &st) < 0)
		return 2;
	data = malloc((size_t)st.st_size);
	if (!data || pread((int)fd, data, (size_t)st.st_size, 0) != st.st_size)
		return 2;
	close((int)fd);
	sections_find(data, (size_t)st.st_size, &sections);
	if (!state_spoil(&sections, edit))
		return 2;
	spoiled = state_copy(data, sections.length);
	snprintf(text, sizeof(text), "%d", spoiled);
	setenv(variable, text, 1);
	argv[0] = getenv("STATE_NEXT");
	execv(argv[0], argv);
	return 2;
}
