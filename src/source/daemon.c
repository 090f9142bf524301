/*
 * Memory per process, as tt_allocd knows it: tables of all users' programs, clients
 * of the socket protocol, TT-Metal's files that we may not read ourselves. Asked
 * once per sample; a server that is not there costs two system calls.
 */
#include "source/source.h"

#include "basic/clock.h"
#include "proto/wire.h"
#include "source/identity.h"
#include "source/server.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const int64_t patience_ns = 300 * NS_PER_MS;

struct daemon {
	int fd; /* kept between samples, -1 */
};

static const enum tracking trackings[IMAGE_ORIGINS] = {
	[IMAGE_TABLE] = TRACKING_TABLE,
	[IMAGE_LEGACY] = TRACKING_WIRE,
	[IMAGE_TRACED] = TRACKING_TRACED,
	[IMAGE_METAL] = TRACKING_METAL,
};

static void add_pool(struct claim *claim, const struct image_usage *usage)
{
	switch ((enum table_pool)usage->pool) {
	case TABLE_DRAM:
		claim->dram = usage->now_bytes;
		claim->peak_dram = usage->peak_bytes;
		break;
	case TABLE_L1:
		claim->l1 = usage->now_bytes;
		claim->peak_l1 = usage->peak_bytes;
		break;
	case TABLE_L1_SMALL: claim->l1_small = usage->now_bytes; break;
	case TABLE_TRACE: claim->trace = usage->now_bytes; break;
	case TABLE_CB: claim->cb = usage->now_bytes; break;
	case TABLE_SYSTEM: /* host memory */
	case TABLE_KERNEL: /* in the reserved part of L1 */
	case TABLE_POOLS: break;
	}
}

/* All pools of one device: they follow each other. */
static size_t read_device(const struct image_usage *usages, size_t count, struct claim *claim)
{
	size_t n = 0;

	while (n < count && usages[n].device == usages[0].device)
		add_pool(claim, &usages[n++]);
	return n;
}

/* A reporting program need not have the device open, as the demo has not. */
static int add_process(struct snapshot *snapshot, int32_t pid)
{
	struct process *process = snapshot_find_process(snapshot, pid);

	if (process)
		return 0;
	process = snapshot_add_process(snapshot, pid);
	if (!process)
		return -ENOMEM;
	process->how = HOLDING_COUNTERS;
	snprintf(process->holding, sizeof(process->holding), "%s", holding_name(process->how));
	process->why[PROC_HOLDING] = KNOWN;
	return 0;
}

static int take_process(struct sample *sample, const struct image_view *view,
			const struct image_process *from)
{
	const struct image_usage *usages = view->usages + from->usage_first;
	size_t at = 0;
	int r = 0;

	while (at < from->usage_count && r >= 0) {
		const struct image_usage *usage = &usages[at];
		const struct table_device wanted = { usage->known, usage->node, usage->bdf,
						     usage->asic };
		struct claim claim = {
			.pid = (int32_t)from->pid,
			.start_ticks = from->start_ticks,
			.source = trackings[from->origin],
			.connected = from->origin == IMAGE_TABLE || from->origin == IMAGE_LEGACY,
			.has_peak = from->origin != IMAGE_METAL,
		};

		at += read_device(usage, from->usage_count - at, &claim);
		if (!identity_find(sample->snapshot, &wanted, &claim.device)) {
			snapshot_complain(sample->snapshot, "daemon",
					  "process %u: its device %u is none of this machine",
					  from->pid, usage->device);
			continue;
		}
		r = add_process(sample->snapshot, claim.pid);
		if (r >= 0)
			r = sample_claim(sample, &claim);
	}
	return r;
}

static int take_answer(struct sample *sample, const struct image_view *view)
{
	int r = 0;

	sample->snapshot->server_pid = (int32_t)view->header->server_pid;
	for (uint32_t i = 0; i < view->header->process_count && r >= 0; i++)
		if (!(view->processes[i].flags & IMAGE_FINISHED))
			r = take_process(sample, view, &view->processes[i]);
	return r;
}

/* Is there a server to ask? A recorded machine's is long gone. */
static bool is_asked(const struct sample *sample)
{
	const char *named = getenv("TT_ALLOCD_SOCKET");

	return sample->want->memory && (sample->root->live || (named && named[0]));
}

static int daemon_sample(void *state, struct sample *sample)
{
	struct daemon *daemon = state;
	struct server_answer answer;
	int r = -ENOENT;

	if (!is_asked(sample))
		return 0;
	/* A kept connection may have outlived its server: then a new one is tried. */
	for (int tries = 0; tries < 2 && r < 0; tries++) {
		if (daemon->fd < 0)
			daemon->fd = server_connect();
		if (daemon->fd < 0) {
			r = daemon->fd;
			break;
		}
		r = server_ask(daemon->fd, 0, 0, patience_ns, &answer);
		if (r < 0) {
			close(daemon->fd);
			daemon->fd = -1;
		}
	}
	daemon->fd = MAX(daemon->fd, -1);
	if (r == -ENOENT || r == -ECONNREFUSED || r == -ENOTDIR)
		return 0; /* no server: an ordinary case */
	if (r < 0)
		return r;
	r = take_answer(sample, &answer.view);
	server_answer_done(&answer);
	return r;
}

static int daemon_open(const struct root *root, void **ret_state)
{
	struct daemon *daemon = calloc(1, sizeof(*daemon));

	(void)root;
	if (!daemon)
		return -ENOMEM;
	daemon->fd = -1;
	*ret_state = daemon;
	return 0;
}

static void daemon_close(void *state, struct crew *crew)
{
	struct daemon *daemon = state;

	(void)crew;
	if (daemon->fd >= 0)
		close(daemon->fd);
	free(daemon);
}

const struct source source_daemon = {
	.name = "daemon",
	.help = "memory per process, as the allocation server knows it",
	.open = daemon_open,
	.sample = daemon_sample,
	.close = daemon_close,
};
