/* One finding as a JSON object. */
#pragma once

#include "doctor/report.h"
#include "render/json_writer.h"

/* "warn" */
const char *level_word(enum level level);

void finding_put_json(struct json *json, const struct finding *finding);
