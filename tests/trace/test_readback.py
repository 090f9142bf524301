"""
The tracer reads the buffers of a process and adds them later, while the process continues: the BPF programs reject
buffers that were allocated or freed meanwhile.

The figures stay lower bounds, since there may be allocators of which the tracer has not learned.
"""

import errno
import struct
import subprocess
import sys

import pinned
import staged
from metal import run_tests
from odd import LIBRARY, Odd
from staged import Tracing, allocations, tracer

staged.enter()

SIZE = {"live": 56, "allocators": 40}


def of(odd, name):
    """{pointer: value}: the entries of this process in a map."""
    return {pointer: value for tgid, pointer, value in pinned.entries(name, SIZE[name]) if tgid == odd.pid}


class Reader:
    """A tracer that reads the allocator now, and adds the buffers later."""

    def __init__(self, odd):
        ((self.allocator, value),) = of(odd, "allocators").items()
        self.odd = odd
        self.emptied = struct.unpack_from("=Q", value, 32)[0]
        self.swept = struct.unpack_from("=Q", pinned.process(odd.pid), 80)[0]

    def adopt(self, pointer):
        return pinned.run("adopt", self.odd.pid, self.odd.start(), pointer, 50, 0, self.allocator, 0, 1, self.emptied,
                          self.swept)

    def settle(self):
        assert pinned.run("settle", self.odd.pid, self.odd.start(), self.allocator, 1) == 0


def dram(odd):
    state, chips = allocations()[odd.pid]
    return state, chips[0]["dram"], chips[0]["buffers"]


def early():
    """A process that was running before the probes were attached."""
    return Odd()


def test_a_buffer_that_is_still_there_comes_in_once(_):
    with early() as odd, Tracing(LIBRARY):
        odd.do("b0")
        reader = Reader(odd)
        assert reader.adopt(0x1000) == reader.adopt(0x1000) == 0
        assert dram(odd) == ("since-attach", 1050, 2)
        ((known, _),) = [item for item in of(odd, "live").items() if item[0] != 0x1000]
        assert reader.adopt(known) == 0  # it was counted meanwhile
        reader.settle()
        assert dram(odd) == ("since-attach", 1050, 2)


def test_a_buffer_that_was_freed_since_does_not_count(_):
    with early() as odd, Tracing(LIBRARY):
        odd.do("b0")
        ((seen, _),) = of(odd, "live").items()
        reader = Reader(odd)
        odd.do("f0")
        odd.do("f1")  # allocated before the attach
        (unseen,) = set(of(odd, "live")) - {seen}
        assert reader.adopt(seen) == reader.adopt(unseen) == 0
        assert dram(odd) == ("since-attach", 0, 0)
        for word in ("b0", "f0", "b0", "b1", "f1"):  # new buffers at the same addresses
            odd.do(word)
        assert reader.adopt(seen) == reader.adopt(unseen) == 0
        reader.settle()
        assert dram(odd) == ("since-attach", 1000, 1)
        odd.do("f0")
        assert dram(odd) == ("since-attach", 0, 0)


def test_it_does_not_count_if_all_was_freed_at_once(_):
    with early() as odd, Tracing(LIBRARY):
        odd.do("b0")
        reader = Reader(odd)
        odd.do("all")
        assert reader.adopt(0x1000) == -errno.EAGAIN
        assert dram(odd) == ("since-attach", 0, 0)
        assert Reader(odd).adopt(0x1000) == 0
        assert dram(odd) == ("since-attach", 50, 1)


def test_it_does_not_count_if_tombstones_were_removed_since(_):
    with early() as odd, Tracing(LIBRARY):
        odd.do("b0")
        reader = Reader(odd)
        reader.swept += 1  # as if tombstones were removed in between
        assert reader.adopt(0x1000) == -errno.EAGAIN
        assert dram(odd) == ("since-attach", 1000, 1)


def test_a_process_that_exits_while_it_is_added_is_removed(_):
    with Tracing():
        gone = subprocess.Popen(["true"])
        gone.wait()
        assert pinned.run("enter", gone.pid, 12345, 0, 0, 0, 0) == 0
        assert gone.pid in allocations()
        tracer("start")
        assert gone.pid not in allocations()


run_tests(sys.modules[__name__])
