/*
 * Writes each frame with one write(), together with what curses sends to enter and leave the full
 * screen.
 *
 * This module defines a write() that interposes libc's for curses; it buffers what is written
 * between frame_writer_begin() and frame_writer_end(), so that the order is kept. If curses uses
 * libc's write() instead, frames are still complete.
 *
 * Frames are written through a separate, non-blocking open file description: a stalled terminal
 * must not keep the program from exiting, and setting O_NONBLOCK on the inherited description would
 * change it for the shell too. If it cannot be opened, writes block.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

void frame_writer_open(void);
void frame_writer_close(void);

/*
 * Begins a frame. The rest of it is dropped when stop_fd (-1: none) becomes readable, or when the
 * terminal accepts nothing for timeout_ms (-1: no limit).
 */
void frame_writer_begin(int stop_fd, int timeout_ms);

/* Appends to the frame. */
void frame_writer_add(const void *data, size_t size);

/* Ends the frame. False: some of it was dropped. */
bool frame_writer_end(void);

/* Async-signal-safe: writes what the terminal accepts at once, outside of any frame. */
void frame_writer_write_now(const void *data, size_t size);
