#include "tui/rect.h"

#include "basic/macros.h"

struct rect box_outside(const struct rect *screen, int height, int width)
{
	struct rect box = { .height = MAX(MIN(height + 2, screen->height), 0),
			    .width = MAX(MIN(width + 4, screen->width), 0) };

	box.top = screen->top + (screen->height - box.height) / 2;
	box.left = screen->left + (screen->width - box.width) / 2;
	return box;
}

struct rect box_inside(const struct rect *box)
{
	return (struct rect){ box->top + 1, box->left + 2, MAX(box->height - 2, 0),
			      MAX(box->width - 4, 0) };
}
