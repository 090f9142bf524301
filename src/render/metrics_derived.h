/* Metrics that are not a field of the model: each function writes all series of its row. */
#pragma once

#include "model/want.h"
#include "render/exposition.h"

void metrics_put_device_info(struct exposition *page);
void metrics_put_device_up(struct exposition *page);
void metrics_put_unused_claim(struct exposition *page);
void metrics_put_dispatch(struct exposition *page);
void metrics_put_holders(struct exposition *page);
void metrics_put_source_up(struct exposition *page);
void metrics_put_source_duration(struct exposition *page);
void metrics_put_build(struct exposition *page);
void metrics_put_devices(struct exposition *page);
void metrics_put_expected(struct exposition *page);
void metrics_put_dropped(struct exposition *page);
void metrics_put_sample_time(struct exposition *page);

/* Adds the fields that are labels of ttsmi_device_info. */
void metrics_want_info(struct want *want);
