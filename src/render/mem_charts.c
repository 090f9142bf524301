/* The charts of DRAM and L1 over the last ten minutes in the memory monitor. */
#include "render/mem_parts.h"

#include "basic/macros.h"
#include "render/chart.h"
#include "render/format.h"

enum { LABEL = 14 }; /* columns left of the chart */

/* A chart of one pool. It is left out if its values cannot be allocated. */
static void put_chart(struct text_line *line, const struct chart *chart, size_t rows,
		      const char *name, uint64_t capacity)
{
	double scale = metric_infos[chart->metric].scale;
	CLEANUP_FREE struct metric_range *values =
		calloc(chart->columns * PLOT_SIDES + 1, sizeof(*values));
	CLEANUP_FREE struct plot_bar *bars = calloc(chart->columns * PLOT_SIDES + 1, sizeof(*bars));
	struct plot plot = { .bars = bars,
			     .columns = chart->columns,
			     .rows = rows,
			     .characters = line->options->utf8 ? PLOT_BRAILLE : PLOT_ASCII };
	CLEANUP_BUF struct buf top = { 0 };
	uint64_t bytes;

	if (!values || !bars)
		return;
	bytes = chart_choose_top((uint64_t)(chart_read(chart, values) * scale), capacity);
	plot.top = (double)bytes / scale;
	plot_measure(&plot, values);
	format_bytes(&top, bytes);
	for (size_t row = 0; row < rows; row++) {
		CLEANUP_BUF struct buf text = { 0 };

		plot_row(&text, &plot, row);
		text_line_cell(line, 7, STYLE_PLAIN, row == 0 ? name : "");
		text_line_cell_right(line, LABEL - 7, STYLE_DIM,
				     row == 0	       ? buf_text(&top)
				     : row + 1 == rows ? "0B"
						       : "");
		text_line_put(line, STYLE_DIM, line->options->utf8 ? "┤" : "|");
		text_line_put(line, STYLE_PLAIN, buf_text(&text));
		text_line_end(line);
	}
}

static void put_axis(struct text_line *line, const struct chart *chart, int64_t span_ns)
{
	CLEANUP_BUF struct buf text = { 0 };

	chart_put_axis(&text, span_ns, chart->columns, line->options->utf8);
	text_line_to(line, line->options->columns - chart->columns - 3);
	text_line_put(line, STYLE_DIM, line->options->utf8 ? "└" : "+");
	text_line_put(line, STYLE_DIM, buf_text(&text));
	text_line_end(line);
}

void mem_put_charts(struct text_line *line, const struct mem_view *view, size_t device)
{
	const struct device *dev = &view->snapshot->devices[device];
	const struct series *series = history_of_device(view->history, dev);
	size_t rows = view->snapshot->n_devices == 1 ? 4 : 1;
	int64_t now_ns = view->snapshot->taken_ns;
	int64_t span_ns = chart_span(history_begin(view->history), now_ns, HISTORY_DEVICE_SPAN_NS);
	struct chart chart = {
		.history = view->history,
		.dev = dev,
		.metric = METRIC_DRAM,
		.columns = line->options->columns - LABEL - 3,
	};

	if (!series_spans_time(series))
		return;
	chart_place(&chart, now_ns, span_ns);
	text_line_end(line);
	put_chart(line, &chart, rows, "  DRAM",
		  device_knows(dev, DEV_DRAM_TOTAL) ? dev->memory_total[POOL_DRAM] : 0);
	chart.metric = METRIC_L1;
	put_chart(line, &chart, MIN(rows, 2), "  L1",
		  device_knows(dev, DEV_L1_TOTAL) ? dev->memory_total[POOL_L1] : 0);
	put_axis(line, &chart, span_ns);
}
