/*
 * allocation_client_demo: a program to watch in tt_smi or tt_smi mem.
 *
 * Repeats the steps of the original demo: allocates 4 x 1 MiB of L1, 4 x 25 MiB of DRAM, 8 x 1 MiB
 * of L1, frees the first half, then the rest, with three seconds in between. Needs no card and no
 * server.
 */
#include <ttalloc.h>

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB   (UINT64_C(1) << 20)
#define COUNT 16

static const struct step {
	const char *text;
	enum ttalloc_pool pool;
	unsigned first, end; /* buffers */
	uint64_t size;	     /* 0: free them */
	unsigned seconds;    /* pause after it */
} script[] = {
	{ "allocate 4 x 1 MiB of L1", TTALLOC_L1, 0, 4, MIB, 3 },
	{ "allocate 4 x 25 MiB of DRAM", TTALLOC_DRAM, 4, 8, 25 * MIB, 3 },
	{ "allocate 8 x 1 MiB of L1", TTALLOC_L1, 8, 16, MIB, 3 },
	{ "free the first half", TTALLOC_DRAM, 0, 8, 0, 3 },
	{ "free the rest", TTALLOC_L1, 8, 16, 0, 2 },
};

static unsigned device;
static double speed = 1;
static enum ttalloc_pool pools[COUNT]; /* of the live buffers */

static void usage(FILE *out)
{
	fputs("Usage: allocation_client_demo [-d DEVICE] [--speed FACTOR]\n"
	      "Reports allocations of buffers that it does not make, to be watched in tt_smi.\n"
	      "\n"
	      "  -d, --device DEVICE  logical device, 0 to 63 (default 0)\n"
	      "  -s, --speed FACTOR   run this many times faster (default 1)\n"
	      "  -h, --help           this text\n",
	      out);
}

static int number_parse(const char *text, double min, double max, double *ret)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (errno || end == text || *end || !isfinite(value) || value < min || value > max)
		return -EINVAL;
	*ret = value;
	return 0;
}

/* Pauses; during this time the library looks for a server. */
static void pause_for(double seconds)
{
	while (seconds > 0) {
		double part = seconds < 0.5 ? seconds : 0.5;
		struct timespec t = { .tv_sec = 0, .tv_nsec = (long)(part * 1e9) };

		nanosleep(&t, NULL);
		ttalloc_poll();
		seconds -= part;
	}
}

static void step_play(const struct step *step)
{
	printf("%s\n", step->text);
	fflush(stdout);
	for (unsigned i = step->first; i < step->end; i++) {
		if (step->size) {
			pools[i] = step->pool;
			ttalloc_report_alloc(device, step->pool, i + 1, step->size);
		} else {
			ttalloc_report_free(device, pools[i], i + 1);
		}
	}
	pause_for(step->seconds / speed);
}

static const char *state_text(void)
{
	switch (ttalloc_get_state()) {
	case TTALLOC_OFF: return "disabled by TT_ALLOC_TRACKING_ENABLED";
	case TTALLOC_UNAVAILABLE: return "not possible here";
	case TTALLOC_LOCAL: return "published, no server";
	case TTALLOC_CONNECTED: return "published, connected to the server";
	}
	return "unknown";
}

static int options_parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "speed", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	double number;
	int c;

	while ((c = getopt_long(argc, argv, "d:s:h", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			if (number_parse(optarg, 0, 63, &number) < 0 || number != floor(number))
				goto bad;
			device = (unsigned)number;
			break;
		case 's':
			if (number_parse(optarg, 1e-3, 1e6, &speed) < 0)
				goto bad;
			break;
		case 'h': usage(stdout); exit(0);
		default: return -EINVAL;
		}
	}
	if (optind == argc)
		return 0;
	fprintf(stderr, "allocation_client_demo: unexpected argument '%s'\n", argv[optind]);
	return -EINVAL;
bad:
	fprintf(stderr, "allocation_client_demo: not a valid number for -%c: '%s'\n", c, optarg);
	return -EINVAL;
}

int main(int argc, char **argv)
{
	if (options_parse(argc, argv) < 0)
		return 2;
	ttalloc_set_program("allocation_client_demo");
	ttalloc_poll();
	printf("tracking: %s\n", state_text());
	for (size_t i = 0; i < sizeof(script) / sizeof(script[0]); i++)
		step_play(&script[i]);
	return 0;
}
