/*
 * A frame as one write.
 *
 * ncurses with its terminal drivers, as Debian builds it, writes after each move of
 * the cursor: sixty writes of ten bytes for a frame with as many numbers, each of
 * which wakes whoever is at the other end of the terminal. What it writes between
 * these two calls is gathered, by a write() of ours that the library finds before
 * the one of libc, and goes out at once. Should it find the other one, nothing is lost.
 *
 * It goes out by a description of the terminal that is ours alone and never blocks: a link
 * that stalls in the middle of a frame must not keep us from being ended, and the
 * description that we were given is the shell's, too. Where there is none, writes block.
 */
#pragma once

#include <stdbool.h>

void gather_open(void);
void gather_close(void);

/* The rest is given up when stop_fd (-1: none) is readable, or nothing is taken for so long (-1:
 * ever). */
void gather_begin(int stop_fd, int patience_ms);

/* False: some of it was given up. */
bool gather_end(void);
