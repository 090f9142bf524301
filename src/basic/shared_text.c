#include "basic/shared_text.h"

#include <stdatomic.h>
#include <stdlib.h>

struct shared_text {
	atomic_uint refs;
	char text[];
};

static struct shared_text *header_of(char *text)
{
	return (struct shared_text *)(void *)(text - offsetof(struct shared_text, text));
}

char *shared_text_new(size_t size)
{
	struct shared_text *shared = malloc(sizeof(*shared) + size);

	if (!shared)
		return NULL;
	atomic_init(&shared->refs, 1);
	return shared->text;
}

char *shared_text_ref(char *text)
{
	atomic_fetch_add_explicit(&header_of(text)->refs, 1, memory_order_relaxed);
	return text;
}

/* Acquire and release: the thread that frees the text sees all accesses of the others. */
char *shared_text_unref(char *text)
{
	if (text && atomic_fetch_sub_explicit(&header_of(text)->refs, 1, memory_order_acq_rel) == 1)
		free(header_of(text));
	return NULL;
}
