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
WINDOWS = 3
COST_RATE = 20000
MESH = "mesh m " + " ".join(map(str, range(CHIPS)))
PLAY = "background play {} for=3600 duty=40 rate={} event=1000"


def cpu_seconds(pid):
    """CPU time of all threads of the process: its CPU clock, clock_getcpuclockid(3)."""
    return time.clock_gettime((~pid << 3) | 2)


def share_of_core(pid):
    begin, used = time.monotonic(), cpu_seconds(pid)
    time.sleep(SECONDS)
    return (cpu_seconds(pid) - used) / (time.monotonic() - begin) * 100


def measure(title, pid, wanted="", counted=lambda: 0):
    """The minimum of three windows: that which was disturbed least."""
    begin, programs = time.monotonic(), counted()
    share = min(share_of_core(pid) for _ in range(WINDOWS))
    rate = (counted() - programs) / (time.monotonic() - begin)
    print(f"{title:44}{rate:10.0f}{share:10.2f} %  {wanted}", flush=True)


def measure_tracer(directory, variant, rows, *options):
    """rows: title, place, programs per second of each chip, commands that open the place, target."""
    with Sampling([variant], *options) as sampling:
        pid, what = sampling.process.pid, " ".join([variant, *options])
        measure(f"no program runs, {what}", pid)
        for title, place, rate, setup, wanted in rows:
            case = Case(title, variant, (PLAY.format(place, rate), busy("exact", "lower")), setup=setup)
            with begun([case], directory):
                follow([case])
                measure(f"{title}, {what}", pid, wanted, lambda: case.player.counts(place)[0].records)


ONE = ("one chip", "0", 50000, ("open 0", "queues 0"), "<= 0.5 % more than without programs")
ALL = (f"{CHIPS} chips", "m", 1000, (MESH, "queues m poll=2000"), "<= 1 %")
SLOWER = ("one chip", "0", 5000, ("open 0", "queues 0 poll=2000"), "")  # each record has a probe, and a ring has 64


def program_cost(directory, variant, before=()):
    """CPU time in us per program, of a process that launches as fast as it can; the minimum of five rounds."""
    with Player(variant, directory + "/cost", f"hold {staged.NODES[0]}", "open 0", "queues 0 poll=2000",
                before=before) as player:
        found = []
        for _ in range(5):
            used = cpu_seconds(player.pid)
            player.do(f"play 0 rate={COST_RATE} duty=10 count={COST_RATE * 2} event=1000")
            found.append((cpu_seconds(player.pid) - used) / (COST_RATE * 2) * 1e6)
    return min(found)


def measure_program(directory, variant):
    ways = {"tt_smi run": program_cost(directory, variant, [staged.TT_SMI, "run", "--"])}
    bare = program_cost(directory, variant)
    for options in (), ("--programs",), ("--programs", "--names"):
        with Sampling([variant], *options):
            ways["tracer " + " ".join(options)] = program_cost(directory, variant)
    print(f"{'a launched program in ' + variant:44}{'us':>10}\n{'bare':44}{bare:10.2f}")
    for title, cost in ways.items():
        print(f"{title:44}{cost:10.2f}{cost - bare:+10.2f}", flush=True)


print(f"{'':44}{'programs/s':>10}{'of a core':>12}")
with tempfile.TemporaryDirectory(prefix="tt-bench-", dir="/dev/shm") as place:
    measure_tracer(place, "v76", [ONE, ALL])
    measure_tracer(place, "v76", [ONE, ALL], "--programs")
    measure_tracer(place, "v75", [SLOWER])
    for release in "v76", "v75":
        measure_program(place, release)
