/* What a client accepts, from the headers of its request. Pure functions of texts. */
#pragma once

#include "render/metrics.h"

#include <stdbool.h>

/*
 * The format of metrics for an Accept header; NULL: there is none. OpenMetrics if it is accepted
 * and the plain format is not preferred, else the plain format, which every client reads.
 */
enum metrics_format accept_format(const char *accept);

/* Does an Accept-Encoding header allow gzip? NULL: there is none, so it does not. */
bool accepts_gzip(const char *encodings);
