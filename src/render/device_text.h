/*
 * Readings of a device as short text, for the printed table and the full screen alike. Each
 * number has its unit. Unknown values are "N/A".
 */
#pragma once

#include "basic/buf.h"
#include "model/device.h"

#include <stdbool.h>

/* "65°C/75°C", "150W/160W"; without limit, or if it is unknown: "65°C", "150W" */
void device_put_temperature(struct buf *out, const struct device *dev, bool limit, bool utf8);
void device_put_power(struct buf *out, const struct device *dev, bool limit);

void device_put_aiclk(struct buf *out, const struct device *dev); /* "1350MHz" */
void device_put_link(struct buf *out, const struct device *dev);  /* "4x16" */
void device_put_rx(struct buf *out, const struct device *dev);	  /* "2.5GB/s" */
void device_put_tx(struct buf *out, const struct device *dev);
void device_put_fan(struct buf *out, const struct device *dev);	 /* "1735rpm" */
void device_put_name(struct buf *out, const struct device *dev); /* "Blackhole p150a" */

/* Compute utilisation: "64%", "≥64%", "run 12s" */
void device_put_compute(struct buf *out, const struct device *dev, bool utf8);
bool device_shows_compute(const struct device *dev);

/* DRAM or L1 in use: "2.4GB", "≥2.4GB/12.0GB" */
void device_put_used(struct buf *out, const struct device *dev, enum pool pool, bool utf8);
void device_put_pool(struct buf *out, const struct device *dev, enum pool pool, bool utf8);

/* Used part of DRAM or L1, 0 to 1; negative: unknown. */
double device_pool_share(const struct device *dev, enum pool pool);

/* Share of DRAM in use: "75%" */
void device_put_share(struct buf *out, const struct device *dev, bool utf8);

/* "12s ago", "3m ago": the age of its readings; negative: "never seen". */
void device_put_age(struct buf *out, int64_t age_ns);
