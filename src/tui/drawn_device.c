#include "tui/drawn_device.h"

#include "model/device_health.h"
#include "render/device_symbol.h"
#include "render/device_text.h"
#include "tui/paint.h"

struct drawn_device drawn_device_make(const struct ui *ui, size_t position)
{
	struct drawn_device subject = { .dev = ui_device(ui, position),
					.selected = position == ui->device };

	subject.shown =
		device_view_find(&ui->device_view, subject.dev, ui_now(ui), &subject.age_ns);
	return subject;
}

/* Old values are always dim. */
enum style drawn_device_style(const struct drawn_device *subject, enum style style)
{
	return subject->age_ns ? STYLE_DIM : style;
}

void drawn_device_put_age(struct buf *out, const struct drawn_device *subject)
{
	device_put_age(out, subject->age_ns);
}

/* "timed out, 12s ago" */
void drawn_device_put_condition(struct buf *out, const struct drawn_device *subject)
{
	buf_puts(out, device_condition_text(subject->dev));
	if (!subject->age_ns)
		return;
	buf_puts(out, subject->age_ns > 0 ? ", values of " : ", ");
	drawn_device_put_age(out, subject);
}

/* "31● ": number and symbol, four columns; returns them. Of an address there is only the symbol. */
int drawn_device_draw_id(const struct drawn_device *subject, int row, int column, int width)
{
	enum style style;
	const char *symbol = device_symbol(subject->dev, paint_is_utf8(), &style);

	width = MIN(width, 4);
	paint_cell(row, column, width - 1, true, subject->selected ? STYLE_SELECTED : STYLE_BOLD,
		   device_is_unserved(subject->dev) ? "" : subject->dev->id);
	if (width > 3)
		paint_text(row, column + 3, 1, style, symbol);
	return 4;
}
