"""Plays schedules under a tracer that samples utilisation, and checks the lines that it publishes.

A Case is a process with a list of steps: commands, and a predicate that a line of the process must fulfil after them. All
cases of a list run at the same time under one tracer, so the time of a test is that of its longest case. Afterwards the
lines that were seen are compared with the truth: `exact` must agree within 1 %, and bounds must be bounds.
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from metal import library
from schedule import Player, Truth
from staged import NODES, PINS, TRACER, tracer
from watcher import eventually

COLUMNS = "pid comm chip start device busy window bound programs running last updated state operation".split()
NEAR = 0.01
CHECKED = 25  # maximum number of lines per case that are compared
MINUTE = 60 * 10**9
LATE = 100 * 10**6


class Sampling:
    """A tracer with --watch. Programs that start while it runs are followed from their first instruction."""

    def __init__(self, variants, *options, before=(), **more):
        self.arguments = [*before, TRACER, "start", "--watch", *options, *map(library, variants)]
        self.more = more

    def __enter__(self):
        self.process = subprocess.Popen(self.arguments, text=True, stdout=subprocess.PIPE, **self.more)
        Sampling.last = self
        assert any(line.startswith("watching") for line in iter(self.process.stdout.readline, ""))
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=60)
        tracer("stop")


def read_lines():
    with open(PINS + "/dispatch", encoding="ascii") as file:
        rows = [line.split() for line in file.read().splitlines()[2:]]
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def lines_of(lines, pid, chip):
    return [line for line in lines if line["pid"] == str(pid) and line["chip"] == chip]


# ---- predicates of lines ----

def share(line):
    return int(line["busy"]) / int(line["window"])


def full(line):
    return line["bound"] != "-" and int(line["window"]) > 9e8


def busy(*bounds):
    return lambda line: full(line) and line["bound"] in bounds and int(line["busy"]) > 0


def idle(line):
    """Is the chip idle? An upper bound of 0 is as good as an exact 0."""
    return full(line) and line["bound"] != "lower" and line["busy"] == "0" and line["running"] == "-"


def state(word):
    return lambda line: line["bound"] == "-" and line["state"] == word


def has_name(line):
    return line["operation"] == "ttnn::matmul"


def window_ends(line):
    """When the window may have ended: with the last program that has ended, or when the line was made. The chip's clock,
    by which the end of that program is told, may be late by as much as a sample takes to notice that its rate has changed."""
    until = int(line["updated"])
    if line["last"] == "-":
        return [until]
    known = until - int(line["last"])
    return [until, *range(known - LATE // 10, min(known + LATE, until), LATE // 50)]


# ---- cases ----

class Case:
    """steps: (command or commands, predicate), or (..., "again"): the commands are repeated until the predicate is fulfilled.
    never: a predicate that no line may fulfil. chip "-": the line for all chips."""

    def __init__(self, title, variant, *steps, setup=("open 0", "queues 0 poll=2000"), nodes=(0,), chip="0", never=None,
                 executable=None):
        self.title, self.variant, self.steps, self.chip, self.never = title, variant, list(steps), chip, never
        self.setup = [f"hold {NODES[node]}" for node in nodes] + list(setup)
        self.seen = []   # its lines, oldest first
        self.since = 0   # when this step began
        self.after = 0   # the number of lines since the last step
        self.plays_on = False
        # The name of a process is that of the file by which it was executed.
        self.before = [sys.executable, "-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:2])",
                       executable] if executable else ()

    def begin(self, directory):
        self.truth = f"{directory}/{len(os.listdir(directory))}"
        open(self.truth, "w", encoding="ascii").close()
        self.player = Player(self.variant, self.truth, *self.setup, before=self.before)
        self.pid = self.player.pid
        self.begin_step()

    def begin_step(self):
        commands = self.steps[0][0] if self.steps else ()
        commands = [commands] if isinstance(commands, str) else commands
        if commands:
            self.player.do(*commands)
        for command in commands:
            self.plays_on = command != "join" and (self.plays_on or command.startswith("background play"))
        self.since = time.monotonic_ns()

    def look(self, lines):
        for line in lines_of(lines, self.pid, self.chip):
            if self.seen and line["updated"] == self.seen[-1]["updated"]:
                continue
            assert not (self.never and self.never(line)), (self.title, line)
            self.seen.append(line)
            self.after += not self.steps
            if not self.steps or int(line["updated"]) <= self.since:
                continue
            if self.steps[0][1](line):
                self.steps.pop(0)
                self.begin_step()
            elif "again" in self.steps[0]:
                self.begin_step()

    def check(self):
        """Compares the lines with the truth. Returns the errors."""
        figures = [line for line in self.seen if line["bound"] != "-" and int(line["window"]) > 2e8]
        step = len(figures) // CHECKED + 1
        truth = self.settled(figures)
        return [error for line in figures[::-step] for error in self.check_line(truth, line)]

    def settled(self, figures):
        """Waits until the truth is written up to the last line, and returns it."""
        until = max([int(line["updated"]) for line in figures], default=0)
        found = []

        def is_there():
            found[:] = [Truth(self.truth)]
            last = {run.name: run for run in found[0].chosen(pid=self.pid)}
            return not self.plays_on or all(run.start + run.count * run.period >= until for run in last.values())
        eventually(is_there)
        return found[0]

    def check_line(self, truth, line):
        window = int(line["window"])
        true = [truth.share(end - window, end, pid=self.pid, chip=int(self.chip)) for end in window_ends(line)]
        near = {"exact": min(true) - NEAR <= share(line) <= max(true) + NEAR, "lower": share(line) <= max(true) + NEAR,
                "upper": share(line) >= min(true) - NEAR}
        return [] if near[line["bound"]] else [(self.title, share(line), min(true), max(true), line)]


@contextlib.contextmanager
def begun(cases, directory):
    with contextlib.ExitStack() as stack:
        for case in cases:
            case.begin(directory)
            stack.enter_context(case.player)
        yield


def play(cases, directory):
    """Runs all steps of all cases, compares the lines with the truth, and ends the processes."""
    with begun(cases, directory):
        follow(cases)


def follow(cases, ends=()):
    """Runs all steps of all cases, and compares the lines with the truth. Those of `ends` are ended when their steps are
    done and enough lines were seen: they would take processor time from the rest."""
    end, playing, wrong = time.monotonic_ns() + 6 * MINUTE, list(cases), []
    while any(case.steps for case in playing):
        lines = read_lines()
        for case in list(playing):
            case.look(lines)
            if case in ends and case.after >= CHECKED:
                wrong += case.check()
                case.player.kill()
                playing.remove(case)
        assert time.monotonic_ns() < end, [(case.title, len(case.steps), case.seen[-1:]) for case in cases if case.steps]
        time.sleep(0.02)
    wrong += [error for case in playing for error in case.check()]
    assert not wrong, "\n".join(map(str, wrong))


def check_fork(case):
    """A child has its own line, and its idle parent keeps its own. A child is not blocked by locks that were held at fork()."""
    child = int(case.player.do("fork", f"truth {case.truth}", "queues 0", "play 0 rate=100 duty=50 for=3600",
                               "end").split()[1])
    eventually(lambda: any(map(busy("exact", "lower", "upper"), lines_of(read_lines(), child, "0"))))
    eventually(lambda: any(full(line) and line["busy"] == "0" for line in lines_of(read_lines(), case.pid, "0")))
    os.kill(child, signal.SIGKILL)
    eventually(lambda: not any(line["pid"] == str(child) for line in read_lines()))


def check_again(case, execs):
    """A process that opens its device again, or executes itself again, is measured as before."""
    case.player.do("close 0", *["exec", f"truth {case.truth}", *case.setup[:-2]] if execs else [])
    # Not in step with the samples: if each falls between the end of a program and its record, bounds stay lower ones.
    case.player.do(*case.setup[-2:], "background play 0 rate=97 duty=50 for=3600")
    case.seen, case.plays_on = [], True
    case.steps = [((), busy("exact", "upper")), ((), lambda line: busy("exact", "upper")(line) and share(line) > 0.05)]
    follow([case])


def keys_in_kernel(name):
    """The keys of a map of this test's tracer; None: bpftool is not installed. There may be other tracers."""
    bpftool, pid = "/usr/sbin/bpftool", Sampling.last.process.pid
    if not os.path.exists(bpftool):
        return None
    own = set()
    for entry in os.scandir(f"/proc/{pid}/fdinfo"):
        with contextlib.suppress(FileNotFoundError):  # the tracer closes some meanwhile
            text = pathlib.Path(entry.path).read_text(encoding="ascii")
            own.update(map(int, re.findall(r"^map_id:\s*(\d+)$", text, re.M)))
    maps = json.loads(subprocess.check_output([bpftool, "-j", "map", "show"], text=True))
    number, = {one["id"] for one in maps if one.get("name") == name} & own
    text = subprocess.check_output([bpftool, "-j", "map", "dump", "id", str(number)], text=True)
    return [entry["formatted"]["key"] for entry in json.loads(text) if "formatted" in entry]  # else just deleted


def kept_by_kernel():
    """The pids of processes whose launches are in the kernel's map."""
    keys = keys_in_kernel("programs")
    return None if keys is None else set(keys)


def check_kill(case):
    assert kept_by_kernel() is None or case.pid in kept_by_kernel()
    case.player.kill()
    eventually(lambda: not any(line["pid"] == str(case.pid) for line in read_lines()))
    assert case.pid not in (kept_by_kernel() or ())
