"""Each hook, each fault, and both ways to attach."""

import os
import sys
import time

import pinned
import staged
from metal import Program, Skip, library, run_tests, without
from odd import LIBRARY, Odd
from staged import PINS, TICK, Tracing, allocations, tracer

staged.enter()


def figures(*words):
    """(state, {chip: (DRAM, buffers)}) after these calls."""
    with Tracing(LIBRARY), Odd(*words) as odd:
        state, chips = allocations()[odd.pid]
        return state, {chip: (sums["dram"], sums["buffers"]) for chip, sums in chips.items()}


def test_allocate_free_mark_and_free_all(_):
    assert figures("b0", "b1", "b2") == ("exact", {0: (3000, 2), 3: (4000, 1)})
    assert figures("b0", "b1", "f0") == ("exact", {0: (2000, 1)})
    assert figures("b0", "b1", "k1") == ("exact", {0: (1000, 1)})
    assert figures("b0", "b2", "all") == ("exact", {0: (0, 0), 3: (0, 0)})
    assert figures("b0", "f0", "f0", "f1", "b0") == ("exact", {0: (1000, 1)})


def test_a_mesh_buffer_is_counted_by_its_views_once_each(_):
    assert figures("b3", "c0", "c3", "c3") == ("exact", {0: (8000, 1), 3: (8000, 1)})
    assert figures("b3", "c0", "c3", "f3") == ("exact", {0: (0, 0), 3: (0, 0)})
    assert figures("b3", "c0", "b0", "c3") == ("exact", {0: (9000, 2)})
    assert figures("b3", "b0")[0] == "unreliable:mesh"
    assert figures("b3", "f3", "b0") == ("exact", {0: (1000, 1)})
    # Another thread frees b3 and allocates it again: views of the new one are still missing.
    assert figures("b3", "c0", "c3", "+f3", "+b3", "b0") == ("exact", {0: (1000, 1), 3: (0, 0)})


def test_what_is_not_believed(_):
    for what in ("type", "size", "device", "chip", "status"):
        assert figures("b2", what, "b1")[0] == "unreliable:unknown-shape", what
    assert figures("b0", "b0")[0] == "unreliable:missed-free"


def test_nothing_is_counted_after_that(_):
    assert figures("b0", "b0", "b2") == ("unreliable:missed-free", {0: (1000, 1)})


def test_more_buffers_than_the_table_holds(_):
    tracer("start", "--max-buffers", "2", LIBRARY)
    try:
        with Odd("b0", "b1") as first:
            assert allocations()[first.pid][0] == "exact"
            with Odd("b2") as second:
                assert allocations()[second.pid][0] == "unreliable:map-full"
                assert allocations()[first.pid][0] == "exact"
        with Odd("b0", "b1") as third:  # the entries of the other processes are free again
            assert allocations()[third.pid][0] == "exact"
    finally:
        tracer("stop")


def test_only_the_process_that_fills_the_table_gets_the_fault(_):
    tracer("start", "--max-buffers", "8", LIBRARY)
    try:
        time.sleep(2 * TICK)
        with Odd("hold") as flood, Odd("b0", "b1") as other:
            assert allocations()[flood.pid][0] == "unreliable:map-full"
            assert allocations()[other.pid] == ("exact", {0: {**allocations()[other.pid][1][0], "dram": 3000}})
    finally:
        tracer("stop")


def test_what_was_freed_makes_room(_):
    for room in (4, 100, 262144):
        tracer("start", "--max-buffers", str(room), LIBRARY)
        try:
            time.sleep(2 * TICK)
            with Odd("many", "b0") as first, Odd("b0", "many", "b2") as second:
                assert [allocations()[odd.pid][0] for odd in (first, second)] == ["exact", "exact"], room
                assert allocations()[first.pid][1][0]["dram"] == allocations()[second.pid][1][0]["dram"] == 1000
                assert len(pinned.entries("live", 56)) <= 2 * 4097, room
        finally:
            tracer("stop")


def test_libraries_that_cannot_be_traced_are_reported(_):
    tracer("start")
    try:
        program = Program("v66-stepped")
        program.do("hold /dev/tenstorrent/8", "alloc a 0 dram 5")
        said = tracer("start").stdout
        assert f"unreliable  {program.pid} metal_run: single-step ({library('v66-stepped')})" in said, said
        assert allocations()[program.pid] == ("unreliable:single-step", {})
        assert "library     " + library("v66-stepped") not in said, said
        program.end()
        with open("/dev/tenstorrent/8", "rb"):
            said = tracer("start").stdout
            assert f"unfollowed  {os.getpid()} python3: no TT-Metal" in said, said
            assert os.getpid() not in allocations()
    finally:
        tracer("stop")


def test_an_exception_after_an_allocation_takes_nothing_back(_):
    for variant in ("v62-inlined", "v66"):
        with Tracing(library(variant)):
            program = Program(variant)
            program.do("regret a 0 dram 64M", "thread regret b 1 l1 4097")
            for command in ("alloc big 0 dram 64G", "free a", "regret a 0 dram 5"):
                state, chips = allocations()[program.pid]
                assert (state, without(chips)) == ("exact", without(program.totals())), (variant, command, chips)
                program.do(command)
            assert without(allocations()[program.pid][1]) == without(program.totals())
            assert program.end() == 0


def test_a_link_per_probe_counts_the_same(_):
    if not os.path.exists("/sys/bus/event_source/devices/uprobe/type"):
        raise Skip("no uprobe events of perf here")
    os.environ["TT_SMI_TRACE_ATTACH"] = "perf"
    try:
        for variant in ("v66", "v62-inlined", "v77-endbr"):
            with Tracing(library(variant)):
                assert len(os.listdir(PINS + "/links")) > 5
                assert "one link per probe" in tracer("status").stdout
                program = Program(variant)
                program.do("mesh m 0 1", "random 5 2000 3", "alloc big 0 dram 64G")
                state, chips = allocations()[program.pid]
                assert (state, without(chips)) == ("exact", without(program.totals()))
                assert program.end() == 0
    finally:
        del os.environ["TT_SMI_TRACE_ATTACH"]


def test_a_process_with_two_names_for_one_file_is_counted_once(directory):
    """Two overlay file systems over one folder show the same inode with two device numbers."""
    places = []
    for name in ("a", "b"):
        at = f"{directory}/{name}"
        for part in ("upper", "work", "merged"):
            os.makedirs(f"{at}/{part}")
        lower = os.path.dirname(LIBRARY)
        r = os.system(f"mount -t overlay overlay -o lowerdir={lower},upperdir={at}/upper,workdir={at}/work "
                      f"{at}/merged 2>/dev/null")
        if r:
            raise Skip("no overlay file system here")
        places.append(f"{at}/merged")
    try:
        with Tracing(LIBRARY, *[f"{place}/libodd.so" for place in places]):
            said = tracer("status").stdout
            assert all("library     " + place in said for place in (LIBRARY, *places)), said
            environment = {**os.environ, "LD_LIBRARY_PATH": places[0]}
            with Odd("b0", "b1", "f0", program=places[0] + "/odd", env=environment) as odd:
                state, chips = allocations()[odd.pid]
                assert (state, chips[0]["dram"]) == ("exact", 2000), (state, chips)
    finally:
        for place in places:
            os.system(f"umount -l {place}")


run_tests(sys.modules[__name__])
