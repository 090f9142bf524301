#!/usr/bin/env python3
"""Runs a command in tt_smi sim on a terminal, presses Ctrl-C, and counts the signals that the command gets.

Two signals at the same time may count as one, so it is pressed many times.

usage: terminal.py TT_SMI_SIM
"""

import os
import pty
import sys
import time

PRESSES = 12
COMMAND = """
import os, signal, sys
got = []
def press(*_):
    got.append(1)
    os.write(1, b"pressed\\n")
signal.signal(signal.SIGINT, press)
print("ready", flush=True)
sys.stdin.readline()
print("count", len(got), flush=True)
sys.exit(9)
"""

pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "--no-workloads", "--", sys.executable, "-c", COMMAND])
out = b""


def read():
    global out
    try:
        data = os.read(fd, 1000)
    except OSError:
        data = b""
    out += data
    return data


def until(text, times=1):
    while out.count(text) < times:
        assert read(), out


until(b"ready")
for press in range(PRESSES):
    os.write(fd, b"\x03")
    until(b"pressed", press + 1)
    time.sleep(0.05)  # time for a second signal, which must not come
os.write(fd, b"\n")
while read():
    pass
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 9, status
assert b"count %d\r" % PRESSES in out, out
