#include "fleet/chips_load.h"

#include "fleet/promql.h"
#include "fleet/question.h"

static const char *const selectors[CHIP_VALUES] = {
	[CHIP_UP] = "ttsmi_device_up{@}",
	[CHIP_TEMPERATURE] = "ttsmi_temperature_celsius{@}",
	[CHIP_LIMIT] = "ttsmi_temperature_limit_celsius{kind=\"throttle\",@}",
	[CHIP_POWER] = "ttsmi_power_watts{domain=\"chip\",@}",
	[CHIP_DRAM_USED] = "ttsmi_memory_used_bytes{pool=\"dram\",@}",
	[CHIP_DRAM_SIZE] = "ttsmi_memory_size_bytes{pool=\"dram\",@}",
	[CHIP_HOLDERS] = "ttsmi_holders{role=\"job\",@}",
	[CHIP_QUIET] = "ttsmi_quiet_seconds{@}",
};

struct chip_target {
	struct chip_page *page;
	enum chip_value which;
};

static int take_chip(void *arg, const struct label_set *labels, double value)
{
	const struct chip_target *target = arg;

	return chip_page_set(target->page, label_text(labels, "instance"),
			     label_text(labels, "device"), target->which, value);
}

/* instance=~"node1|node2", and the other matchers */
static void put_matchers(struct buf *out, const char *matchers, char *const *instances,
			 size_t count)
{
	CLEANUP_BUF struct buf pattern = { 0 };

	for (size_t i = 0; i < count; i++) {
		buf_puts(&pattern, i ? "|" : "");
		promql_put_pattern(&pattern, instances[i]);
	}
	buf_puts(out, "instance=~");
	promql_put_string(out, buf_text(&pattern));
	buf_printf(out, ",%s", matchers);
}

int chips_load(struct http_client *client, const char *matchers, char *const *instances,
	       size_t count, struct chip_page *ret, struct buf *error)
{
	CLEANUP_BUF struct buf which = { 0 };
	struct chip_target targets[CHIP_VALUES];
	struct question_set set = { .count = 0 };
	struct chip_page page = { 0 };
	int code;

	http_client_begin(client);
	put_matchers(&which, matchers, instances, count);
	for (size_t i = 0; i < CHIP_VALUES; i++) {
		CLEANUP_BUF struct buf text = { 0 };

		targets[i] = (struct chip_target){ &page, i };
		buf_printf(&text, "max by (instance, device) (%s)", selectors[i]);
		question_add(&set, buf_text(&text), buf_text(&which),
			     (struct vector_reader){ take_chip, &targets[i] });
	}
	code = question_ask(&set, client, error);
	question_done(&set);
	if (code) {
		chip_page_done(&page);
		return code;
	}
	chip_page_sort(&page);
	*ret = page;
	return 0;
}
