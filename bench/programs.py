#!/usr/bin/env python3
"""What it takes the tracer to measure compute utilisation: the share of a core, its scans for programs included.

usage: programs.py BUILD [SECONDS]

As root and with BPF. The programs are played by the double of TT-Metal, on the machine of the tracer's tests.
"""

import os
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 5
TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests")
os.environ.setdefault("BUILD", BUILD)
os.environ.setdefault("METAL", BUILD + "/tests/metal")
sys.path[:0] = [TESTS + "/metal", TESTS + "/trace"]

import staged  # noqa: E402

staged.enter()

from sampling import Case, Sampling, begun, busy, follow  # noqa: E402

CHIPS = 32
MESH = "mesh m " + " ".join(map(str, range(CHIPS)))
PLAY = "background play {} for=3600 duty=40 rate={} event=1000"


def cpu_seconds(pid):
    """Of all its threads: the CPU clock of the process."""
    return time.clock_gettime((~pid << 3) | 2)


def measure(title, pid, wanted="", counted=lambda: 0):
    begin, used, programs = time.monotonic(), cpu_seconds(pid), counted()
    time.sleep(SECONDS)
    elapsed = time.monotonic() - begin
    share = (cpu_seconds(pid) - used) / elapsed * 100
    print(f"{title:44}{(counted() - programs) / elapsed:10.0f}{share:10.2f} %  {wanted}", flush=True)


def measure_all(directory, *options):
    with Sampling(["v76"], *options) as sampling:
        pid, what = sampling.process.pid, " ".join(options) or "without --programs"
        measure(f"no program runs, {what}", pid)
        for title, place, rate, setup, wanted in (
                ("one chip", "0", 50000, ("open 0", "queues 0"), "<= 0.5 % more than without programs"),
                (f"{CHIPS} chips", "m", 1000, (MESH, "queues m poll=2000"), "<= 1 %")):
            case = Case(title, "v76", (PLAY.format(place, rate), busy("exact", "lower")), setup=setup)
            with begun([case], directory):
                follow([case])
                measure(f"{title}, {what}", pid, wanted, lambda: case.player.counts(place)[0].records)


print(f"{'':44}{'programs/s':>10}{'of a core':>12}")
with tempfile.TemporaryDirectory(prefix="tt-bench-", dir="/dev/shm") as place:
    measure_all(place)
    measure_all(place, "--programs")
