#include "doctor/finding_json.h"

static const char *const level_words[] = {
	[LEVEL_OK] = "ok",
	[LEVEL_NOTE] = "note",
	[LEVEL_WARN] = "warn",
	[LEVEL_FAIL] = "fail",
};

const char *level_word(enum level level)
{
	return level_words[level];
}

/* "subject: text" */
static void put_text(struct json *json, const struct finding *finding)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (finding->subject)
		buf_printf(&text, "%s: ", finding->subject);
	buf_puts(&text, finding->text);
	json_text(json, "text", buf_text(&text));
	json->out->failed |= text.failed;
}

void finding_put_json(struct json *json, const struct finding *finding)
{
	json_open(json, NULL, '{');
	json_text(json, "section", area_heading(finding->area));
	json_text(json, "area", area_name(finding->area));
	json_text(json, "level", level_word(finding->level));
	if (finding->device[0])
		json_text(json, "device", finding->device);
	if (finding->pid)
		json_i64(json, "pid", finding->pid);
	put_text(json, finding);
	json_open(json, "fixes", '[');
	for (size_t i = 0; i < finding->n_fixes; i++)
		json_text(json, NULL, finding->fixes[i]);
	json_close(json, ']');
	json_close(json, '}');
}
