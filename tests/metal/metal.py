"""Runs the programs of the test double, and parses their output and TT-Metal's files."""

import glob
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
METAL = os.environ["METAL"]  # the build directory of the double
POOLS = ("dram", "l1", "system", "l1_small", "trace")

LIBRARIES = ["v77", "v77-endbr", "v70", "v68", "v68-nightly", "v66", "v62", "v59", "v57", "v56", "v62-inlined",
             "v62-ttnncpp"]
# Variants for tests of programs on a chip: all have command queues, some have the profiler.
DISPATCHING = ["v57", "v60", "v65", "v68", "v71", "v75", "v76", "v77", "main"]
PROFILING = ["v71", "v75", "v76", "v77", "main"]
STATIC = ["static-exported", "static", "static-whole"]
PUBLISHING = ["v70", "v77", "v77-shm4"]
UNSUPPORTED = ["v66-other", "v66-stepped", "static-stripped"]


def release(variant):
    if variant == "main":
        return 78
    return int(re.match(r"v(\d+)", variant).group(1)) if variant.startswith("v") else 66


def library(variant):
    return f"{METAL}/{variant}/" + ("_ttnncpp.so" if variant == "v62-ttnncpp" else "libtt_metal.so")


def command(variant, host="run"):
    plugin = f"{METAL}/{variant}/metal_plugin.so"
    return {
        "run": [f"{METAL}/{variant}/metal_run"],
        "load": [f"{METAL}/metal_load", plugin],
        "python": [sys.executable, f"{HERE}/load.py", plugin],
    }[host]


def run(variant, *commands, host="run", before=(), **options):
    """Runs a program to its end; returns subprocess.CompletedProcess."""
    return subprocess.run([*before, *command(variant, host), *commands], timeout=60,
                          capture_output=True, text=True, **options)


def totals(text):
    """Parses the output of "total" commands: {pid: {chip: {pool or "buffers": number}}}."""
    found, pid = {}, None
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["total"]:
            pid = int(words[1])
            found[pid] = {}
        elif words[:1] == ["chip"] and pid:
            numbers = words[2:]
            found[pid][int(words[1])] = dict(zip(numbers[::2], map(int, numbers[1::2])))
    return found


class Program:
    """A running program of the test double, which reads its commands from a pipe."""

    def __init__(self, variant, host="run", before=(), **options):
        self.process = subprocess.Popen([*before, *command(variant, host)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        self.pid = self.process.pid

    def do(self, *commands):
        """Executes these commands, and returns what they printed."""
        self.process.stdin.write("\n".join([*commands, "say that was all"]) + "\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line == "that was all\n":
                return "".join(lines)
            lines.append(line)
        raise EOFError(f"the program ended: {self.process.wait()}")

    def totals(self):
        """The program's totals. It prints them with its pid in its own namespace, which is not used."""
        return next(iter(totals(self.do("total")).values()))

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(60)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        return self.end()


def published(directory, ids=()):
    """{pid: {chip: {pool: bytes}}} of TT-Metal's files; a chip is the index of the file's id, or that id."""
    found = {}
    for path in glob.glob(directory + "/tt_device_*_memory"):
        with open(path, "rb") as file:
            data = file.read()
        version, = struct.unpack_from("=I", data)
        ready, = struct.unpack_from("=I", data, 8536)
        assert len(data) == 8576 and (version, ready) in ((3, 0), (4, 0x52454459)), (path, version, ready)
        chip = int(re.search(r"tt_device_(\d+)_", path).group(1))
        chip = ids.index(chip) if ids else chip
        for at in range(856, 856 + 64 * 120, 120):
            pid, *values = struct.unpack_from("=i4x4Q", data, at)
            if pid > 0:
                sums = dict(zip(("dram", "l1", "l1_small", "trace"), values))
                found.setdefault(pid, {})[chip] = sums
    return found


def without(figures, *names):
    """Totals without some pools, and without chips that have nothing."""
    kept = {chip: {name: n for name, n in sums.items() if name not in names}
            for chip, sums in figures.items()}
    return {chip: sums for chip, sums in kept.items() if any(sums.values())}


class Skip(Exception):
    """The test cannot run on this machine; the text is the reason."""


def run_tests(module):
    """Runs the functions test_*, prints TAP. Each gets an empty directory in memory."""
    wanted = sys.argv[1:]  # parts of names; none: all
    tests = [(name, function) for name, function in vars(module).items()
             if name.startswith("test_") and (not wanted or any(part in name for part in wanted))]
    failed = 0
    print(f"1..{len(tests)}")
    for number, (name, function) in enumerate(tests, 1):
        # The machine of staged.py has a /dev/shm of its own.
        shared = "/dev/shm/" + os.environ.get("TT_TEST_RUN", "")
        directory = tempfile.mkdtemp(prefix="tt-metal-", dir=shared if os.path.isdir(shared) else "/dev/shm")
        title = name[5:].replace("_", " ")
        try:
            function(directory)
            print(f"ok {number} - {title}", flush=True)
        except Skip as reason:
            print(f"ok {number} - {title} # SKIP {reason}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {number} - {title}", flush=True)
            print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
        finally:
            shutil.rmtree(directory, ignore_errors=True)
    sys.exit(failed > 0)
