#include "tui/display_actions.h"

#include "basic/clock.h"
#include "tui/list_actions.h"
#include "tui/navigation.h"
#include "tui/terminal.h"
#include "tui/theme.h"
#include "tui/ui_update.h"

/* Scrolls by half of the span, within the time that is stored. */
void ui_scroll_time(struct ui *ui, int direction)
{
	int64_t span = ui_chart_span(ui);
	int64_t stored = MIN(ui_now(ui) - history_begin(ui->history), READING_SPAN_NS);

	ui->back_ns += direction * span / 2;
	ui->back_ns = MAX(MIN(ui->back_ns, stored - span), 0);
}

void ui_zoom(struct ui *ui, int by)
{
	ui->settings.span = (unsigned)MIN(MAX((int)ui->settings.span + by, 0), N_SPANS - 1);
	ui_scroll_time(ui, 0);
}

/* Shows the next waiting sample, or takes one at once. */
void ui_step(struct ui *ui)
{
	if (!ui->paused)
		return;
	if (ui->n_waiting) {
		ui_show(ui, ui_take_waiting(ui));
		return;
	}
	ui->stepping = true;
	feed_sample_now(ui->feed);
}

void ui_toggle_pause(struct ui *ui)
{
	ui->paused = !ui->paused;
	while (ui->n_waiting > 1)
		frame_unref(ui_take_waiting(ui));
	if (ui->n_waiting)
		ui_show(ui, ui_take_waiting(ui));
}

void ui_change_period(struct ui *ui, int direction)
{
	ui->settings.refresh_ms = settings_next_refresh(ui->settings.refresh_ms, direction);
	feed_set_period(ui->feed, ui->settings.refresh_ms);
}

void ui_apply(struct ui *ui)
{
	theme_apply(ui->settings.theme, ui->color);
	format_set_units(ui->settings.units);
	ui_set_filter(ui, ui->filter_text); /* amounts in the filter depend on the units */
	terminal_set_mouse(ui->settings.mouse);
	feed_set_period(ui->feed, ui->settings.refresh_ms);
	ui_go_to_view(ui, (int)ui->settings.view);
	ui_scroll_time(ui, 0);
}

void ui_save(struct ui *ui)
{
	const struct ui_task task = { .kind = UI_TASK_SAVE, .settings = ui->kept };

	(void)ui_submit(ui, &task);
}

void ui_change_theme(struct ui *ui)
{
	ui->settings.theme = (enum theme)((ui->settings.theme + 1) % THEME_N);
	ui_apply(ui);
	ui_show_message(ui, "theme %s", theme_names[ui->settings.theme]);
}

void ui_next_metric(struct ui *ui)
{
	ui->settings.metric = ui_metric(ui, 1);
	ui_settle(ui);
}

void ui_toggle_charts(struct ui *ui)
{
	ui->settings.charts =
		ui->settings.charts == CHARTS_OF_DEVICES ? CHARTS_OF_READINGS : CHARTS_OF_DEVICES;
	ui_settle(ui);
}
