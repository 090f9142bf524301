#!/usr/bin/env python3
"""Counts the system calls of refreshes: files that are kept open are not opened again.

usage: refresh_calls.py TT_SMI ROOT

Processes of this test hold device 0 of the simulated machine. strace runs until the screen
has been refreshed for three seconds, ten times per second; the first second is not counted.
"""

import os
import pathlib
import re
import signal
import sys
import tempfile
import time
from collections import Counter

from terminal import LIMIT, Terminal

HOLDERS, SAMPLES = 40, 30
TRIES = 10  # strace makes the program slow, and a read that is late is repeated
LIMIT_OPEN = 128  # limit of open files; tt_smi keeps the same file of each holder open in a quarter of them
tt_smi, root = sys.argv[1], pathlib.Path(sys.argv[2])


def hold(runs=False):
    """Starts a process that has the device open and does nothing, or runs now and then."""
    pid = os.fork()
    if pid == 0:
        os.open(root / "dev/tenstorrent/0", os.O_RDONLY)
        while runs:
            time.sleep(0.05)
        signal.pause()
        os._exit(0)
    return pid


def list_holders(pids):
    listed = root / "proc/driver/tenstorrent/0/pids"
    listed.chmod(0o644)
    listed.write_text("".join(f"{pid}\n" for pid in pids))
    for pid in pids:
        (root / "proc" / str(pid)).symlink_to(f"/proc/{pid}")


def joined(text):
    """Joins calls that strace has printed in two lines, since calls of two threads overlapped."""
    begun, lines = {}, []
    for line in text.splitlines():
        thread = line.split(" ", 1)[0]
        if line.endswith("<unfinished ...>"):
            begun[thread] = line.removesuffix("<unfinished ...>").rstrip()
            continue
        if resumed := re.search(r"<\.\.\. \w+ resumed>", line):
            line = begun.pop(thread, "") + line[resumed.end():]
        lines.append(line)
    return "\n".join(lines)


def trace(work, before="true"):
    """The strace log of a run. before: a shell command that is executed first."""
    output, wrapper = work / "trace", work / "traced"
    wrapper.write_text(f'#!/bin/sh\n{before}\nexec strace -f -qq -o {output} "{tt_smi}" "$@"\n')
    wrapper.chmod(0o755)
    terminal = Terminal(str(wrapper), str(root), "-r", "100", "-n", str(SAMPLES), "--view", "processes")
    end = time.monotonic() + LIMIT
    assert terminal.end() == 0 and time.monotonic() < end
    return joined(output.read_text())


def count_kept(calls, name, call):
    """How often a call was made with each of the kept descriptors of files of this name."""
    kept = {number for line in calls.splitlines() if f'/{name}", ' in line and "openat(" in line
            for number in re.findall(r" = (\d+)$", line)}
    used = Counter(re.findall(rf"\b{call}\((\d+),", calls))
    return {number: used[number] for number in kept}


def count_opens(calls, pids, name):
    """How often the file of each process was opened."""
    opened = Counter(re.findall(rf'openat\(\d+, "proc/(\d+)/{name}"', calls))
    return [opened[str(pid)] for pid in pids]


def check(pids, calls, limited):
    for name, most in (("stat", 1), ("cmdline", 2), ("status", 2), ("cgroup", 2), ("fd", 1)):
        opens = count_opens(calls, pids, name)
        print(f"{name}: opened {min(opens)} to {max(opens)} times in {SAMPLES} samples")
        assert min(opens) >= 1, f"{name} was not read"
        assert max(opens) <= most, f"{name} was opened again"

    kept = count_opens(limited, pids, "stat").count(1)
    print(f"with {LIMIT_OPEN} descriptors, stat of {kept} processes stays open")
    assert kept == LIMIT_OPEN // 4, "it does not keep to its share of descriptors"

    assert "ns/mnt" not in calls, "our mount namespace is asked for, though no process is in another one"

    # A refresh of processes makes one call for each holder that has not run: for its CPU clock. Only of those that have
    # run, state and number of descriptors are read again.
    clocks = len(re.findall(r"\bclock_gettime\((?!CLOCK_)", calls))
    looks, states = count_kept(calls, "fd", "newfstatat"), count_kept(calls, "stat", "pread64")
    refreshes = max(count_kept(calls, "pids", "pread64").values())
    print(f"{refreshes} refreshes of processes: {clocks} looks at clocks, {sum(looks.values())} at descriptors, "
          f"{sum(states.values())} reads of stat, {max(states.values())} of them of one process")
    assert len(states) >= HOLDERS * 3 / 4 and len(looks) >= HOLDERS * 3 / 4, "they are not kept open"
    assert refreshes >= 3, "processes were not refreshed"
    assert clocks <= refreshes * len(pids), "a clock is read twice for a refresh"
    assert max(looks.values()) >= refreshes - 1, "the descriptors of a process that runs were not looked at again"
    assert sum(looks.values()) <= 2 * len(looks) + refreshes, "those of processes that do not run are looked at again"
    assert max(states.values()) >= refreshes - 1, "a process that runs was not read again"
    assert sum(states.values()) <= 3 * len(states), "processes that do not run are read again"


pids = [hold() for _ in range(HOLDERS)] + [hold(runs=True)]
try:
    list_holders(pids)
    with tempfile.TemporaryDirectory() as work:
        for tries in reversed(range(TRIES)):
            try:
                check(pids, trace(pathlib.Path(work)), trace(pathlib.Path(work), f"ulimit -n {LIMIT_OPEN}"))
                break
            except AssertionError as error:
                if not tries:
                    raise
                print(f"again, in case reads were late: {error}")
finally:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
