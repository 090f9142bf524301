#include "cli/session.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "model/reuse.h"

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

/* ", though 2 cards are on the bus (0000:01:00.0, 0000:02:00.0)": lists all unserved cards. */
static void name_cards(struct buf *out, const struct snapshot *snapshot)
{
	unsigned cards = 0;

	for (size_t i = 0; i < snapshot->n_devices; i++)
		cards += device_is_unserved(&snapshot->devices[i]);
	buf_printf(out, ", though %u card%s on the bus (", cards, cards == 1 ? " is" : "s are");
	for (size_t i = 0, named = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (!device_is_unserved(dev))
			continue;
		buf_printf(out, "%s%s", named++ ? ", " : "", dev->bdf);
		if (dev->state == DEVICE_OTHER_DRIVER)
			buf_printf(out, ": %s", dev->health);
	}
	buf_putc(out, ')');
}

/* Explains why no device is served, and lists the cards. */
static int explain_unserved(struct session *session, const struct snapshot *snapshot)
{
	int code = snapshot->driver_loaded
			   ? fail(session, EXIT_NO_DEVICE,
				  "no Tenstorrent device present (the driver is loaded)")
			   : fail(session, EXIT_NO_DRIVER, "the Tenstorrent driver is not loaded");

	name_cards(&session->problem, snapshot);
	return code;
}

/* One malloc arena is enough; reserves descriptors. */
static void prepare_process(void)
{
	struct rlimit limit;

	mallopt(M_ARENA_MAX, 1);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = MIN(limit.rlim_max, 65536);
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Adds the state of devices, for exit codes, and their ids if a selection may use them. */
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
	int r;

	*session = (struct session){
		.root.fd = -1,
		.selection = selection,
		.deviceless = want->deviceless,
	};
	prepare_process();
	r = root_init(&session->root, root);
	if (r < 0)
		return fail(session, r == -EACCES ? EXIT_PERMISSION : EXIT_USAGE, "--root %s: %s",
			    root, strerror(-r));
	session->want = complete_want(session, want);
	r = sampler_new(&session->root, &session->want, sources, &session->sampler);
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
	session->want = complete_want(session, want);
	sampler_want(session->sampler, &session->want);
}

/* Explains why there are no devices at all. */
static int explain(struct session *session, int error)
{
	const char *path = session->root.path;

	if (error == -EACCES || error == -EPERM)
		return fail(session, EXIT_PERMISSION, "%s/sys/class/tenstorrent: permission denied",
			    path);
	if (error != -ENOENT)
		return fail(session, EXIT_INTERNAL, "%s/sys/class/tenstorrent: %s", path,
			    strerror(-error));
	return fail(session, EXIT_NO_DRIVER,
		    "the Tenstorrent driver is not loaded (no %s/sys/class/tenstorrent)", path);
}

int session_select(struct session *session, const struct selection *selection,
		   const struct snapshot *snapshot, bool *keep)
{
	const char *word;
	int r;

	r = selection_match(selection, snapshot, keep, &word);
	if (r == -ENOTUNIQ)
		return fail(session, EXIT_USAGE, "device %s: ambiguous, several ids begin with it",
			    word);
	if (r < 0 && !snapshot->driver_loaded)
		return explain_unserved(session, snapshot);
	if (r < 0)
		return fail(session, EXIT_NO_DEVICE, "device %s: there is no such device", word);
	return 0;
}

/* Drops devices that were not selected. */
static int apply_selection(struct session *session, struct snapshot *snapshot)
{
	CLEANUP_FREE bool *keep = calloc(snapshot->n_devices + 1, sizeof(*keep));
	int r;

	if (!selection_is_given(session->selection))
		return 0;
	if (!keep)
		return fail(session, EXIT_INTERNAL, "out of memory");
	r = session_select(session, session->selection, snapshot, keep);
	if (r)
		return r;
	snapshot_keep(snapshot, keep);
	if (snapshot->n_devices == 0)
		return fail(session, EXIT_NO_DEVICE,
			    "--local leaves out chips without PCIe: no device is left");
	return 0;
}

/* Are there devices, if the output needs any? */
static int check_devices(struct session *session, struct snapshot *snapshot)
{
	if (snapshot->n_devices)
		return apply_selection(session, snapshot);
	if (session->deviceless && !selection_is_given(session->selection))
		return 0;
	if (!snapshot->driver_loaded)
		return explain(session, -ENOENT);
	return fail(session, EXIT_NO_DEVICE,
		    "no Tenstorrent device present (the driver is loaded)");
}

int session_next(struct session *session, const struct snapshot *before, struct snapshot **ret)
{
	struct snapshot *next;
	int r;

	r = sampler_take(session->sampler, before, &next);
	if (r < 0)
		return explain(session, r);
	r = check_devices(session, next);
	if (r) {
		snapshot_free(next);
		return r;
	}
	*ret = next;
	return 0;
}

/* Takes one of the devices only. False: it needs processes of its own. */
static bool take_devices(struct session *session, struct snapshot **ret, int *ret_code)
{
	struct want want = session->want;

	if (!reuse_is_due(session->snapshot, &session->asked, &want, clock_now(CLOCK_MONOTONIC)))
		return false;
	reuse_want_devices(&want);
	sampler_want(session->sampler, &want);
	*ret_code = session_next(session, session->snapshot, ret);
	sampler_want(session->sampler, &session->want);
	if (*ret_code || snapshot_borrow(*ret, session->snapshot))
		return true;
	*ret = snapshot_free(*ret);
	return false;
}

int session_take(struct session *session)
{
	struct snapshot *next = NULL;
	int r = 0;

	if (!take_devices(session, &next, &r)) {
		session->asked = session->want;
		r = session_next(session, session->snapshot, &next);
	}
	if (r)
		return r;
	snapshot_free(session->snapshot);
	session->snapshot = next;
	return 0;
}

int session_judge(struct session *session)
{
	const struct snapshot *snapshot = session->snapshot;
	size_t lost = 0, numbered = 0, unserved = 0;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		unserved += device_is_unserved(dev);
		if (!device_has_node(dev))
			continue;
		numbered++;
		lost += !device_is_served(dev) || dev->state == DEVICE_NOT_ANSWERING;
	}
	if (unserved && selection_names_devices(session->selection))
		return EXIT_LOST;
	if (lost && (session->selection->count || lost == numbered))
		return EXIT_LOST;
	/* The selection may consist of a chip without PCIe only. */
	return unserved && !numbered ? explain_unserved(session, snapshot) : EXIT_FINE;
}

const char *session_remark(const struct session *session, int code)
{
	return code == EXIT_NO_DRIVER || code == EXIT_NO_DEVICE ? buf_text(&session->problem)
								: NULL;
}
