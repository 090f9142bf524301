/*
 * Starts a program so that its memory is counted: with libttalloc-preload.so before all
 * other libraries. We become that program, so that its exit status and its signals are
 * its own.
 */
#pragma once

int run_main(int argc, char **argv);
