/* The implementation of the fault file system: kernel requests, and reads that wait. */
#pragma once

#define FUSE_USE_VERSION 314

#include "faultfs_kind.h"
#include "machine.h"
#include "node.h"

#include <fuse_lowlevel.h>

/* A read that is not answered yet. */
struct waiting {
	struct waiting *next;
	fuse_req_t request;
	struct fault_node *node;
	size_t size;
	off_t offset;
	int64_t due; /* CLOCK_MONOTONIC, ns; INT64_MAX: as long as the fault is active */
};

struct faultfs {
	struct machine *machine;
	struct fuse_session *session;
	enum faultfs_kind kind;
	int backing;
	bool mounted;
	struct nodes nodes;
	struct waiting *waiting;
	struct fuse_buf buffer;
};

extern const struct fuse_lowlevel_ops fault_operations;

/* Answers a read with the text, or with the error that replaces it. */
void faultops_read(struct faultfs *fs, fuse_req_t request, const struct fault_node *node,
		   size_t size, off_t offset);

/* Is such a fault active for this file? */
bool faultops_has(struct faultfs *fs, const struct fault_node *node, enum fault_kind kind);
