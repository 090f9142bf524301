"""The memory figures of the program itself, of the probes and of the preloaded library are equal to the byte.

Tested in each variant that is supported, after random runs with threads, refused allocations, meshes,
forks and kills. If a source cannot know a figure, none is shown. TT-Metal's own files: test_published.py.
"""

import os
import re
import signal
import sys
import time

import staged
from metal import LIBRARIES, Program, library, run_tests, without
from staged import (HOLD, PINS, SEED, STEPS, SUPPORTED, TT_SMI, Tracing, allocations, child_of, expect, follow, live,
                    shown, shown_totals, traced, traced_file, tracer)

VIEWED = ["v66", "v68", "v70", "v77", "static"]  # since v0.66 a mesh has a view

staged.enter()


def test_probes_agree_in_every_variant(_):
    with Tracing(*map(traced_file, SUPPORTED)):
        for variant in SUPPORTED:
            program = Program(variant)
            follow(program, variant)
            expect(program.end(), 0)
            assert program.pid not in allocations(), variant


def test_probes_agree_when_the_library_is_loaded_privately(_):
    with Tracing(library("v77"), library("v62-inlined")):
        for variant in ("v77", "v62-inlined"):
            for host in ("load", "python"):
                program = Program(variant, host)
                follow(program, variant, host)
                expect(program.end(), 0)


def test_preload_agrees_in_every_variant(_):
    for variant in LIBRARIES:
        for host in ("run", "python") if variant in ("v77", "v66") else ("run",):
            program = Program(variant, host, before=[TT_SMI, "run", "--"])
            program.do(*HOLD)
            live(program, lambda step, own: expect(without(shown_totals(program.pid, "preload")),
                                                   without(own, "system", "buffers"), variant, host, step))
            expect(program.end(), 0)


def test_tt_smi_shows_what_the_probes_count(_):
    with Tracing(library("v66")):
        program = Program("v66")
        program.do(*HOLD)
        tracer("start")
        expect(without(shown_totals(program.pid, "traced")), {})
        program.do("mesh m 0 1", f"random {SEED} {STEPS} 2")
        expect(without(shown_totals(program.pid, "traced")), without(program.totals(), "system", "buffers"))
        program.end()


def members_probed():
    """How many libraries have a probe on the function that is called for each device of a mesh buffer."""
    return sum(re.fullmatch(r"\d+-7", name) is not None for name in os.listdir(PINS + "/links"))


def mesh_once(variant):
    """A process that had a mesh buffer, so that its view was compared with the calls of the probe."""
    program = Program(variant)
    program.do("mesh m 0 1", "alloc a m dram 5000")
    expect(traced(program.pid), without(program.totals()), variant)
    return program


def test_the_view_of_a_mesh_replaces_a_probe(_):
    with Tracing(*map(traced_file, VIEWED)):
        expect(members_probed(), len(VIEWED))
        for variant in VIEWED:
            expect(mesh_once(variant).end(), 0)
        tracer("start")
        expect(members_probed(), 0)
        for variant in VIEWED:
            program = Program(variant)
            follow(program, variant)
            # Another mesh at the address of an earlier one, with other devices.
            for chips in ("0", "1", "0 1", "1"):
                program.do(f"mesh q {chips}", f"random {SEED} {STEPS} 2")
                expect(traced(program.pid), without(program.totals()), variant, chips)
                program.do("close q")
            program.do("mesh m 0 1", "alloc a m dram 5M")
            child, own = child_of(program, "alloc b m l1 7000", f"random {SEED + 1} {STEPS}")
            expect(traced(child), without(own), variant, "child")
            os.kill(child, signal.SIGKILL)
            program.do("reap")
            expect(traced(program.pid), without(program.totals()), variant, "parent")
            expect(program.end(), 0)


def test_the_probe_stays_for_meshes_from_before_the_attach(_):
    old = Program("v66")
    old.do(*HOLD, "mesh m 0 1", "alloc a m dram 5000")
    with Tracing(library("v66")):
        old.do("alloc b m dram 6000")
        expect(mesh_once("v66").end(), 0)
        tracer("start")
        expect(members_probed(), 1)
        old.do("alloc c m dram 7000")
        expect(traced(old.pid, "since-attach"), without(old.totals()))
        expect(old.end(), 0)
        tracer("start")
        expect(members_probed(), 0)


def agree(pid, own, variant, who):
    """Asserts that all sources for this variant have the figures of the process."""
    expect(traced(pid), without(own), variant, who)
    if variant in LIBRARIES:
        expect(without(shown_totals(pid, "preload")), without(own, "system", "buffers"), variant, who)


def test_a_child_owns_its_own_and_the_killed_nothing(_):
    with Tracing(*map(traced_file, SUPPORTED)):
        for variant in SUPPORTED:
            program = Program(variant, before=[TT_SMI, "run", "--"] if variant in LIBRARIES else [])
            program.do(*HOLD, "mesh m 0 1", f"random {SEED} {STEPS} 2", "alloc a 0 dram 5M")
            child, own = child_of(program, "free a", f"random {SEED + 1} {STEPS}")
            program.do(f"random {SEED + 2} {STEPS}")
            agree(child, own, variant, "child")
            agree(program.pid, program.totals(), variant, "parent")
            os.kill(child, signal.SIGKILL)
            program.do("reap")
            assert child not in allocations() and not shown(child), variant
            agree(program.pid, program.totals(), variant, "parent alone")
            program.process.stdin.write(f"random {SEED} 1000000 4\n")
            program.process.stdin.flush()
            time.sleep(0.02)
            expect(program.kill(), -signal.SIGKILL)
            assert program.pid not in allocations() and not shown(program.pid), variant


def test_executed_programs_begin_with_nothing(_):
    with Tracing(library("v66")):
        program = Program("v66")
        program.do("mesh m 0 1", f"random {SEED} {STEPS} 4")
        assert traced(program.pid)
        program.do("exec", "open 0")
        expect(without(allocations().get(program.pid, ("", {}))[1]), {})
        program.do("alloc a 0 dram 77")
        expect(traced(program.pid), without(program.totals()))
        expect(program.end(), 0)


def test_what_is_not_understood_has_no_figure(_):
    for variant in ("v66-other", "v66-stepped", "static-stripped"):
        with Tracing():
            tracer("start", traced_file(variant), check=False)
            program = Program(variant)
            program.do(*HOLD, "mesh m 0 1", f"random {SEED} {STEPS} 2")
            tracer("start", check=False)
            program.do(f"random {SEED} {STEPS} 2")
            state = allocations().get(program.pid, ("nothing", {}))[0]
            assert state == "nothing" or state.startswith("unreliable:"), (variant, state)
            for device in shown(program.pid).values():
                assert device["dram"] is None and device["l1"] is None, (variant, device)
            expect(program.end(), 0)


run_tests(sys.modules[__name__])
