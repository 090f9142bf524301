#include "source/source.h"

#include <errno.h>

const struct source *const sources[] = {
	&source_kmd,	   /* which devices there are, and their readings */
	&source_holders,   /* who has them open */
	&source_daemon,	   /* whom the allocation server knows */
	&source_proc,	   /* what these processes are */
	&source_visible,   /* which devices they see */
	&source_tables,	   /* what they say of their memory themselves */
	&source_traced,	   /* what probes in the kernel say of their memory */
	&source_metal_shm, /* what TT-Metal says of their memory */
	&source_util_shm,  /* what a collector says of the cores */
	NULL,
};

static void free_list(struct allocation_list *list)
{
	if (list)
		allocation_list_reset(list, NOT_ASKED);
	free(list);
}

int sample_claim(struct sample *sample, const struct claim *claim)
{
	struct claim *grown;

	grown = reallocarray(sample->claims, sample->n_claims + 1, sizeof(*grown));
	if (!grown) {
		free_list(claim->list);
		return -ENOMEM;
	}
	sample->claims = grown;
	sample->claims[sample->n_claims++] = *claim;
	return 0;
}

int sample_claim_part(struct sample *sample, size_t first, const struct claim *claim)
{
	for (size_t i = first; i < sample->n_claims; i++) {
		if (sample->claims[i].device != claim->device ||
		    sample->claims[i].source != claim->source)
			continue;
		claim_add(&sample->claims[i], claim);
		free_list(claim->list);
		return 0;
	}
	return sample_claim(sample, claim);
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
	for (size_t i = 0; i < sample->n_claims; i++)
		free_list(sample->claims[i].list);
	free(sample->claims);
	sample->claims = NULL;
	sample->n_claims = 0;
}
