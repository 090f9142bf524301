#include "tui/actions.h"

#include "tui/display_actions.h"
#include "tui/list_actions.h"
#include "tui/navigation.h"
#include "tui/overlay.h"
#include "tui/overlay_keys.h"
#include "tui/process_actions.h"

static void open_overlay(struct ui *ui, int overlay)
{
	overlay_open(ui, (enum overlay)overlay);
}

static void redraw(struct ui *ui)
{
	ui->redraw = true;
}

static void quit(struct ui *ui)
{
	ui->quit = true;
}

static const struct action_handler {
	void (*run)(struct ui *ui);
	void (*run_with)(struct ui *ui, int arg); /* used instead of run, with arg */
	int arg;
	/* only in views with a list of processes: elsewhere its effect is not visible */
	bool of_list;
} acts[] = {
	/* clang-format off */
	[ACT_OVERVIEW] = { .run_with = ui_go_to_view, .arg = VIEW_OVERVIEW },
	[ACT_GRID] = { .run_with = ui_go_to_view, .arg = VIEW_GRID },
	[ACT_PROCESSES] = { .run_with = ui_go_to_view, .arg = VIEW_PROCESSES },
	[ACT_MEMORY] = { .run_with = ui_go_to_view, .arg = VIEW_MEMORY },
	[ACT_DEVICE] = { .run_with = ui_go_to_view, .arg = VIEW_DEVICE },
	[ACT_NEXT_VIEW] = { .run_with = ui_turn_view, .arg = 1 },
	[ACT_PREVIOUS_VIEW] = { .run_with = ui_turn_view, .arg = -1 },
	[ACT_UP] = { .run_with = ui_move_vertically, .arg = -1 },
	[ACT_DOWN] = { .run_with = ui_move_vertically, .arg = 1 },
	[ACT_LEFT] = { .run_with = ui_move_device, .arg = -1 },
	[ACT_RIGHT] = { .run_with = ui_move_device, .arg = 1 },
	[ACT_PAGE_UP] = { .run_with = ui_move_page, .arg = -1 },
	[ACT_PAGE_DOWN] = { .run_with = ui_move_page, .arg = 1 },
	[ACT_HOME] = { .run_with = ui_move_to_end, .arg = -1 },
	[ACT_END] = { .run_with = ui_move_to_end, .arg = 1 },
	[ACT_ENTER] = { .run = ui_open_selected },
	[ACT_BACK] = { .run = ui_go_back },
	[ACT_SEARCH] = { .run_with = open_overlay, .arg = OVERLAY_SEARCH, .of_list = true },
	[ACT_SEARCH_NEXT] = { .run_with = ui_search_on, .arg = 1, .of_list = true },
	[ACT_SEARCH_PREVIOUS] = { .run_with = ui_search_on, .arg = -1, .of_list = true },
	[ACT_FILTER] = { .run_with = open_overlay, .arg = OVERLAY_FILTER, .of_list = true },
	[ACT_USER] = { .run_with = open_overlay, .arg = OVERLAY_USER, .of_list = true },
	[ACT_OWNER] = { .run_with = open_overlay, .arg = OVERLAY_OWNER, .of_list = true },
	[ACT_ISOLATE] = { .run = ui_isolate_device, .of_list = true },
	[ACT_TREE] = { .run = ui_toggle_tree, .of_list = true },
	[ACT_SORT_MENU] = { .run_with = open_overlay, .arg = OVERLAY_SORT, .of_list = true },
	[ACT_SORT_LEFT] = { .run_with = ui_sort_by_neighbour, .arg = -1, .of_list = true },
	[ACT_SORT_RIGHT] = { .run_with = ui_sort_by_neighbour, .arg = 1, .of_list = true },
	[ACT_INVERT] = { .run = ui_invert_sort, .of_list = true },
	[ACT_SORT_PID] = { .run_with = ui_sort_by, .arg = COL_PID, .of_list = true },
	[ACT_SORT_CPU] = { .run_with = ui_sort_by, .arg = COL_CPU, .of_list = true },
	[ACT_SORT_DRAM] = { .run_with = ui_sort_by, .arg = COL_DRAM, .of_list = true },
	[ACT_SORT_L1] = { .run_with = ui_sort_by, .arg = COL_L1, .of_list = true },
	[ACT_SORT_TIME] = { .run_with = ui_sort_by, .arg = COL_TIME, .of_list = true },
	[ACT_FOLLOW] = { .run = ui_toggle_follow, .of_list = true },
	[ACT_TAG] = { .run = ui_toggle_tag },
	[ACT_TAG_CHILDREN] = { .run = ui_tag_children },
	[ACT_UNTAG] = { .run = ui_untag_all, .of_list = true },
	[ACT_SIGNAL] = { .run = ui_open_signals },
	[ACT_ENVIRONMENT] = { .run = ui_open_environment },
	[ACT_FILES] = { .run = ui_open_files },
	[ACT_METRIC] = { .run = ui_next_metric },
	[ACT_CHARTS] = { .run = ui_toggle_charts },
	[ACT_ZOOM_IN] = { .run_with = ui_zoom, .arg = -1 },
	[ACT_ZOOM_OUT] = { .run_with = ui_zoom, .arg = 1 },
	[ACT_EARLIER] = { .run_with = ui_scroll_time, .arg = 1 },
	[ACT_LATER] = { .run_with = ui_scroll_time, .arg = -1 },
	[ACT_PAUSE] = { .run = ui_toggle_pause },
	[ACT_STEP] = { .run = ui_step },
	[ACT_SLOWER] = { .run_with = ui_change_period, .arg = 1 },
	[ACT_FASTER] = { .run_with = ui_change_period, .arg = -1 },
	[ACT_THEME] = { .run = ui_change_theme },
	[ACT_SETUP] = { .run_with = open_overlay, .arg = OVERLAY_SETUP },
	[ACT_SAVE] = { .run = ui_save },
	[ACT_REDRAW] = { .run = redraw },
	[ACT_HELP] = { .run_with = open_overlay, .arg = OVERLAY_HELP },
	[ACT_QUIT] = { .run = quit },
	/* clang-format on */
};

void ui_key(struct ui *ui, int code)
{
	const struct action_handler *act = &acts[keys_find(code)];

	ui->message_until_ns = 0; /* about an earlier key */
	if (ui->overlay != OVERLAY_NONE && act->run != redraw)
		overlay_key(ui, code);
	else if (act->of_list && rect_is_empty(&ui->layout.table))
		ui_show_message(ui, "processes are not listed here: 3 lists them");
	else if (act->run)
		act->run(ui);
	else if (act->run_with)
		act->run_with(ui, act->arg);
}
