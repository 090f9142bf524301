/*
 * What `tt_smi run` and the preloaded library agree on: the environment of a program that
 * is started with it.
 */
#pragma once

#define PRELOAD_NAME  "libttalloc-preload.so"
#define PRELOAD_LIST  "LD_PRELOAD"	      /* of the loader: separated by colons or blanks */
#define PRELOAD_QUIET "TTALLOC_PRELOAD_QUIET" /* 1: no lines on standard error */
#define PRELOAD_ONLY  "TTALLOC_PRELOAD_ONLY"  /* the one process that is to be counted */
