/*
 * Devices that the vendor's DRA driver has prepared for claims of Kubernetes, from its checkpoint
 * file (proto/dra_checkpoint.h). Only root may read kubelet's plugin directory; for others the
 * allocation server reads it.
 *
 * The number in a device's name is UMD's. Depending on the release that is N of /dev/tenstorrent/N
 * or the position in the order of PCI addresses, so it counts where both agree.
 */
#include "source/source.h"

#include "basic/clock.h"
#include "proto/dra_checkpoint.h"
#include "source/identity.h"

#include <errno.h>
#include <string.h>

static const size_t file_limit = 1 << 20;
static const int64_t pause_ns = 5 * NS_PER_S;

struct dra {
	struct job job;
	const struct root *root;
	int64_t read_ns; /* CLOCK_MONOTONIC; 0: never */
	int error;
	struct dra_checkpoint *checkpoint; /* NULL until it is read: few outputs show claims */
};

static void read_checkpoint(void *arg)
{
	struct dra *dra = arg;
	CLEANUP_BUF struct buf text = { 0 };

	dra->error = root_read_all(dra->root, DRA_CHECKPOINT, file_limit, &text);
	if (dra->error >= 0 && !dra->checkpoint) {
		dra->checkpoint = malloc(sizeof(*dra->checkpoint));
		dra->error = dra->checkpoint ? 0 : -ENOMEM;
	}
	if (dra->error >= 0)
		dra->error = dra_checkpoint_parse(buf_text(&text), text.length, dra->checkpoint);
}

/* -errno of the file. */
static int refresh(struct dra *dra, struct sample *sample)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);
	struct job *job = &dra->job;

	if (job_is_busy(sample->workers, job))
		return -ETIMEDOUT;
	if (!dra->read_ns || !sample->want->low_rate || now - dra->read_ns >= pause_ns) {
		dra->read_ns = now;
		dra->job = (struct job){ .run = read_checkpoint, .arg = dra };
		worker_pool_run(sample->workers, &job, 1, sample->deadline_ns);
		if (!job_is_done(sample->workers, job))
			return -ETIMEDOUT;
	}
	return dra->error;
}

/* NULL: it cannot be determined. */
static struct device *find_device(struct snapshot *snapshot, const struct identity_order *order,
				  const struct dra_device *prepared)
{
	const struct table_device by_node = {
		.known = TABLE_HAS_NODE,
		.node = prepared->node == DRA_NO_NODE ? prepared->chip : prepared->node,
	};
	size_t at;

	if (!identity_find(snapshot, &by_node, &at))
		return NULL;
	if (prepared->node != DRA_NO_NODE)
		return &snapshot->devices[at];
	if (!order->complete || prepared->chip >= order->count || order->at[prepared->chip] != at)
		return NULL;
	return &snapshot->devices[at];
}

/* Sets the reason of the devices without a claim. */
static void set_reason(struct snapshot *snapshot, enum reason why)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];

		if (!device_knows(dev, DEV_CLAIM))
			dev->why[DEV_CLAIM] =
				(uint8_t)(device_has_node(dev) ? why : NOT_APPLICABLE);
	}
}

static void take_checkpoint(struct snapshot *snapshot, const struct dra_checkpoint *checkpoint)
{
	struct identity_order order;
	enum reason rest = NOT_APPLICABLE;

	identity_order(snapshot, &order);
	for (size_t i = 0; i < checkpoint->count; i++) {
		const struct dra_device *prepared = &checkpoint->devices[i];
		struct device *dev = find_device(snapshot, &order, prepared);

		if (!dev) {
			snapshot_add_problem(snapshot, "dra",
					     "claim %s: tt-%u may be one of several devices",
					     prepared->claim, prepared->chip);
			rest = UNMATCHED_CLAIM;
			continue;
		}
		memcpy(dev->claim, prepared->claim, sizeof(dev->claim));
		dev->why[DEV_CLAIM] = KNOWN;
	}
	set_reason(snapshot, rest);
}

static int dra_sample(void *state, struct sample *sample)
{
	struct snapshot *snapshot = sample->snapshot;
	struct dra *dra = state;
	int r;

	/* The server could read the file and has reported everything. */
	if (!fieldset_has(&sample->want->device, DEV_CLAIM) || snapshot->claims_reported) {
		if (snapshot->claims_reported)
			set_reason(snapshot, NOT_APPLICABLE);
		return 0;
	}
	r = refresh(dra, sample);
	if (r >= 0) {
		take_checkpoint(snapshot, dra->checkpoint);
		return 0;
	}
	if (r == -ENOENT || r == -ENOTDIR) { /* a machine without that driver */
		set_reason(snapshot, NOT_APPLICABLE);
		return 0;
	}
	set_reason(snapshot,
		   r == -EBADMSG || r == -ENOSPC || r == -EFBIG ? MALFORMED : reason_of_error(r));
	return r == -EACCES || r == -EPERM ? 0 : r;
}

static int dra_open(const struct root *root, void **ret_state)
{
	struct dra *dra = calloc(1, sizeof(*dra));

	if (!dra)
		return -ENOMEM;
	dra->root = root;
	*ret_state = dra;
	return 0;
}

static void dra_close(void *state, struct worker_pool *workers)
{
	struct dra *dra = state;

	if (job_is_busy(workers, &dra->job))
		return;
	free(dra->checkpoint);
	free(dra);
}

const struct source source_dra = {
	.name = "dra",
	.open = dra_open,
	.sample = dra_sample,
	.close = dra_close,
};
