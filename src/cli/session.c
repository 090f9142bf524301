#include "cli/session.h"

#include "cli/exit.h"
#include "source/pci.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static int fail(struct session *session, int code, const char *format, ...) PRINTF(3, 4);

static int fail(struct session *session, int code, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	buf_reset(&session->problem);
	buf_puts(&session->problem, text);
	return code;
}

/* One arena is enough for a program that allocates little; descriptors are kept. */
static void prepare_process(void)
{
	struct rlimit limit;

	mallopt(M_ARENA_MAX, 1);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = MIN(limit.rlim_max, 65536);
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Exit codes tell of the devices' state, and a device can be selected by its ids. */
static struct want complete_want(const struct session *session, const struct want *want)
{
	struct want all = *want;

	want_add_list(&all, FIELDS(DEVICE_FIELD(STATE)));
	if (session->selection->count)
		want_add_list(&all, FIELDS(DEVICE_FIELD(ASIC_ID), DEVICE_FIELD(SERIAL),
					   DEVICE_FIELD(TRAY)));
	return all;
}

int session_open(struct session *session, const char *root, const struct selection *selection,
		 const struct want *want)
{
	struct want all;
	int r;

	*session = (struct session){ .root.fd = -1, .selection = selection };
	prepare_process();
	r = root_init(&session->root, root);
	if (r < 0)
		return fail(session, r == -EACCES ? EXIT_PERMISSION : EXIT_USAGE, "--root %s: %s",
			    root, strerror(-r));
	all = complete_want(session, want);
	r = sampler_new(&session->root, &all, &session->sampler);
	return r < 0 ? fail(session, EXIT_INTERNAL, "%s", strerror(-r)) : 0;
}

void session_close(struct session *session)
{
	bool blocked = session->sampler && sampler_is_blocked(session->sampler);

	sampler_free(session->sampler);
	snapshot_free(session->snapshot);
	if (!blocked)
		root_done(&session->root);
	buf_done(&session->problem);
}

void session_want(struct session *session, const struct want *want)
{
	struct want all = complete_want(session, want);

	sampler_want(session->sampler, &all);
}

/* Why there is nothing at all. */
static int explain(struct session *session, int error)
{
	const char *path = session->root.path;
	char bdf[32];
	unsigned cards;

	if (error == -EACCES || error == -EPERM)
		return fail(session, EXIT_PERMISSION, "%s/sys/class/tenstorrent: permission denied",
			    path);
	if (error != -ENOENT)
		return fail(session, EXIT_INTERNAL, "%s/sys/class/tenstorrent: %s", path,
			    strerror(-error));
	cards = pci_count_unserved(&session->root, bdf, sizeof(bdf));
	if (cards)
		return fail(
			session, EXIT_NO_DRIVER,
			"the Tenstorrent driver is not loaded, though %u card%s on the bus (%s)",
			cards, cards == 1 ? " is" : "s are", bdf);
	return fail(session, EXIT_NO_DRIVER,
		    "the Tenstorrent driver is not loaded (no %s/sys/class/tenstorrent)", path);
}

/* Drops what was not selected. */
static int apply_selection(struct session *session, struct snapshot *snapshot)
{
	CLEANUP_FREE bool *keep = calloc(snapshot->n_devices + 1, sizeof(*keep));
	const char *word;
	int r;

	if (!selection_is_given(session->selection))
		return 0;
	if (!keep)
		return fail(session, EXIT_INTERNAL, "out of memory");
	r = selection_match(session->selection, snapshot, keep, &word);
	if (r == -ENOTUNIQ)
		return fail(session, EXIT_USAGE, "device %s: several have an id that begins so",
			    word);
	if (r < 0)
		return fail(session, EXIT_NO_DEVICE, "device %s: there is no such device", word);
	snapshot_keep(snapshot, keep);
	if (snapshot->n_devices == 0)
		return fail(session, EXIT_NO_DEVICE,
			    "--local leaves out chips without PCIe: no device is left");
	return 0;
}

int session_next(struct session *session, const struct snapshot *before, struct snapshot **ret)
{
	struct snapshot *next;
	int r;

	r = sampler_take(session->sampler, before, &next);
	if (r < 0)
		return explain(session, r);
	if (next->n_devices == 0)
		r = fail(session, EXIT_NO_DEVICE,
			 "no Tenstorrent device present (the driver is loaded)");
	else
		r = apply_selection(session, next);
	if (r) {
		snapshot_free(next);
		return r;
	}
	*ret = next;
	return 0;
}

int session_take(struct session *session)
{
	struct snapshot *next = NULL;
	int r = session_next(session, session->snapshot, &next);

	if (r)
		return r;
	snapshot_free(session->snapshot);
	session->snapshot = next;
	return 0;
}

int session_judge(const struct session *session)
{
	const struct snapshot *snapshot = session->snapshot;
	size_t lost = 0, there = 0;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		lost += dev->condition == DEVICE_LOST || dev->condition == DEVICE_NOT_ANSWERING;
		there += !dev->remote;
	}
	if (lost && (session->selection->count || lost == there))
		return EXIT_LOST;
	return EXIT_FINE;
}
