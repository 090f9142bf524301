/* What a fault filesystem stands in front of. */
#pragma once

enum faultfs_kind {
	FAULTFS_SYS,  /* files are a page long; a removed one: ENODEV */
	FAULTFS_PROC, /* files have no length; a removed one: EIO */
};
