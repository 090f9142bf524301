#!/usr/bin/env python3
"""What counting costs a program: an allocation and its free, bare, preloaded and traced.

usage: pairs.py BUILD [ROUNDS [PAIRS]]

The programs are those of the test double, whose pairs are dearer than an empty call and far cheaper
than TT-Metal's own. All of them live at the same time and take turns; a figure is the median of the
rounds, of the time that the kernel charged for a pair, probes included. As root and with BPF, the
tracer runs in a mount namespace of its own and is told of one copy of the library only; another copy
has programs that do nothing at the same places: what the kernel itself takes for a probe.
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
TARGETS = {"preloaded": "target: at most +100", "empty probes": "the kernel's part of the next",
           "traced": "target: at most +2500"}


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
        """Nanoseconds on a core per pair."""
        before = self.charged()
        self.do(f"pairs {PAIRS} {where} l1 2048")
        return (self.charged() - before) / PAIRS

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def trace(library):
    """Why there is no tracer; None if there is one."""
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
            print(f"{place:12}{name:14}{figures[place, name]:7.0f} ns   {figures[place, name] / bare:5.2f} times   "
                  f"{more:+7.0f} ns ({TARGETS[name]})")


def add_empty(programs, folder):
    """A program under probes that do nothing: they stay until this one ends."""
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
        add_empty(programs, folder)
        programs["traced"] = Program(folder / "traced")
    try:
        report(measure(programs), programs)
    finally:
        for program in programs.values():
            program.end()
        if not why:
            subprocess.run([BUILD / "tt_smi", "trace", "stop"], capture_output=True)


def inside():
    """Once more with a /run of our own, where a tracer of this machine is not met."""
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
