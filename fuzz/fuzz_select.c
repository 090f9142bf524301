/* Fuzzes the parsers of the arguments of -i and --query-gpu=. */
#include "fuzz.h"

#include "model/select.h"
#include "render/csv.h"

#include <errno.h>

enum { DEVICES = 4 };

static struct snapshot *make_machine(void)
{
	static const char *const addresses[DEVICES] = { "0000:01:00.0", "", "10000:02:00.0", "" };
	struct snapshot *machine;

	CHECK(snapshot_new(&machine) == 0);
	for (uint32_t i = 0; i < DEVICES; i++) {
		struct device dev;

		device_init(&dev, i * 4);
		snprintf(dev.bdf, sizeof(dev.bdf), "%s", addresses[i]);
		dev.asic_id = UINT64_C(0x2F9C2B4A51D01A2B) + i;
		dev.serial = UINT64_C(0x0100014131904000);
		dev.tray = (int32_t)i;
		dev.why[DEV_BDF] = dev.bdf[0] ? KNOWN : MALFORMED;
		dev.why[DEV_ASIC_ID] = dev.why[DEV_SERIAL] = dev.why[DEV_TRAY] = KNOWN;
		CHECK(snapshot_add_device(machine, &dev));
	}
	return machine;
}

static void try_select(const struct snapshot *machine, const char *text)
{
	struct selection selection = { 0 };
	bool keep[DEVICES] = { false }, any = false;
	const char *word = NULL;
	int r;

	r = selection_add(&selection, text);
	CHECK(r == 0 || r == -EINVAL);
	if (r == 0) {
		r = selection_match(&selection, machine, keep, &word);
		CHECK(r == 0 || r == -ENODEV || r == -ENOTUNIQ);
		for (size_t i = 0; i < DEVICES; i++)
			any |= keep[i];
		/* Either a device is selected, or the word that selects none is returned. */
		if (r == 0)
			CHECK(any);
		else
			CHECK(word && strstr(text, word));
	} else {
		CHECK(!text[0] || text[0] == ',' || text[strlen(text) - 1] == ',' ||
		      strstr(text, ",,"));
	}
	selection_done(&selection);
}

static void try_query(enum query_kind kind, const char *text)
{
	struct query query;
	char *bad = NULL;
	int r;

	r = query_parse(kind, text, &query, &bad);
	CHECK(r == 0 || r == -EINVAL);
	if (r == 0) {
		CHECK(query.n_columns > 0);
		for (size_t i = 0; i < query.n_columns; i++)
			CHECK(query.columns[i].index < query.columns[i].table->count);
		query_done(&query);
	} else {
		CHECK(bad && strstr(text, bad));
		free(bad);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct snapshot *machine;
	char *text = fuzz_text(data, size);

	if (!machine)
		machine = make_machine();
	try_select(machine, text);
	try_query(QUERY_DEVICES, text);
	try_query(QUERY_PROCESSES, text);
	free(text);
	return 0;
}
