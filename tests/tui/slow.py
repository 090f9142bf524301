#!/usr/bin/env python3
"""If the terminal is not read for a while, little output is queued, and keys still work.

usage: slow.py TT_SMI ROOT
"""

import sys
import time

from terminal import Terminal

terminal = Terminal(sys.argv[1], sys.argv[2], "-r", "100", "--view", "grid", rows=60, columns=200)
terminal.until(b"tray 1")
time.sleep(6)  # about sixty samples, whose output is not read
waiting = terminal.read(0.3)
print(f"{len(waiting)} bytes were waiting")
assert len(waiting) < 128 * 1024
terminal.press(b"q")
assert terminal.end() == 0
