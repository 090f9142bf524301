#!/usr/bin/env python3
"""If the terminal stops reading in the middle of a frame, signals still end the program.
If a user has stopped it by Ctrl-S, the program waits.

usage: stalled.py TT_SMI ROOT
"""

import os
import signal
import sys
import time

from terminal import LIMIT, Terminal

terminal = Terminal(sys.argv[1], sys.argv[2], rows=60, columns=200)
terminal.until(b"Quit")
# Requests complete redraws without reading them, until a write of the program blocks.
for _ in range(100):
    terminal.press(b"\x0c")
    time.sleep(0.01)
os.kill(terminal.pid, signal.SIGTERM)
limit = time.monotonic() + LIMIT
while not (ended := os.waitpid(terminal.pid, os.WNOHANG))[0]:
    assert time.monotonic() < limit, "it does not end"
    time.sleep(0.02)
assert os.WTERMSIG(ended[1]) == signal.SIGTERM, ended

terminal = Terminal(sys.argv[1], sys.argv[2])
terminal.until(b"Quit")
terminal.press(b"\x13")
time.sleep(0.2)
terminal.press(b"q")
time.sleep(3)  # longer than the program waits after a signal
terminal.press(b"\x11")
terminal.until(b"\x1b[?1049l")
assert terminal.end() == 0
