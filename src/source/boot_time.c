#include "source/boot_time.h"

#include "basic/buf.h"
#include "basic/clock.h"
#include "source/procfs.h"

bool boot_time_read(const struct root *root, int64_t *cache, double *ret)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (root->live) {
		*ret = (double)(clock_now(CLOCK_REALTIME) - clock_now(CLOCK_BOOTTIME)) / NS_PER_S;
		return true;
	}
	if (!*cache && (root_read_all(root, "proc/stat", 1 << 20, &text) < 0 ||
			!procfs_parse_btime(buf_text(&text), cache)))
		return false;
	*ret = (double)*cache;
	return true;
}
