#!/usr/bin/env python3
"""Presses keys in a tmux terminal, and checks that the screen reacts to each.

usage: answer.py SOCKET PRESSES

The delay is printed, but not checked, since it depends on the machine.
"""

import subprocess
import sys
import time

socket, presses = sys.argv[1], int(sys.argv[2])


def tmux(*words):
    return subprocess.run(["tmux", "-S", socket, *words], check=True, capture_output=True, text=True).stdout


times = []
for i in range(presses):
    key = ("h", "q")[i % 2]
    begin = time.monotonic()
    tmux("send-keys", key)
    while ("Keys" in tmux("capture-pane", "-p").splitlines()[1]) != (i % 2 == 0):
        assert time.monotonic() - begin < 300, f"no answer to {key}"
    times.append(time.monotonic() - begin)
    time.sleep(0.05)
times.sort()
print(f"answers after {times[len(times) // 2] * 1000:.0f} ms, at most {times[-1] * 1000:.0f} ms")
