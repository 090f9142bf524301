#!/usr/bin/env python3
"""Counts bytes while a recorded machine is shown: no value changes, no clock moves.

usage: quiet.py TT_SMI ROOT
"""

import sys

from terminal import Terminal

terminal = Terminal(sys.argv[1], sys.argv[2], "-r", "100", "--view", "grid")
first = terminal.read(1.0)
assert b"tray 1" in first, first
later = terminal.read(2.0)
print(f"first screen {len(first)} bytes, then {len(later)} bytes in 20 samples")
assert len(later) <= 20 * 64
terminal.press(b"q")
assert terminal.end() == 0
