"""Reads the tables of processes that tt_smi run has started."""

import os
import struct
import subprocess
import time

from metal import POOLS, Skip

BUILD, HERE = os.environ["BUILD"], os.environ["HERE"]
TT_SMI = BUILD + "/tt_smi"
SHIM = BUILD + "/libttalloc-preload.so"
RUN = [TT_SMI, "run"]
PRELOAD_FLAG = 1

# So that processes outside of the test are not found.
os.environ["TT_ALLOCD_SOCKET"] = "/nonexistent"
os.environ.pop("LD_PRELOAD", None)
# Without this, a tt_smi with sanitizers refuses to start if another library is loaded first.
os.environ["ASAN_OPTIONS"] = "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")


def tables(pid):
    """The bytes of each table that a process has open."""
    found = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{name}"
        try:
            if os.readlink(path) == "/memfd:ttalloc (deleted)":
                with open(path, "rb") as file:
                    found.append(file.read(135168))
        except FileNotFoundError:
            pass
    return found


def flags(table):
    return struct.unpack_from("=Q", table, 72)[0]


def counted(table):
    """{chip: {pool or "buffers": number}}, as the double prints its totals."""
    devices, = struct.unpack_from("=Q", table, 128)
    assert struct.unpack_from("=9Q", table, 192) == (0,) * 9, "misuse"
    found = {}
    for chip in range(64):
        if not devices >> chip & 1:
            continue
        sums = {"buffers": 0}
        for pool, name in enumerate(POOLS):
            at = 4096 + chip * 2048 + 256 + pool * 256
            seq, = struct.unpack_from("=Q", table, at)
            now, _, allocs, frees = struct.unpack_from("=4Q", table, at + 64 + seq % 4 * 48)
            sums[name] = now
            sums["buffers"] += allocs - frees
        found[chip] = sums
    return found


def preloaded(pid):
    """The totals of the only table of a process, which must be that of the preloaded library."""
    table, = tables(pid)
    assert flags(table) == PRELOAD_FLAG, flags(table)
    return counted(table)


def target(link):
    """What a link names, or None: the program may close a descriptor after it was listed."""
    try:
        return os.readlink(link)
    except FileNotFoundError:
        return None


def has_open(pid, path):
    """Has the program executed the command that opens this file?"""
    return path in [target(fd.path) for fd in os.scandir(f"/proc/{pid}/fd")]


class Host:
    """A program that prints "ready" and waits."""

    def __init__(self, *command, before=tuple(RUN), **options):
        if not os.path.exists(command[0]) and command[0].startswith(HERE):
            raise Skip("not built with sanitizers")
        self.process = subprocess.Popen([*before, *command], stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.pid = self.process.pid
        self.lines = []
        for line in self.process.stdout:
            if line == "ready\n":
                break
            self.lines.append(line)
        else:
            raise EOFError(f"{command} ended: {self.end()}")

    def end(self):
        """Its exit status and what it wrote on standard error."""
        _, error = self.process.communicate(timeout=300)
        return self.process.returncode, error


def eventually(condition):
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end, "not within five minutes"
        time.sleep(0.02)
