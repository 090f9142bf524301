/*
 * Finds tables of programs that run already, as a monitor without a server does:
 * as memfds in /proc/PID/fd. A program that is idle does not notice that the
 * server was started again; this way it is not missed.
 */
#pragma once

struct manager;

/* Adopts what it may read. Returns how many. */
unsigned adopt_tables(struct manager *manager);
