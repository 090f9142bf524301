#include "source/source.h"

#include <errno.h>

const struct source *const sources[] = {
	&source_kmd,	   /* which devices there are, and their readings */
	&source_holders,   /* who has them open */
	&source_daemon,	   /* whom the allocation server knows */
	&source_proc,	   /* what these processes are */
	&source_tables,	   /* what they say of their memory themselves */
	&source_metal_shm, /* what TT-Metal says of their memory */
	&source_util_shm,  /* what a collector says of the cores */
	NULL,
};

int sample_claim(struct sample *sample, const struct claim *claim)
{
	struct claim *grown;

	grown = reallocarray(sample->claims, sample->n_claims + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	sample->claims = grown;
	sample->claims[sample->n_claims++] = *claim;
	return 0;
}
