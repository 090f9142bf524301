/*
 * tt_smi run: executes a program with libttalloc-preload.so loaded before all other libraries,
 * which counts its device memory. The program replaces this process, so exit status and signals are
 * those of the program.
 */
#pragma once

int run_main(int argc, char **argv);
