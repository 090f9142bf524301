#include "source/source.h"

#include <errno.h>

const struct source *const sources[] = {
	&source_kmd,	    /* the devices and their readings */
	&source_holders,    /* the processes that have them open */
	&source_deaths,	    /* the jobs that died on them, from the tracer */
	&source_daemon,	    /* what the allocation server knows about processes */
	&source_used_cards, /* for a single table: constants of the devices in use */
	&source_proc,	    /* name, command, user of these processes */
	&source_visible,    /* the devices visible to them */
	&source_tables,	    /* their memory, from their own tables */
	&source_traced,	    /* their memory, from probes in the kernel */
	&source_metal_shm,  /* their memory, from TT-Metal's counters */
	&source_dispatch,   /* compute utilisation, from the tracer */
	&source_util_shm,   /* utilisation of the cores, from a collector */
	&source_dra,	    /* the claims of Kubernetes that they are prepared for */
	NULL,
};

static void free_list(struct allocation_list *list)
{
	if (list)
		allocation_list_reset(list, NOT_ASKED);
	free(list);
}

int sample_expect(struct sample *sample, struct job *job)
{
	struct job **grown = sample->early;

	if ((sample->n_early & (sample->n_early - 1)) == 0) /* it grows by doubling */
		grown = reallocarray(grown, MAX(sample->n_early * 2, 1), sizeof(struct job *));
	if (!grown)
		return -ENOMEM;
	sample->early = grown;
	sample->early[sample->n_early++] = job;
	return 0;
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
	free(sample->early);
	sample->reports = NULL;
	sample->early = NULL;
	sample->n_reports = sample->n_early = 0;
}
