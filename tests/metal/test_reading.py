"""Tests what src/metal reads from the double: symbols from its files, live buffers from its memory."""

import os
import subprocess
import sys

from metal import LIBRARIES, METAL, POOLS, STATIC, Program, Skip, library, run_tests

TRACK, FREE, ALLOCATE, DEALLOCATE, FORGET, FORGET_ALL, DESTROY, CREATE_AT, THROW = range(9)
STEPPED = 3


def look(path, *arguments):
    if not os.path.exists(METAL + "/metal_look"):
        raise Skip("not built with sanitizers")
    return subprocess.run([METAL + "/metal_look", path, *map(str, arguments)],
                          capture_output=True, text=True, timeout=60)


def facts(path):
    done = look(path)
    assert done.returncode == 0, (path, done.stderr)
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    hooks = dict(map(int, value.split()) for name, value in lines if name == "hook")
    return dict(line for line in lines if line[0] != "hook"), hooks


def test_libraries_are_recognised(_):
    for variant in LIBRARIES:
        said, hooks = facts(library(variant))
        assert said["problem"] == "none", (variant, said)
        assert said["tracks"] == ("0" if variant == "v62-inlined" else "1"), (variant, said)
        wanted = {ALLOCATE, DEALLOCATE, FORGET_ALL, DESTROY, CREATE_AT, THROW}
        assert wanted <= set(hooks), (variant, hooks)
        assert TRACK in hooks and FREE in hooks, (variant, hooks)
        assert all(hooks[hook] != STEPPED for hook in (TRACK, ALLOCATE, DEALLOCATE)), (variant, hooks)


def test_programs_that_contain_the_library_are_recognised(_):
    for variant in STATIC:
        said, hooks = facts(f"{METAL}/{variant}/metal_run")
        assert said["problem"] == "none" and {ALLOCATE, DEALLOCATE, THROW} <= set(hooks), (variant, said, hooks)


def test_what_cannot_be_followed_is_named(_):
    assert facts(library("v66-stepped"))[0]["problem"] == "single-step"
    assert look(f"{METAL}/static-stripped/metal_run").returncode == 2  # ENOENT
    assert look(f"{METAL}/v66/metal_run").returncode == 2
    assert look(f"{METAL}/v66/metal_plugin.so").returncode == 2


def test_live_buffers_are_read_from_memory(_):
    for variant in LIBRARIES:
        program = Program(variant)
        program.do("mesh m 0 1", "open 2", "random 5 3000 3", "close m", "mesh m 0 1", "close 2", "open 2",
                   "random 6 2000 2")
        own, sums = program.totals(), {}
        for line in program.do("allocators").splitlines():
            _, where, address = line.split()
            done = look(library(variant), program.pid, address)
            assert done.returncode == 0, (variant, done.stderr)
            sums[where] = [int(line.split()[1]) for line in done.stdout.splitlines()]
        program.end()
        for chip, where in ((1, "m"), (2, "2")):
            expected = [own[chip][pool] for pool in POOLS] + [own[chip]["buffers"]]
            assert sums[where] == expected, (variant, where, sums[where], expected)


def test_an_object_of_another_shape_is_no_buffer(_):
    program = Program("v66-other")
    program.do("open 0", "random 5 300")
    address = program.do("allocators").split()[2]
    done = look(library("v66-other"), program.pid, address)
    program.end()
    assert done.returncode == 74, (done.returncode, done.stdout)  # EBADMSG


run_tests(sys.modules[__name__])
