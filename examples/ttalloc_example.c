/*
 * Shows all functions of libttalloc that a program needs.
 *
 *	cc ttalloc_example.c $(pkg-config --cflags --libs ttalloc)
 *
 * While it runs, tt_smi shows it under its name, with 64 MiB of DRAM and 1 MiB of L1.
 */
#include <ttalloc.h>

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct ttalloc_usage dram;

	ttalloc_set_program("ttalloc example");
	/* Device 0 of this program is /dev/tenstorrent/0. Most programs need not state this. */
	ttalloc_bind_node(0, 0);

	ttalloc_report_alloc(0, TTALLOC_DRAM, 0x10000000, 64 << 20);
	ttalloc_report_alloc(0, TTALLOC_DRAM, 0x20000000, 32 << 20);
	ttalloc_report_alloc(0, TTALLOC_L1, 0x80000, 1 << 20);
	ttalloc_report_free(0, TTALLOC_DRAM, 0x20000000);
	ttalloc_report_failure(0, TTALLOC_DRAM); /* the card had no room for another one */

	ttalloc_get_usage(0, TTALLOC_DRAM, &dram, sizeof(dram));
	printf("DRAM: %" PRIu64 " bytes now, %" PRIu64 " at most, %" PRIu64 " refused\n",
	       dram.now_bytes, dram.peak_bytes, dram.failures);
	if (argc > 1 && argv[1][0] == '-' && argv[1][1] == 'w')
		getchar(); /* wait, so that tt_smi can be run meanwhile */

	ttalloc_report_free(0, TTALLOC_DRAM, 0x10000000);
	ttalloc_report_free(0, TTALLOC_L1, 0x80000);
	return 0;
}
