#include "fleet/chips.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void chip_page_done(struct chip_page *page)
{
	for (size_t i = 0; i < page->count; i++) {
		for (size_t k = 0; k < page->rows[i].count; k++)
			free(page->rows[i].chips[k].device);
		free(page->rows[i].chips);
		free(page->rows[i].instance);
	}
	free(page->rows);
	*page = (struct chip_page){ 0 };
}

/* Pages have as many machines as a screen has lines, so a search is cheap. */
static struct chip_row *find_row(const struct chip_page *page, const char *instance)
{
	for (size_t i = page->count; i-- > 0;)
		if (strcmp(page->rows[i].instance, instance) == 0)
			return &page->rows[i];
	return NULL;
}

static struct chip_row *add_row(struct chip_page *page, const char *instance)
{
	struct chip_row *rows = reallocarray(page->rows, page->count + 1, sizeof(*rows));
	char *copy = strdup(instance);

	if (rows)
		page->rows = rows;
	if (!rows || !copy) {
		free(copy);
		return NULL;
	}
	rows[page->count] = (struct chip_row){ .instance = copy };
	return &rows[page->count++];
}

static struct fleet_chip *find_chip(struct chip_row *row, const char *device)
{
	for (size_t i = 0; i < row->count; i++)
		if (strcmp(row->chips[i].device, device) == 0)
			return &row->chips[i];
	return NULL;
}

static struct fleet_chip *add_chip(struct chip_row *row, const char *device)
{
	struct fleet_chip *chips = reallocarray(row->chips, row->count + 1, sizeof(*chips)), *chip;
	char *copy = strdup(device);

	if (chips)
		row->chips = chips;
	if (!chips || !copy) {
		free(copy);
		return NULL;
	}
	chip = &chips[row->count++];
	chip->device = copy;
	for (size_t i = 0; i < CHIP_VALUES; i++)
		chip->values[i] = NAN;
	return chip;
}

int chip_page_set(struct chip_page *page, const char *instance, const char *device,
		  enum chip_value which, double value)
{
	struct chip_row *row = find_row(page, instance);
	struct fleet_chip *chip;

	if (!row)
		row = add_row(page, instance);
	if (!row)
		return -ENOMEM;
	chip = find_chip(row, device);
	if (!chip)
		chip = add_chip(row, device);
	if (!chip)
		return -ENOMEM;
	chip->values[which] = value;
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strverscmp(((const struct fleet_chip *)a)->device,
			  ((const struct fleet_chip *)b)->device);
}

void chip_page_sort(struct chip_page *page)
{
	for (size_t i = 0; i < page->count; i++)
		qsort(page->rows[i].chips, page->rows[i].count, sizeof(struct fleet_chip), compare);
}

const struct chip_row *chip_page_find(const struct chip_page *page, const char *instance)
{
	return find_row(page, instance);
}
