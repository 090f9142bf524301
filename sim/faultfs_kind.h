/* The kinds of trees that a fault file system is mounted over. */
#pragma once

enum faultfs_kind {
	FAULTFS_SYS,  /* files have the size of a page; after removal: ENODEV */
	FAULTFS_PROC, /* files have size 0; after removal: EIO */
};
