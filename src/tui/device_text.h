/* Readings of a device as short text. Unknown values are "N/A". */
#pragma once

#include "basic/buf.h"
#include "model/device.h"
#include "render/device_style.h"

#include <stdint.h>

void put_temperature(struct buf *out, const struct device *dev, bool limit); /* "65°C/75" */
void put_power(struct buf *out, const struct device *dev, bool limit);	     /* "150W/160W" */
void put_aiclk(struct buf *out, const struct device *dev, bool brief); /* "1350MHz", "1350M" */
void put_used(struct buf *out, const struct device *dev, bool l1);     /* "2.4GB" */
void put_pool(struct buf *out, const struct device *dev, bool l1);     /* "2.4GB/12.0GB" */
void put_name(struct buf *out, const struct device *dev);	       /* "Blackhole p150a" */
void put_age(struct buf *out, int64_t age_ns);			       /* "12s ago" */

/* Share in use, 0 to 1; negative: not known. */
double pool_share(const struct device *dev, bool l1);

/* DRAM in use as "75%", or with another unit; and its style. */
void put_share(struct buf *out, const struct device *dev, const char *unit);
enum style share_style(const struct device *dev);

/* Signs of devices and values, for the help and the manual page. */
struct sign {
	const char *sign, *ascii, *help;
};

extern const struct sign sign_infos[];
extern const size_t n_sign_infos;

/* The sign for the state of a device, and its style. */
const char *device_sign(const struct device *dev, enum style *ret_style);
