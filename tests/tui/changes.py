#!/usr/bin/env python3
"""Counts the bytes that are written while one reading changes every second.

usage: changes.py TT_SMI ROOT

The temperature of the only device of a machine that stands still otherwise changes by its last digit, which is shown
three times, and extends a chart.
"""

import pathlib
import sys
import time

from terminal import Terminal

CHANGES = 8
# Bytes per change: the clock, three digits with the movements to them and the style of each, and every other second a
# column of the charts.
MOST = 100
tt_smi, root = sys.argv[1], pathlib.Path(sys.argv[2])


def set_temperature(celsius):
    sensor.write_text(f"{celsius * 1000}\n")


sensor = next(root.glob("sys/devices/**/temp1_input"))
sensor.chmod(0o644)
set_temperature(50)
terminal = Terminal(tt_smi, str(root), "-r", "1000")
terminal.until(b"Quit", b"50")
terminal.read(2)
begin, written = time.monotonic(), b""
for i in range(CHANGES):
    set_temperature(51 + i)
    written += terminal.read(1)
frames = time.monotonic() - begin + 1
print(f"{len(written)} bytes in {CHANGES} changes: {written!r}")
assert len(written) <= MOST * frames, "more is written than has changed"
assert len(written) >= 4 * CHANGES, "the changes are not shown"
terminal.press(b"q")
assert terminal.end() == 0
