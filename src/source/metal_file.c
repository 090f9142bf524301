#include "source/metal_file.h"

void metal_file_read(struct shm_folder *folder, size_t at, struct metal_counters_file *ret)
{
	unsigned char data[METAL_MAX_SIZE + 1];

	/* Not all members: the counters are large, and valid only if they were decoded. */
	ret->id = folder->files[at].id;
	ret->owner = 0;
	ret->error = 0;
	ret->version = 0;
	ret->length = shm_folder_read(folder, at, data, sizeof(data), &ret->owner);
	if (ret->length >= 0)
		ret->error = metal_decode(data, (size_t)ret->length, &ret->counters, &ret->version);
}
