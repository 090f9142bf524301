/*
 * A frame as one write.
 *
 * ncurses with its terminal drivers, as Debian builds it, writes after each move of
 * the cursor: sixty writes of ten bytes for a frame with as many numbers, each of
 * which wakes whoever is at the other end of the terminal. What it writes between
 * these two calls is gathered, by a write() of ours that the library finds before
 * the one of libc, and goes out at once. Should it find the other one, nothing is lost.
 */
#pragma once

void gather_begin(void);
void gather_end(void);
