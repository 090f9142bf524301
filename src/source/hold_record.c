#include "source/hold_record.h"

#include "basic/array.h"

#include <stdlib.h>

static int by_pid(const void *a, const void *b)
{
	int32_t x = ((const struct hold_record *)a)->pid, y = ((const struct hold_record *)b)->pid;

	return (x > y) - (x < y);
}

static struct hold_record *find_sorted(const struct hold_records *records, int32_t pid)
{
	struct hold_record wanted = { .pid = pid };

	if (!records->n_sorted)
		return NULL;
	return bsearch(&wanted, records->list, records->n_sorted, sizeof(wanted), by_pid);
}

static struct hold_record *append(struct hold_records *records, int32_t pid)
{
	struct hold_record *list;

	list = array_grow(records->list, records->count, &records->room, sizeof(*list));
	if (!list)
		return NULL;
	records->list = list;
	list[records->count] = (struct hold_record){ .pid = pid };
	return &list[records->count++];
}

struct hold_record *hold_records_get(struct hold_records *records, int32_t pid)
{
	struct hold_record *record;

	if (records->count && records->list[records->count - 1].pid == pid)
		return &records->list[records->count - 1];
	record = find_sorted(records, pid);
	return record ? record : append(records, pid);
}

void hold_records_sort(struct hold_records *records)
{
	if (records->count > records->n_sorted)
		qsort(records->list, records->count, sizeof(*records->list), by_pid);
	records->n_sorted = records->count;
}

void hold_records_done(struct hold_records *records)
{
	free(records->list);
	*records = (struct hold_records){ 0 };
}
