#!/usr/bin/env python3
"""Counts bytes while a recorded machine is shown: no value changes, no clock moves.

usage: quiet.py TT_SMI ROOT
"""

import sys

from terminal import Terminal

terminal = Terminal(sys.argv[1], sys.argv[2], "-r", "100", "--view", "grid")
first = terminal.until(b"tray 1")
for _ in range(20):  # until the screen is complete
    later = terminal.read(2.0)
    print(f"first screen {len(first)} bytes, then {len(later)} bytes in 20 samples")
    if not later:
        break
else:
    sys.exit("it never falls silent")
terminal.press(b"q")
assert terminal.end() == 0
