#include "source/metal_file.h"

void metal_file_read(struct shm_folder *folder, size_t at, struct metal_counters_file *ret)
{
	unsigned char data[METAL_MAX_SIZE + 1];

	*ret = (struct metal_counters_file){ .id = folder->files[at].id };
	ret->length = shm_folder_read(folder, at, data, sizeof(data), &ret->owner);
	if (ret->length >= 0)
		ret->error = metal_decode(data, (size_t)ret->length, &ret->counters, &ret->version);
}
