"""Probes that are attached late, tracers that are killed, libraries in containers."""

import os
import random
import shutil
import subprocess
import sys
import time

import staged
from metal import METAL, Program, library, run_tests, without
from staged import (HOLD, NUMBERS, PINS, SEED, STEPS, SUPPORTED, TRACER, Tracing, allocations, expect, follow,
                    shown_on_both, shown_totals, traced, tracer)

staged.enter()


def test_what_was_held_before_the_attach_is_read_back(_):
    programs = {variant: Program(variant) for variant in SUPPORTED}
    for program in programs.values():
        program.do(*HOLD, "mesh early 0 1", "open 0 1", f"random {SEED} {STEPS} 2", "alloc k 0 dram 10")
    with Tracing():
        for program in programs.values():
            # The tracer learns of an allocator from its first event.
            program.do("alloc a early dram 9", "alloc b 0 dram 9", "alloc c 1 dram 9")
        tracer("start")
        for variant, program in programs.items():
            expect(traced(program.pid, "since-attach"), without(program.totals()), variant)
            follow(program, variant, seed=SEED + 50, state="since-attach")
            expect(program.end(), 0, variant)


def test_what_an_allocator_holds_that_was_not_heard_of_is_not_denied(_):
    """A mesh without events or with frees only, a chip without a line: the figures are lower bounds, never 0."""
    for variant in ("v66", "v77"):
        program = Program(variant)
        program.do(*HOLD, "mesh m 0 1", "alloc a m dram 4M", "alloc b m dram 8M", "alloc c 0 dram 1M")
        with Tracing():
            for command in ("alloc d 0 dram 7", "free a", "alloc e 1 dram 9"):
                program.do(command)
                for _ in range(2):
                    tracer("start")
                    own = program.totals()
                    state, chips = allocations()[program.pid]
                    expect(state, "since-attach", variant, command)
                    assert all(chips[chip]["dram"] < own[chip]["dram"] for chip in chips), (variant, command)
                devices = shown_on_both(program.pid)
                expect([devices[node]["exact"] for node in NUMBERS], [False, False], variant, command)
            program.do("alloc f m dram 3")  # shows the tracer which chips the mesh has
            tracer("start")
            expect(traced(program.pid, "since-attach"), without(program.totals()), variant)
        expect(program.end(), 0, variant)


def test_a_tracer_that_is_killed_loses_nothing(_):
    chance = random.Random(SEED)
    with Tracing(library("v66"), library("v62-inlined")):
        programs = [Program("v66"), Program("v62-inlined")]
        for program in programs:
            program.do(*HOLD, "mesh m 0 1", "open 0 1")
        for turn in range(8):
            watcher = subprocess.Popen([TRACER, "start", "--watch"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            for program in programs:
                program.process.stdin.write(f"random {SEED + turn} {STEPS} 2\n")
                program.process.stdin.flush()
            time.sleep(chance.random() * 0.3)
            watcher.kill()
            watcher.wait()
            for program in programs:
                own = program.totals()
                expect(traced(program.pid), without(own), turn)
        tracer("start")
        for program in programs:
            expect(traced(program.pid), without(program.totals()), "taken over")
            expect(program.end(), 0)


# ---- containers by hand ----


def inner_pid(outer):
    """The only child of unshare."""
    for _ in range(6000):
        with open(f"/proc/{outer}/task/{outer}/children", encoding="utf-8") as file:
            children = file.read().split()
        if children:
            return int(children[0])
        time.sleep(0.01)
    raise AssertionError("unshare has no child")


def contained(directory, name, prepare):
    """A program at DIRECTORY/NAME/root in namespaces of its own; prepare fills that root's /opt."""
    root = f"{directory}/{name}/root"
    os.makedirs(root)
    script = f"""set -e
        mount --bind {root} {root}
        {prepare.format(root=root, work=f"{directory}/{name}", lower=METAL)}
        mount -t proc proc /proc
        exec {root}/opt/metal_run"""
    process = Program("v66", before=["unshare", "-mpf", "--propagation", "private", "sh", "-c", script])
    return process


OVERLAY = """mkdir -p {work}/upper {work}/temporary {root}/opt
        mount -t overlay none -o lowerdir={lower}/v66,upperdir={work}/upper,workdir={work}/temporary {root}/opt"""
COPY = "cp -r {lower}/v66 {root}/opt"


def test_programs_in_containers_are_followed(directory):
    with Tracing(library("v66")):
        for name, prepare in (("overlay1", OVERLAY), ("overlay2", OVERLAY), ("copy", COPY)):
            program = contained(directory, name, prepare)
            program.do(*HOLD)
            pid = inner_pid(program.pid)
            tracer("start")
            program.do("mesh m 0 1", f"random {SEED} {STEPS} 2")
            tracer("start")  # attaches to the file while the program runs
            expect(traced(pid, "since-attach"), without(program.totals()), name)
            expect(without(shown_totals(pid, "traced")), without(program.totals(), "system", "buffers"), name)
            expect(program.end(), 0, name)
            assert pid not in allocations()


def eventually(condition):
    """Waits for a condition, for at most a minute."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_watching_tracer_finds_new_holders(directory):
    shutil.copytree(f"{METAL}/v66", directory + "/v66")
    with Tracing():
        watcher = subprocess.Popen([TRACER, "start", "--watch"], stdout=subprocess.DEVNULL)
        program = Program("v66", before=["env", f"LD_LIBRARY_PATH={directory}/v66"])
        program.do(*HOLD, "open 0")
        eventually(lambda: program.pid in allocations())
        program.do("mesh m 0 1", f"random {SEED} {STEPS} 2")
        # Memory from before the attach is read back.
        eventually(lambda: traced(program.pid, "since-attach") == without(program.totals()))
        program.end()
        watcher.terminate()
        watcher.wait()
        assert os.path.exists(PINS + "/allocations"), "pins stay when it ends"


run_tests(sys.modules[__name__])
