"""TT-Metal's own files agree with the other sources to the byte. Their known faults do not make shown figures wrong.

Tested with layout 3, written by all threads (v70) or by one (v77), and with the proposed layout 4 (v77-shm4).
"""

import glob
import os
import signal
import sys

import staged
from metal import PUBLISHING, Program, library, published, run_tests, without
from staged import (HOLD, NODES, SEED, TT_SMI, Tracing, allocations, child_of, expect, live, shown, shown_totals,
                    snapshot, traced)

staged.enter()

# Steps without the known faults of these files: dry runs, and memory that is freed with a mesh.
LIFE = [["mesh m 0 1", "open 0 1", "random {0} {1} THREADS real"],
        ["random {0} {1} 1 real", "complain", "alloc big 0 dram 64G", "alloc far 1 l1 4097"],
        ["mesh n 1 0", "random {0} {1} THREADS real", "free far"],
        ["close m", "close n", "close 0", "close 1"],
        ["mesh m 1", "open 0", "random {0} {1} THREADS real"]]


def life(variant):
    threads = "1" if variant == "v77" else "3"
    return [[command.replace("THREADS", threads) for command in step] for step in LIFE]


class Publishing:
    """with Publishing() as files: files.start() starts programs that publish counters in the directory that tt_smi reads."""

    def __enter__(self):
        asics = {device["id"]: int(device["asic_id"], 16) for device in snapshot()["devices"]}
        self.ids = [asics[int(path.rpartition("/")[2])] for path in NODES.values()]
        return self

    def start(self, variant, *before):
        program = Program(variant, before=before, env={
            **os.environ, "METAL_DOUBLE_SHM": "/dev/shm", "METAL_DOUBLE_IDS": ",".join(map(str, self.ids))})
        program.do(*HOLD)
        return program

    def of(self, pid):
        return without(published("/dev/shm", self.ids).get(pid, {}))

    def __exit__(self, *_):
        for path in glob.glob("/dev/shm/tt_device_*_memory"):
            os.unlink(path)


def all_rows(pids):
    """The output of tt_smi, repeated until it shows these processes with both devices; and its rows by process and node."""
    for _ in range(100):
        document = snapshot()
        rows = {(process["pid"], row["id"]): row for process in document["processes"] for row in process["devices"]}
        if sum(pid in pids for pid, _ in rows) == len(pids) * len(NODES):
            return document, rows
    raise AssertionError(f"{pids} are not shown with both devices: {rows}")


def used(*ours):
    """Used and stale memory that tt_smi shows, by node. Other processes of this machine may have the test's devices
    open; then the device's own figure is unknown, and the sum of our processes is returned."""
    document, rows = all_rows(ours)
    found = {}
    for device in document["devices"]:
        node, memory = device["id"], device["memory"]
        figures = memory["used"], memory["l1"]["used"]
        if any(pid not in ours for pid, where in rows if where == node):
            figures = tuple(sum(rows[pid, node][pool] for pid in ours) for pool in ("dram", "l1"))
        found[node] = (*figures, [(entry["ns_pid"], entry["reason"]) for entry in device["leftovers"]])
    return found


def test_all_four_agree(_):
    for variant in PUBLISHING:
        with Tracing(library(variant)), Publishing() as files:
            program = files.start(variant, TT_SMI, "run", "--")

            def check(step, own):
                expect(traced(program.pid), without(own), variant, step)
                own = without(own, "system", "buffers")
                expect(files.of(program.pid), own, variant, step)
                expect(without(shown_totals(program.pid, "preload")), own, variant, step)

            live(program, check, life=life(variant))
            expect(program.end(), 0)


def test_the_files_alone_are_shown_as_they_are(_):
    for variant in PUBLISHING:
        with Publishing() as files:
            program = files.start(variant)
            live(program, lambda step, own: expect(
                without(shown_totals(program.pid, "metal")), without(own, "system", "buffers"), variant, step),
                life=life(variant)[:3])
            expect(program.end(), 0)


def test_children_and_kills(_):
    """A child has what it allocated. A killed child or parent no longer counts, whatever the files contain."""
    for variant in PUBLISHING:
        with Tracing(library(variant)), Publishing() as files:
            program = files.start(variant, TT_SMI, "run", "--")
            program.do("mesh m 0 1", "open 0", f"random {SEED} 300 1 real", "alloc big 0 dram 40M")
            held = program.totals()
            child, own = child_of(program, "alloc a m dram 3M", "alloc b 1 l1 5000", "alloc c 0 trace 70", "free c")
            expect(traced(child), without(own), variant)
            own = without(own, "system", "buffers")
            expect(without(shown_totals(child, "preload")), own, variant)
            # Layout 4 has a slot for the process that opened the device, and no other.
            expect(files.of(child), {} if variant == "v77-shm4" else own, variant)
            os.kill(child, signal.SIGKILL)
            program.do("reap")
            assert child not in allocations() and not shown(child), variant
            expect(files.of(child), {} if variant == "v77-shm4" else own, variant, "left behind")
            agree(program, files, held, variant)
            program.kill()
            assert program.pid not in allocations() and not shown(program.pid), variant
            assert files.of(program.pid), "a killed process stays in the files"
            for node, (dram, l1, gone) in used().items():
                expect((dram, l1), (0, 0), variant, node)
                assert (program.pid, "stale") in gone, (variant, node, gone)


def agree(program, files, own, variant):
    """Asserts that all four sources have the totals of a program, and that no other process holds anything."""
    expect(program.totals(), own, variant)
    expect(traced(program.pid), without(own), variant)
    own = without(own, "system", "buffers")
    expect(files.of(program.pid), own, variant)
    expect(without(shown_totals(program.pid, "preload")), own, variant)
    for chip, path in NODES.items():
        sums = own[chip]
        dram, l1, _ = used(program.pid)[int(path.rpartition("/")[2])]
        expect((dram, l1), (sums["dram"] + sums["trace"], sums["l1"] + sums["l1_small"]), variant, path)


def test_the_dead_do_not_count_with_the_living(_):
    for variant in PUBLISHING:
        with Publishing() as files:
            first = files.start(variant)
            first.do("alloc a 0 dram 5M", "alloc b 1 l1 6000")
            first.kill()
            second = files.start(variant)
            second.do("alloc a 0 dram 7M", "alloc b 1 l1 800")
            gone = [] if variant == "v77-shm4" else [(first.pid, "stale")]  # layout 4 removes slots of dead processes
            expect(used(second.pid), {8: (7 << 20, 0, gone), 9: (0, 800, gone)}, variant)
            expect(second.end(), 0)


def test_where_the_files_are_wrong_the_probes_are_believed(_):
    for variant in PUBLISHING:
        with Tracing(library(variant)), Publishing() as files:
            program = files.start(variant)
            program.do("mesh m 0 1", "alloc a m dram 5M", "dry on", "alloc rehearsed 0 dram 1G", "dry off",
                       "close m", "thread alloc far 0 dram 4096", "alloc b 1 l1 30")
            child, own = child_of(program, "alloc c 0 dram 2M", "alloc d 1 l1 77", "free b far")
            for pid, have in ((program.pid, program.totals()), (child, own)):
                have = without(have, "system", "buffers")
                assert files.of(pid) != have, (variant, pid)
                expect(without(shown_totals(pid, "traced")), have, variant)
            os.kill(child, signal.SIGKILL)
            expect(program.end(), 0)


run_tests(sys.modules[__name__])
