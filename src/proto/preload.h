/*
 * The environment variables by which `tt_smi run` configures the preloaded library.
 */
#pragma once

#define PRELOAD_NAME  "libttalloc-preload.so"
#define PRELOAD_LIST  "LD_PRELOAD" /* of the loader: paths separated by colons or blanks */
#define PRELOAD_QUIET "TTALLOC_PRELOAD_QUIET" /* 1: no lines on standard error */
#define PRELOAD_ONLY  "TTALLOC_PRELOAD_ONLY"  /* pid of the only process to count */
