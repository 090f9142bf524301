"""Runs programs of the double with schedules (schedule.cpp has the commands), and reads their truth files.

    with Player("v76", truth, "mesh m 0 1", "queues m clock=1.35") as player:
        player.do("play m rate=1000 duty=85 for=1")
    runs = Truth(truth)
    share = runs.share(chip=0, since=t0, until=t1)     # times: time.monotonic_ns()
"""

import collections
import glob
import math
import os
import struct

from metal import Program

Ring = collections.namedtuple("Ring", "pid chip manager state socket fifo fifo_size counter")
Run = collections.namedtuple("Run", "pid chip queue start period busy count id covered name")
Counts = collections.namedtuple("Counts", "programs records lost unnumbered uncovered markers")
Record = collections.namedtuple("Record", "start end id header")

RECORD = 64
SYNC_MARKER = 0xFFFFFFFF


class Player(Program):
    """A program that has executed these commands and waits for more; it writes what its chips do to `truth`."""

    def __init__(self, variant, truth, *commands, host="run", before=(), **options):
        super().__init__(variant, host, before, **options)
        self.do(f"truth {truth}", *commands)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        else:
            self.end()

    def end(self):
        status = super().end()
        # Like TT-Metal, a killed program leaves its files behind.
        for path in glob.glob(f"/dev/shm/tt_d2h_{self.pid}_*"):
            os.unlink(path)
        return status

    def counts(self, place):
        """{chip: Counts} so far."""
        lines = [line.split() for line in self.do(f"counts {place}").splitlines()]
        return {int(words[1]): Counts(*map(int, words[3::2])) for words in lines}

    def where(self, place, chip, *members):
        """{member: (address, size)} of the profiler's objects."""
        lines = [line.split() for line in self.do(f"where {place} {chip} {' '.join(members)}").splitlines()]
        return {words[0]: (int(words[1], 0), int(words[2])) for words in lines}


class Truth:
    """The current content of a truth file; several programs may have written it."""

    def __init__(self, path):
        self.rings, self.runs, self.counts = [], [], {}
        with open(path, encoding="ascii") as file:
            for line in file:
                kind, *words = line.split()
                if kind == "ring":
                    self.rings.append(Ring(int(words[0]), int(words[1]), *[int(word, 16) for word in words[2:]]))
                elif kind == "run":
                    pid, chip, queue, start, period, busy, count, first, covered = words[:9]
                    self.runs.append(Run(int(pid), int(chip), int(queue), int(start), float(period), float(busy),
                                         int(count), int(first), covered == "1", words[9]))
                elif kind == "counts":
                    self.counts[int(words[0]), int(words[1])] = Counts(*map(int, words[2:]))

    def chosen(self, chip=None, pid=None, covered=None, name=None):
        return [run for run in self.runs
                if chip in (None, run.chip) and pid in (None, run.pid) and covered in (None, run.covered)
                and name in (None, run.name)]

    def span(self, **which):
        """(start of the first program, end of the last)."""
        runs = self.chosen(**which)
        return (min(run.start for run in runs),
                max(run.start + (run.count - 1) * run.period + run.busy for run in runs))

    def intervals(self, since, until, **which):
        """(start, end) of all programs that run in a window, cut to it, sorted by their start."""
        found = []
        for run in self.chosen(**which):
            first = max(0, math.floor((since - run.start - run.busy) / run.period))
            last = min(run.count - 1, math.ceil((until - run.start) / run.period))
            for i in range(first, last + 1):
                start = run.start + i * run.period
                start, end = max(start, since), min(start + run.busy, until)
                if start < end:
                    found.append((start, end))
        return sorted(found)

    def share(self, since, until, **which):
        """The share of a window in which at least one program ran, from 0 to 1."""
        busy, covered_to = 0, since
        for start, end in self.intervals(since, until, **which):
            busy += max(0, end - max(start, covered_to))
            covered_to = max(covered_to, end)
        return busy / (until - since)

    def ended(self, since, until, **which):
        """The number of programs that ended after `since` and not after `until`."""
        total = 0
        for run in self.chosen(**which):
            before = [math.floor((limit - run.start - run.busy) / run.period) + 1 for limit in (since, until)]
            total += min(max(before[1], 0), run.count) - min(max(before[0], 0), run.count)
        return total


class RingReader:
    """Reads a ring from another process, at the addresses of the truth file: the tracer must find the same records."""

    def __init__(self, ring):
        self.ring = ring
        self.memory = open(f"/proc/{ring.pid}/mem", "rb", buffering=0)
        self.position = 0  # bytes that were read
        self.missed = 0    # records that were overwritten before

    def close(self):
        self.memory.close()

    def bytes_at(self, address, size):
        return os.pread(self.memory.fileno(), size, address)

    def anchor(self):
        """(ticks, host ns, ticks per ns)."""
        return struct.unpack("=Qqd", self.bytes_at(self.ring.state + 112, 24))

    def socket_words(self):
        """fifo_size, page_size, bytes_acked, bytes_sent, read_ptr, fifo_curr_size."""
        return struct.unpack("=6I", self.bytes_at(self.ring.socket + 80, 24))

    def records(self):
        """The records since the last call, including markers."""
        size = self.ring.fifo_size
        sent, = struct.unpack("=I", self.bytes_at(self.ring.counter, 4))
        data = self.bytes_at(self.ring.fifo, size)
        count = (sent - self.position & 0xFFFFFFFF) // RECORD
        self.missed += max(0, count - size // RECORD)
        found = []
        for back in range(min(count, size // RECORD), 0, -1):
            words = struct.unpack_from("=6I", data, (sent - back * RECORD) % size)
            found.append(Record(words[0] << 32 | words[1], words[4] << 32 | words[5], words[2], words[3]))
        self.position = sent
        return found


def programs(records):
    return [record for record in records if record.header != SYNC_MARKER and record.id]


def busy_ns(records, anchor):
    """Time in which at least one of the recorded programs ran, converted by the anchor."""
    busy, covered_to = 0, 0
    for record in sorted(programs(records)):
        busy += max(0, record.end - max(record.start, covered_to))
        covered_to = max(covered_to, record.end)
    return busy / anchor[2]
