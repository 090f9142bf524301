#!/usr/bin/env python3
"""floor_test.py BUILD: tests that the floor shows the values of tt_smi, and never makes more system calls."""

import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import count
from machine import LISTS_NONE, Machine
from subject import Floor, Ours

BUILD = pathlib.Path(sys.argv.pop()).resolve()
OURS, FLOOR = Ours("ours", BUILD), Floor(BUILD)
MACHINES = {
    **{f"{devices} devices": Machine(devices) for devices in (1, 8, 32, 64)},
    "idle": Machine(2, workloads=False),
    "holders": Machine(8, workloads=False, holders=50),
    "other processes": Machine(2, workloads=False, holders=3, others=50),
    "scan": Machine(2, driver=LISTS_NONE, workloads=False, holders=3, others=50),
}


def run(command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def calls(command):
    """The number of system calls, of a run in which no read of tt_smi timed out: strace makes it slow."""
    for _ in range(5):
        with tempfile.TemporaryFile() as output:
            made = sum(count.by_name(command, output).values())
            output.seek(0)
            if b"timed out" not in output.read():
                return made
    raise unittest.SkipTest("this machine is too slow")


class LoopCalls:
    """The number of system calls of three refreshes. Each of the two runs makes more if it takes seconds, since slow values
    are then read again; so the least of several runs counts."""

    def __init__(self, subject, tree, scan):
        self.loops = [subject.loop(tree, scan, refreshes) for refreshes in (0, 3)]
        self.least = [calls(loop) for loop in self.loops]

    def again(self):
        self.least = [min(least, calls(loop)) for least, loop in zip(self.least, self.loops)]

    def made(self):
        return self.least[1] - self.least[0]


@contextlib.contextmanager
def running(machine):
    """Yields the tree of a machine, and whether all processes have to be scanned."""
    with tempfile.TemporaryDirectory(prefix="tt-bench-") as folder, machine.running(BUILD, folder) as tree:
        yield tree, machine.driver == LISTS_NONE


class FloorTest(unittest.TestCase):
    def test_it_shows_the_values_that_tt_smi_shows(self):
        for name, machine in MACHINES.items():
            with self.subTest(name), running(machine) as (tree, scan):
                shown = run(FLOOR.once(tree, scan)).decode().splitlines()
                told = json.loads(run([OURS.program, "--root", tree, "--json"]))
                self.assertIn(told["host"]["driver_version"], shown)
                for device in told["devices"]:
                    self.check_device(device, shown)
                holders = sorted(line for line in shown if line.endswith(("crowd", "python3")))
                pids = sorted(str(process["pid"]) for process in told["processes"])
                self.assertEqual([line.split()[0] for line in holders], pids)

    def check_device(self, device, shown):
        self.assertIn(device["board"], shown)
        self.assertIn(str(round(device["temperature"] * 1000)), shown)
        self.assertIn(str(round(device["power"] * 1000000)), shown)
        used = device["memory"]["used"]
        self.assertTrue(not used or any(line.startswith(f"{used} ") for line in shown))

    @unittest.skipUnless(count.is_possible(), "strace does not work here")
    def test_it_makes_at_most_as_many_system_calls_once(self):
        for name, machine in MACHINES.items():
            with self.subTest(name), running(machine) as (tree, scan):
                self.assertLessEqual(calls(FLOOR.once(tree, scan)), calls(OURS.once(tree, scan)))

    @unittest.skipUnless(count.is_possible(), "strace does not work here")
    def test_tt_smi_does_not_sleep_for_one_output(self):
        with running(MACHINES["8 devices"]) as (tree, scan):
            made = count.by_name(OURS.once(tree, scan))
            self.assertEqual(made["nanosleep"] + made["clock_nanosleep"], 0)

    @unittest.skipUnless(count.is_possible(), "strace does not work here")
    def test_it_makes_at_most_as_many_system_calls_per_refresh(self):
        for name in ("1 devices", "32 devices", "holders", "scan"):
            with self.subTest(name), running(MACHINES[name]) as (tree, scan):
                floor, ours = LoopCalls(FLOOR, tree, scan), LoopCalls(OURS, tree, scan)
                for _ in range(20):
                    if floor.made() <= ours.made():
                        break
                    floor.again()
                    ours.again()
                self.assertLessEqual(floor.made(), ours.made())


if __name__ == "__main__":
    unittest.main()
