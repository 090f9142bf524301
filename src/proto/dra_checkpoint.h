/*
 * The checkpoint of the vendor's DRA driver for Kubernetes: which devices it has prepared for which
 * resource claims. The driver writes it into its plugin directory, to find it again after a
 * restart:
 *
 *         { "v1": { "preparedClaims": { "CLAIM UID": [ { "DeviceName": "tt-0", … }, … ] } } }
 *
 * A device is named by the number of its chip. Where the entry also has the path of the device
 * node, for CDI, that is the better name.
 */
#pragma once

#include "basic/macros.h"

#include <stddef.h>
#include <stdint.h>

#define DRA_CHECKPOINT "var/lib/kubelet/plugins/tenstorrent.com/checkpoint.json"

enum { DRA_DEVICES = 256, DRA_NO_NODE = UINT32_MAX };

struct dra_device {
	char claim[40]; /* uid */
	uint32_t chip;	/* of tt-CHIP */
	uint32_t node;	/* N of /dev/tenstorrent/N; DRA_NO_NODE: not there */
};

struct dra_checkpoint {
	struct dra_device devices[DRA_DEVICES];
	size_t count;
};

/*
 * -EBADMSG if it is not JSON, has no "v1", or an entry is malformed; -ENOSPC if it has too many
 * devices. *ret is untouched on failure.
 */
MUST_CHECK int dra_checkpoint_parse(const char *text, size_t length, struct dra_checkpoint *ret);
