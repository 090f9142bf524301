#!/usr/bin/env python3
"""Runs a command in ttsim on a terminal, presses Ctrl-C, and counts what arrives.

Two signals that come together count as one, so it is pressed often.

usage: terminal.py TTSIM
"""

import os
import pty
import sys
import time

PRESSES = 12
COMMAND = """
import signal, sys, time
got = []
signal.signal(signal.SIGINT, lambda *a: got.append(1))
print("ready", flush=True)
end = time.time() + 2
while time.time() < end:
    time.sleep(0.001)
print("count", len(got), flush=True)
sys.exit(9)
"""

pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "--no-workloads", "--", sys.executable, "-c", COMMAND])
out = b""
pressed = False
while True:
    try:
        data = os.read(fd, 1000)
    except OSError:
        break
    if not data:
        break
    out += data
    if b"ready" in out and not pressed:
        for _ in range(PRESSES):
            os.write(fd, b"\x03")
            time.sleep(0.1)
        pressed = True
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 9, status
assert b"count %d" % PRESSES in out, out
