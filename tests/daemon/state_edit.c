/*
 * state_edit: takes the place of a server's binary for one execution. The server that executes it
 * after SIGHUP hands its state over; this program spoils it in one place and executes
 * the real server, which finds the spoiled state and all descriptors.
 *
 *	STATE_EDIT	what to spoil: the name of an edit
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

/* The first record of each section; NULL: it is empty. */
struct sections {
	struct state_head *head;
	struct state_client *client; /* one with a connection */
	struct state_process *process;
	struct ledger_entry *entry;
	struct state_legacy_connection *legacy;
	struct state_account *account;
	struct state_exit_watch *exit_watch;
	size_t length; /* of all of it */
};

static struct state_client *find_client(struct state_client *clients, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (clients[i].connection >= 0)
			return &clients[i];
	return NULL;
}

/* Walks over one process and what follows it. */
static char *skip_process(char *at, struct ledger_entry **ret_entry)
{
	const struct state_process *process = (void *)at;

	at += sizeof(*process);
	at += (size_t)__builtin_popcountll(process->devices) * sizeof(struct ledger_device);
	*ret_entry = process->entries ? (void *)at : NULL;
	return at + process->entries * sizeof(struct ledger_entry);
}

static void sections_find(char *data, size_t length, struct sections *ret)
{
	struct state_head *head = (void *)data;
	char *at = data + sizeof(*head) + head->connections * sizeof(struct state_connection);
	struct ledger_entry *entry;

	*ret = (struct sections){ .head = head, .length = length };
	ret->client = find_client((void *)at, head->clients);
	at += head->clients * sizeof(struct state_client);
	ret->process = head->processes ? (void *)at : NULL;
	for (uint32_t i = 0; i < head->processes; i++) {
		at = skip_process(at, &entry);
		if (i == 0)
			ret->entry = entry;
	}
	ret->legacy = head->legacy_connections ? (void *)at : NULL;
	at += head->legacy_connections * sizeof(struct state_legacy_connection);
	ret->account = head->accounts ? (void *)at : NULL;
	for (uint32_t i = 0; i < head->accounts; i++)
		at += sizeof(struct state_account) +
		      ((struct state_account *)(void *)at)->usages * sizeof(struct image_usage);
	ret->exit_watch = head->exit_watches ? (void *)at : NULL;
}

/* The state ends a few bytes into this record. */
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
	EDIT("record size", s->head->sizes[STATE_PROCESS] += 8)
	EDIT("last record's size", s->head->sizes[STATE_EXIT_WATCH] -= 4)
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
