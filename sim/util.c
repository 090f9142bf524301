#include "util.h"

#include "basic/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void add_header(struct buf *out, const struct util_source *s, unsigned permille,
		       uint64_t now_us)
{
	uint32_t peak = s->arch == WORMHOLE ? 288000 : 512000;
	struct util_header h = {
		.magic = { 'T', 'T', 'U', 'T' },
		.version = 3,
		.entry_size = sizeof(struct util_core),
		.asic_id = s->asic_id,
		.arch = s->arch,
		.sources = 3,
		.start_us = s->start_us,
		.update_us = now_us,
		.cores = s->cores,
		.program = 1,
		.pid = (uint32_t)s->pid,
		.aiclk_mhz = s->arch == WORMHOLE ? 1000 : 1350,
		.dram_read = peak / 1000 * permille / 2,
		.dram_write = peak / 1000 * permille / 5,
		.dram_peak = peak,
	};

	buf_add(out, &h, sizeof(h));
}

/*
 * Adjacent cores deviate by the same amount in opposite directions, so the mean is exact; every
 * chip has an even number of cores.
 */
static void add_core(struct buf *out, const struct util_source *s, unsigned index,
		     unsigned permille, uint64_t now_us)
{
	unsigned columns = s->arch == WORMHOLE ? 8 : 10;
	unsigned swing = MIN(MIN(permille, 1000 - permille), 60 + index / 2 * 7 % 40);
	unsigned busy = index % 2 ? permille - swing : permille + swing;
	uint8_t x = (uint8_t)(index % columns), y = (uint8_t)(index / columns);
	struct util_core c = {
		.noc_x = (uint8_t)(x + 1),
		.noc_y = (uint8_t)(y + 1),
		.logical_x = x,
		.logical_y = y,
		.dispatched = permille > 0,
		.sfpu = (uint16_t)(busy / 4),
		.dispatch = (uint16_t)busy,
		.fpu = (uint16_t)busy,
		.unpack = (uint16_t)(busy * 9 / 10),
		.pack = (uint16_t)(busy * 7 / 10),
		.stall = (uint16_t)((1000 - busy) / 3),
		.noc0_in = (uint16_t)(busy * 12),
		.noc0_out = (uint16_t)(busy * 8),
		.noc1_in = (uint16_t)(busy * 3),
		.noc1_out = (uint16_t)(busy * 2),
		.samples = (uint32_t)((now_us - s->start_us) / 1000 + 1),
		.kernel = 1 + index % 3,
	};

	buf_add(out, &c, sizeof(c));
}

int util_write(const char *directory, const struct util_source *s, unsigned permille,
	       uint64_t now_us)
{
	CLEANUP_BUF struct buf text = { 0 };
	CLEANUP_CLOSE int fd = -1;
	char path[1200];

	add_header(&text, s, permille, now_us);
	for (unsigned i = 0; i < s->cores; i++)
		add_core(&text, s, i, permille, now_us);
	if (text.failed)
		return -ENOMEM;
	snprintf(path, sizeof(path), "%s/tt_device_%llu_util", directory,
		 (unsigned long long)s->asic_id);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	if (pwrite(fd, text.data, text.length, 0) != (ssize_t)text.length)
		return -EIO;
	return 0;
}
