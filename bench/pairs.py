#!/usr/bin/env python3
"""Measures what an allocation and its free cost a program: bare, preloaded and traced.

usage: pairs.py BUILD [ROUNDS [PAIRS]]

The programs use the test double of TT-Metal (tests/metal), whose allocations are much cheaper than those of
TT-Metal. They all run at the same time, and one after the other executes a batch of pairs. A figure is the
median over the rounds of the CPU time per pair, probes included. With root and BPF, the tracer runs in a mount
namespace of its own and is attached to one copy of the library. Another copy has empty probes at the same
places, which show the kernel's part of the cost. A first buffer on each mesh lets the tracer find out where
this library keeps the devices of a mesh; the next scan of the tracer (here a second start) then removes the
probe that is no longer needed.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import empty_probe

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 31
PAIRS = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
DOUBLE = BUILD / "tests" / "metal" / "v66"
PLACES = (("one device", "0"), ("mesh of 1", "a"), ("mesh of 8", "b"))
TARGETS = {"preloaded": {"one device": 100, "mesh of 1": 100, "mesh of 8": 240},
           "traced": {"one device": 2500, "mesh of 1": 2500, "mesh of 8": 6000}}


class Program:
    def __init__(self, folder, *before):
        self.process = subprocess.Popen([*before, folder / "metal_run"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.do("open 0", "mesh a 0", "mesh b " + " ".join(map(str, range(8))))

    def do(self, *commands):
        self.process.stdin.write("\n".join([*commands, "say done"]) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line == "done\n":
                return
        raise EOFError("the program ended")

    def charged(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0])

    def pair(self, where):
        """CPU time per pair, in nanoseconds."""
        before = self.charged()
        self.do(f"pairs {PAIRS} {where} l1 2048")
        return (self.charged() - before) / PAIRS

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def trace(library):
    """Attaches the tracer. Returns None, or why that is not possible."""
    if not (BUILD / "tt_smi-trace").exists():
        return "built without tracing"
    if os.geteuid() != 0:
        return "needs root"
    done = subprocess.run([BUILD / "tt_smi", "trace", "start", library], capture_output=True, text=True)
    return (done.stderr.strip() or f"exit status {done.returncode}") if done.returncode else None


def measure(programs):
    figures = {}
    for _ in range(ROUNDS):
        for place, where in PLACES:
            for name, program in programs.items():
                figures.setdefault((place, name), []).append(program.pair(where))
    return {key: statistics.median(values) for key, values in figures.items()}


def report(figures, programs):
    for place, _ in PLACES:
        bare = figures[place, "bare"]
        print(f"{place:12}{'bare':14}{bare:7.0f} ns")
        for name in list(programs)[1:]:
            more = figures[place, name] - bare
            why = f"target: at most +{TARGETS[name][place]}" if name in TARGETS else "the kernel's part of traced"
            print(f"{place:12}{name:14}{figures[place, name]:7.0f} ns   {figures[place, name] / bare:5.2f} times   "
                  f"{more:+7.0f} ns ({why})")


def add_empty(programs, folder):
    """Adds a program whose library has empty probes; they stay attached until this script ends."""
    shutil.copytree(DOUBLE, folder / "empty")
    try:
        empty_probe.attach(folder / "empty" / "libtt_metal.so", folder / "traced" / "libtt_metal.so")
    except OSError as error:
        print(f"empty probes: not measured: {error.strerror}")
        return
    programs["empty probes"] = Program(folder / "empty")


def main(folder):
    shutil.copytree(DOUBLE, folder / "traced")
    why = trace(folder / "traced" / "libtt_metal.so")
    programs = {"bare": Program(DOUBLE), "preloaded": Program(DOUBLE, BUILD / "tt_smi", "run")}
    if why:
        print(f"traced: not measured: {why}")
    else:
        traced = Program(folder / "traced")
        for _, where in PLACES:
            traced.do(f"pairs 1 {where} l1 2048")
        trace(folder / "traced" / "libtt_metal.so")
        add_empty(programs, folder)
        programs["traced"] = traced
    try:
        report(measure(programs), programs)
    finally:
        for program in programs.values():
            program.end()
        if not why:
            subprocess.run([BUILD / "tt_smi", "trace", "stop"], capture_output=True)


def inside():
    """Executes this script again in a mount namespace with its own /run, apart from a tracer of this machine."""
    again = ["unshare", "--mount", "--propagation", "private", "sh", "-c",
             'mount -t tmpfs tmpfs /run && exec "$@"', "sh", sys.executable, *sys.argv]
    if os.geteuid() == 0 and "PAIRS_INSIDE" not in os.environ:
        os.environ["PAIRS_INSIDE"] = "1"
        if subprocess.run([*again[:-len(sys.argv) - 1], "true"], capture_output=True).returncode == 0:
            os.execvp(again[0], again)


os.environ["TT_ALLOCD_SOCKET"] = "/nonexistent"
inside()
place = tempfile.mkdtemp(prefix="tt-bench-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
try:
    main(pathlib.Path(place))
finally:
    shutil.rmtree(place, ignore_errors=True)
