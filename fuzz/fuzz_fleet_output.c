/*
 * Fuzzes the outputs of tt_smi fleet with the labels and values of a server's answer: tables must
 * have no control characters, JSON must be valid, and CSV must have one line per row.
 */
#include "fuzz.h"

#include "basic/json_reader.h"
#include "fleet/chips.h"
#include "fleet/fleet_render.h"
#include "fleet/vector.h"
#include "fleet/who_render.h"

struct target {
	struct fleet fleet;
	struct who who;
	struct chip_page page;
};

/* Uses one series as a value of a machine, of an owner and of a chip, and as an alert. */
static int visit(void *arg, const struct label_set *labels, double value)
{
	static const struct fleet_filter everything = { "", NULL };
	struct target *target = arg;
	const char *texts[OWNED_TEXTS], *instance = label_text(labels, "instance");
	size_t which = target->who.count;
	struct fleet_machine *machine;

	for (size_t i = 0; i < OWNED_TEXTS; i++)
		texts[i] = label_text(labels, owned_labels[i]);
	CHECK(chip_page_set(&target->page, instance, label_text(labels, "device"),
			    which % CHIP_VALUES, value) == 0);
	if (fleet_get(&target->who.fleet, &everything, instance, &machine) <= 0)
		return 0;
	CHECK(who_add(&target->who, texts, (size_t)(machine - target->who.fleet.machines),
		      which % OWNED_VALUES, value) == 0);
	CHECK(fleet_get(&target->fleet, &everything, instance, &machine) == 1);
	machine->values[which % MACHINE_VALUES] = value;
	machine->has_data = value > 0;
	return machine_add_alert(machine, label_text(labels, "alertname"), "",
				 label_text(labels, "device"));
}

static size_t count_lines(const struct buf *text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->length; i++) {
		unsigned char c = (unsigned char)text->data[i];

		CHECK(c == '\n' || (c >= ' ' && c != 0x7F));
		lines += c == '\n';
	}
	return lines;
}

static void check_json(const struct buf *text)
{
	struct json_reader json = json_reader_make(buf_text(text), text->length);
	enum json_token token;

	CHECK(count_lines(text) == 1);
	do
		token = json_next(&json);
	while (token != TOKEN_END && token != TOKEN_INVALID);
	CHECK(token == TOKEN_END);
	json_reader_done(&json);
}

static void check_fleet(const struct fleet *fleet)
{
	static const struct render_options look = { .columns = 80 };
	const struct fleet_view view = { .fleet = fleet, .host = "a", .url = "http://a" };
	struct buf text = { 0 };

	fleet_render_json(&text, &view, false);
	check_json(&text);
	buf_reset(&text);
	fleet_render_csv(&text, fleet);
	CHECK(count_lines(&text) == fleet->count + 1);
	buf_reset(&text);
	fleet_render_table(&text, &look, &view, true);
	CHECK(count_lines(&text) > fleet->count);
	buf_done(&text);
}

static void check_who(const struct who *who)
{
	static const struct render_options look = { .columns = 80 };
	struct buf text = { 0 };

	who_render_json(&text, who, "http://a", 0, false);
	check_json(&text);
	buf_reset(&text);
	who_render_csv(&text, who);
	CHECK(count_lines(&text) == who->count + 1);
	buf_reset(&text);
	who_render_table(&text, &look, who, true);
	CHECK(count_lines(&text) > who->count);
	buf_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target target = { .fleet = { .knows_alerts = true } };
	const struct vector_reader reader = { visit, &target };
	struct buf error = { 0 };
	int r = vector_read((const char *)data, size, &reader, &error);

	CHECK(r <= 0);
	for (size_t i = 0; i < target.fleet.count; i++)
		machine_sort_alerts(&target.fleet.machines[i]);
	fleet_sort(&target.fleet, size % ORDERS);
	chip_page_sort(&target.page);
	who_sort(&target.who);
	check_fleet(&target.fleet);
	check_who(&target.who);
	fleet_done(&target.fleet);
	who_done(&target.who);
	chip_page_done(&target.page);
	buf_done(&error);
	return 0;
}
