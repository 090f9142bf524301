#!/usr/bin/env python3
"""Counts the bytes that are written while nothing changes on the machine.

usage: quiet.py TT_SMI ROOT            a recorded machine, whose time stands still: nothing is written
       quiet.py TT_SMI ROOT --clock    a running machine: only the clock is written, a few bytes per second
"""

import sys
import time

from terminal import Terminal

SECONDS = 3
MOST_PER_TICK = 12  # bytes at a full minute: both digits of the seconds, and one of the minutes


def bytes_of_clock():
    """The maximum number of bytes for the clock in this time and one more second."""
    begin = time.monotonic()
    later = terminal.read(SECONDS)
    return later, MOST_PER_TICK * (time.monotonic() - begin + 1)


def bytes_of_nothing():
    return terminal.read(SECONDS), 0


clock = "--clock" in sys.argv
view = "processes" if clock else "grid"
terminal = Terminal(sys.argv[1], sys.argv[2], "-r", "100", "--view", view)
first = terminal.until(b"Quit" if clock else b"tray 1")
for _ in range(20):  # until the screen is complete
    later, most = bytes_of_clock() if clock else bytes_of_nothing()
    print(f"first screen {len(first)} bytes, then {len(later)} bytes in {SECONDS * 10} samples, at most {most:.0f} wanted")
    if len(later) <= most:
        break
else:
    sys.exit("it never falls silent")
if clock:
    assert later, "the clock stands still"
terminal.press(b"q")
assert terminal.end() == 0
