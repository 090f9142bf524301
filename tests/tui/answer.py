#!/usr/bin/env python3
"""Presses keys in a tmux terminal and measures until the screen shows the answer.

usage: answer.py SOCKET PRESSES

tmux takes some milliseconds itself: what counts is that no answer waits for a read.
"""

import subprocess
import sys
import time

socket, presses = sys.argv[1], int(sys.argv[2])


def tmux(*words):
    return subprocess.run(["tmux", "-L", socket, *words], check=True, capture_output=True, text=True).stdout


worst = 0
for i in range(presses):
    key = ("h", "q")[i % 2]
    begin = time.monotonic()
    tmux("send-keys", key)
    while ("Keys" in tmux("capture-pane", "-p").splitlines()[1]) != (i % 2 == 0):
        assert time.monotonic() - begin < 1, f"no answer to {key}"
    worst = max(worst, time.monotonic() - begin)
    time.sleep(0.05)
print(f"slowest answer {worst * 1000:.0f} ms")
assert worst < 0.25, worst
