#include "source/source.h"

#include <errno.h>

const struct source *const sources[] = {
	&source_kmd,	   /* the devices and their readings */
	&source_holders,   /* which processes have them open */
	&source_daemon,	   /* what the allocation server knows of processes */
	&source_proc,	   /* name, command, user of these processes */
	&source_visible,   /* which devices are visible to them */
	&source_tables,	   /* their memory, by their own tables */
	&source_traced,	   /* their memory, by probes in the kernel */
	&source_metal_shm, /* their memory, by TT-Metal's counters */
	&source_util_shm,  /* utilisation of the cores, by a collector */
	NULL,
};

static void free_list(struct allocation_list *list)
{
	if (list)
		allocation_list_reset(list, NOT_ASKED);
	free(list);
}

int sample_report(struct sample *sample, const struct memory_report *report)
{
	struct memory_report *grown;

	grown = reallocarray(sample->reports, sample->n_reports + 1, sizeof(*grown));
	if (!grown) {
		free_list(report->list);
		return -ENOMEM;
	}
	sample->reports = grown;
	sample->reports[sample->n_reports++] = *report;
	return 0;
}

int sample_report_part(struct sample *sample, size_t first, const struct memory_report *report)
{
	for (size_t i = first; i < sample->n_reports; i++) {
		if (sample->reports[i].device != report->device ||
		    sample->reports[i].source != report->source)
			continue;
		memory_report_add(&sample->reports[i], report);
		free_list(report->list);
		return 0;
	}
	return sample_report(sample, report);
}

struct allocation_list *sample_list(const struct sample *sample)
{
	/* KNOWN is 0. */
	return sample->want->allocations ? calloc(1, sizeof(struct allocation_list)) : NULL;
}

bool sample_list_add(struct sample *sample, struct allocation_list *list,
		     const struct allocation *allocation)
{
	if (sample->n_allocations >= SAMPLE_ALLOCATIONS) {
		list->cut = true;
		return false;
	}
	sample->n_allocations++;
	return allocation_list_add(list, allocation) >= 0;
}

void sample_done(struct sample *sample)
{
	for (size_t i = 0; i < sample->n_reports; i++)
		free_list(sample->reports[i].list);
	free(sample->reports);
	sample->reports = NULL;
	sample->n_reports = 0;
}
