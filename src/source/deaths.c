/*
 * Jobs that died on a device by SIGKILL or a crash, as the tracer records them in the kernel. Needs
 * no server and no privileges. The kernel records them even while no tracer runs.
 */
#include "source/source.h"

#include "source/boot_time.h"
#include "source/bpf_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct deaths_source {
	struct bpf_text file;
	int64_t booted; /* see boot_time_read() */
};

static double unix_time(double boot, uint64_t ticks)
{
	return boot + (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static void take_line(struct device *dev, const struct traced_death *line, double boot)
{
	dev->death.since = unix_time(boot, line->since_ticks);
	if (!line->has_death)
		return;
	dev->death.time = unix_time(boot, line->ended_ticks);
	dev->death.pid = line->pid;
	dev->death.signal = (int)line->signal;
	snprintf(dev->death.name, sizeof(dev->death.name), "%s", line->comm);
}

static void take_lines(struct snapshot *snapshot, const struct traced_death *lines, size_t count,
		       double boot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];

		for (size_t k = 0; k < count && device_has_node(dev); k++)
			if (lines[k].device == dev->index)
				take_line(dev, &lines[k], boot);
	}
}

static int deaths_sample(void *state, struct sample *sample)
{
	struct deaths_source *deaths = state;
	CLEANUP_FREE struct traced_death *lines = NULL;
	const char *text;
	size_t count;
	double boot;
	int r;

	if (!fieldset_has(&sample->want->device, DEV_DIRTY))
		return 0;
	text = bpf_text_read(&deaths->file, sample);
	if (!text || !boot_time_read(sample->root, &deaths->booted, &boot))
		return 0;
	r = traced_parse_deaths(text, &lines, &count);
	if (r == 0)
		take_lines(sample->snapshot, lines, count, boot);
	else if (r != -ENOMEM)
		bpf_text_report_error(&deaths->file, sample, r);
	return r == -ENOMEM ? r : 0;
}

static int deaths_open(const struct root *root, void **ret_state)
{
	struct deaths_source *deaths = calloc(1, sizeof(*deaths));

	if (!deaths)
		return -ENOMEM;
	bpf_text_init(&deaths->file, root, TRACED_DEATHS);
	*ret_state = deaths;
	return 0;
}

static void deaths_close(void *state, struct worker_pool *workers)
{
	struct deaths_source *deaths = state;

	if (bpf_text_done(&deaths->file, workers))
		free(deaths);
}

const struct source source_deaths = {
	.name = "deaths",
	.open = deaths_open,
	.sample = deaths_sample,
	.close = deaths_close,
};
