/* The release of TT-Metal in this process, as far as device numbers depend on it. */
#pragma once

#include "proto/visible_devices.h"

/*
 * The meaning of a number in TT_VISIBLE_DEVICES for the TT-Metal in this process. Determined from
 * the symbols of the loaded objects; VISIBLE_BY_EITHER if none of them is a known TT-Metal, or if
 * two of them disagree.
 */
enum visible_meaning release_meaning(void);
