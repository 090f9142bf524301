#include "daemon/dump.h"

#include "basic/clock.h"
#include "basic/text.h"

#include <inttypes.h>
#include <string.h>

/* Maximum lines of single allocations in one dump. */
enum { LIST_MAX = 2000 };

/* A usage with its process, for sorting. */
struct dump_row {
	const struct image_usage *usage;
	const struct image_process *process;
};

/*
 * Sorts cards by their nodes, each followed by the chip behind it; unknown ones come last, by
 * logical id.
 */
static uint64_t card_key(const struct image_usage *usage)
{
	if (usage->known & (TABLE_HAS_NODE | TABLE_BEHIND))
		return (uint64_t)usage->node << 1 | (usage->known & TABLE_BEHIND ? 1 : 0);
	return UINT64_C(1) << 40 | usage->device;
}

static int row_compare(const void *a, const void *b)
{
	const struct dump_row *x = a, *y = b;
	uint64_t card_x = card_key(x->usage), card_y = card_key(y->usage);

	if (card_x != card_y)
		return card_x < card_y ? -1 : 1;
	if (x->usage->pool != y->usage->pool)
		return x->usage->pool < y->usage->pool ? -1 : 1;
	if (x->usage->now_bytes != y->usage->now_bytes)
		return x->usage->now_bytes > y->usage->now_bytes ? -1 : 1;
	return (x->process->pid > y->process->pid) - (x->process->pid < y->process->pid);
}

/* The rank of its source, best first: that of its origin, with the preloaded library in between. */
static uint32_t rank(const struct image_process *process)
{
	return process->flags & IMAGE_PRELOAD ? 2 * IMAGE_LEGACY + 1 : 2 * process->origin;
}

static int origin_compare(const void *a, const void *b)
{
	const struct dump_row *x = a, *y = b;
	uint64_t card_x = card_key(x->usage), card_y = card_key(y->usage);

	if (card_x != card_y)
		return card_x < card_y ? -1 : 1;
	if (x->process->pid != y->process->pid)
		return x->process->pid < y->process->pid ? -1 : 1;
	return (rank(x->process) > rank(y->process)) - (rank(x->process) < rank(y->process));
}

static void put_card(struct buf *out, const struct image_usage *usage)
{
	if (usage->known & TABLE_BEHIND) {
		buf_printf(out, "device %uR", usage->node);
		return;
	}
	if (!(usage->known & TABLE_HAS_NODE)) {
		buf_printf(out, "logical device %u", usage->device);
		return;
	}
	buf_printf(out, "device %u", usage->node);
	if (usage->known & TABLE_HAS_BDF)
		buf_printf(out, " (%04x:%02x:%02x.%x)", (unsigned)(usage->bdf >> 16),
			   (unsigned)(usage->bdf >> 8 & 0xff), (unsigned)(usage->bdf >> 3 & 0x1f),
			   (unsigned)(usage->bdf & 7));
}

static void put_name(struct buf *out, const struct image_process *process)
{
	buf_printf(out, "pid %u ", process->pid);
	text_clean(out, process->name, strlen(process->name), true);
	buf_printf(out, " uid %u", process->uid);
}

static const char *origin_name(const struct image_process *process)
{
	static const char *const names[IMAGE_ORIGINS] = {
		[IMAGE_TABLE] = "own table",
		[IMAGE_LEGACY] = "legacy protocol",
		[IMAGE_TRACED] = "traced",
		[IMAGE_METAL] = "TT-Metal counters",
	};

	return process->flags & IMAGE_PRELOAD ? "preload" : names[process->origin];
}

static bool same_group(const struct dump_row *a, const struct dump_row *b)
{
	return card_key(a->usage) == card_key(b->usage) && a->usage->pool == b->usage->pool;
}

static const char *at_least(uint32_t flags)
{
	return flags & IMAGE_TOTALS_LOW ? "at least " : "";
}

/* Writes the rows of one card and pool, their sum first. Returns their number. */
static size_t put_group(struct buf *out, const struct dump_row *rows, size_t count)
{
	uint64_t sum = 0;
	uint32_t low = 0;
	size_t n = 0;

	for (; n < count && same_group(rows, &rows[n]); n++) {
		sum += rows[n].usage->now_bytes;
		low |= rows[n].process->flags & IMAGE_TOTALS_LOW;
	}
	put_card(out, rows->usage);
	buf_printf(out, " %s: %s%" PRIu64 " bytes\n", pool_name((enum pool)rows->usage->pool),
		   at_least(low), sum);
	for (size_t i = 0; i < n; i++) {
		const struct image_usage *usage = rows[i].usage;

		buf_puts(out, "  ");
		put_name(out, rows[i].process);
		buf_printf(out,
			   ": %s%" PRIu64 " bytes in %" PRIu64 " allocations, peak %" PRIu64
			   " (%s)\n",
			   at_least(rows[i].process->flags), usage->now_bytes,
			   usage->allocs - usage->frees, usage->peak_bytes,
			   origin_name(rows[i].process));
	}
	return n;
}

/* Lists programs with ignored records. */
static void put_ignored(const struct image_view *view, struct buf *out)
{
	for (uint32_t i = 0; i < view->header->process_count; i++) {
		const struct image_process *process = &view->processes[i];

		if (!process->ignored)
			continue;
		put_name(out, process);
		buf_printf(out, ": %" PRIu64 " records ignored\n", process->ignored);
	}
}

static bool pool_is_wanted(uint32_t pool, bool kernels)
{
	return !kernels || pool == POOL_KERNEL;
}

static size_t rows_all(const struct image_view *view, struct dump_row *rows)
{
	size_t count = 0;

	for (uint32_t i = 0; i < view->header->process_count; i++) {
		const struct image_process *process = &view->processes[i];

		for (uint32_t k = 0; k < process->usage_count; k++)
			rows[count++] = (struct dump_row){ &view->usages[process->usage_first + k],
							   process };
	}
	return count;
}

/* Of several reports of one process on a card, keeps the best: they describe the same memory. */
static size_t rows_collect(const struct image_view *view, bool kernels, struct dump_row *rows)
{
	size_t all = rows_all(view, rows), count = 0;
	struct dump_row best = { 0 };

	qsort(rows, all, sizeof(*rows), origin_compare);
	for (size_t i = 0; i < all; i++) {
		if (!best.usage || card_key(best.usage) != card_key(rows[i].usage) ||
		    best.process->pid != rows[i].process->pid)
			best = rows[i];
		if (rank(rows[i].process) == rank(best.process) && rows[i].usage->now_bytes &&
		    pool_is_wanted(rows[i].usage->pool, kernels))
			rows[count++] = rows[i];
	}
	qsort(rows, count, sizeof(*rows), row_compare);
	return count;
}

static void put_allocation(struct buf *out, const struct image_view *view,
			   const struct image_allocation *allocation)
{
	buf_printf(out, "    0x%" PRIx64 ": %" PRIu64 " bytes, logical device %u %s",
		   allocation->id, allocation->size, allocation->device,
		   pool_name((enum pool)allocation->pool));
	if (allocation->time_ns && allocation->time_ns <= view->header->monotonic_ns)
		buf_printf(out, ", %llu s old",
			   (view->header->monotonic_ns - allocation->time_ns) / NS_PER_S);
	buf_putc(out, '\n');
}

static void put_lists(const struct image_view *view, bool kernels, struct buf *out)
{
	unsigned lines = 0;

	for (uint32_t i = 0; i < view->header->process_count; i++) {
		const struct image_process *process = &view->processes[i];
		bool named = false;

		for (uint32_t k = 0; k < process->allocation_count; k++) {
			const struct image_allocation *allocation =
				&view->allocations[process->allocation_first + k];

			if (!pool_is_wanted(allocation->pool, kernels))
				continue;
			if (lines++ == LIST_MAX) {
				buf_puts(out, "  more allocations are not listed here\n");
				return;
			}
			if (!named) {
				buf_puts(out, "  held by ");
				put_name(out, process);
				buf_puts(out, ":\n");
				named = true;
			}
			put_allocation(out, view, allocation);
		}
	}
}

void dump_write(const struct image_view *view, pid_t requester, bool kernels, struct buf *out)
{
	CLEANUP_FREE struct dump_row *rows =
		calloc(view->header->usage_count + (size_t)1, sizeof(struct dump_row));
	size_t count, at = 0;

	if (!rows) {
		out->failed = true;
		return;
	}
	count = rows_collect(view, kernels, rows);
	buf_printf(out, "tt_allocd: dump of %s requested by pid %d\n",
		   kernels ? "kernels" : "allocations", requester);
	while (at < count)
		at += put_group(out, &rows[at], count - at);
	put_lists(view, kernels, out);
	put_ignored(view, out);
	buf_puts(out, count ? "tt_allocd: end of dump\n" : "tt_allocd: no allocations\n");
}
