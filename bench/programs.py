#!/usr/bin/env python3
"""Measures the cost of measuring compute utilisation: in the tracer, as a share of a core, scans for processes included;
and in the process that is measured, as CPU time of all its threads per program that it launches on the device.

usage: programs.py BUILD [SECONDS]

Needs root and BPF. The processes use the test double of TT-Metal (tests/metal), on the machine of the tracer's tests.
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
from schedule import Player  # noqa: E402

CHIPS = 32
COST_RATE = 20000
MESH = "mesh m " + " ".join(map(str, range(CHIPS)))
PLAY = "background play {} for=3600 duty=40 rate={} event=1000"


def cpu_seconds(pid):
    """CPU time of all threads of the process: its CPU clock, clock_getcpuclockid(3)."""
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


def program_cost(directory, before=()):
    """CPU time in us per program, of a process that launches as fast as it can; the minimum of five rounds."""
    with Player("v76", directory + "/cost", f"hold {staged.NODES[0]}", "open 0", "queues 0 poll=2000",
                before=before) as player:
        found = []
        for _ in range(5):
            used = cpu_seconds(player.pid)
            player.do(f"play 0 rate={COST_RATE} duty=10 count={COST_RATE * 2} event=1000")
            found.append((cpu_seconds(player.pid) - used) / (COST_RATE * 2) * 1e6)
    return min(found)


def measure_program(directory):
    ways = {"tt_smi run": program_cost(directory, [staged.TT_SMI, "run", "--"])}
    bare = program_cost(directory)
    for options in (), ("--programs",), ("--programs", "--names"):
        with Sampling(["v76"], *options):
            ways["tracer " + " ".join(options)] = program_cost(directory)
    print(f"{'a launched program':44}{'us':>10}\n{'bare':44}{bare:10.2f}")
    for title, cost in ways.items():
        print(f"{title:44}{cost:10.2f}{cost - bare:+10.2f}", flush=True)


print(f"{'':44}{'programs/s':>10}{'of a core':>12}")
with tempfile.TemporaryDirectory(prefix="tt-bench-", dir="/dev/shm") as place:
    measure_all(place)
    measure_all(place, "--programs")
    measure_program(place)
