/*
 * Writes each frame of curses with one write().
 *
 * Debian's ncurses writes after each cursor movement: sixty writes of ten bytes for a frame
 * with as many numbers, each of which wakes the terminal. This module defines a write() that
 * the library finds before libc's; it buffers what is written between frame_writer_begin()
 * and frame_writer_end(). If the library finds libc's instead, frames are still complete.
 *
 * Frames go out through an open file description of our own that does not block: a stalled
 * terminal must not keep the program from ending, and the description we inherited is shared
 * with the shell. If it cannot be opened, writes block.
 */
#pragma once

#include <stdbool.h>

void frame_writer_open(void);
void frame_writer_close(void);

/*
 * Begins a frame. The rest of it is dropped when stop_fd (-1: none) becomes readable, or when
 * the terminal takes nothing for timeout_ms (-1: no limit).
 */
void frame_writer_begin(int stop_fd, int timeout_ms);

/* Ends the frame. False: some of it was dropped. */
bool frame_writer_end(void);
