#!/usr/bin/env python3
"""Measures how long the tracer takes to find and attach to many programs that hold a device and map the library.

usage: discover.py BUILD [PROGRAMS [ROUNDS]]

Needs root and BPF. Runs in a mount namespace of its own, where /dev/tenstorrent/0 is a node with the device
number of /dev/zero. Figures are medians of the rounds.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAMS = int(sys.argv[2]) if len(sys.argv) > 2 else 500
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
TRACER = BUILD / "tt_smi-trace"
PINS = pathlib.Path("/run/tt-smi/bpf")


def inside():
    """Executes this script again in a mount namespace with its own /run and /dev/tenstorrent; returns in there."""
    make = ("mount -t tmpfs tmpfs /run && mkdir -p /run/dev/tenstorrent /run/dev/shm && "
            "mount -t tmpfs tmpfs /run/dev/tenstorrent && mknod /run/dev/tenstorrent/0 c 1 5 && "
            "for n in null zero urandom; do : >/run/dev/$n; mount --bind /dev/$n /run/dev/$n; done && "
            "mount --bind /dev/shm /run/dev/shm && mount --rbind /run/dev /dev && ")
    if "DISCOVER_INSIDE" in os.environ:
        return
    os.environ["DISCOVER_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", "sh", "-c", make + 'exec "$@"', "sh",
                          sys.executable, *sys.argv])


def crowd(folder, library):
    """Starts programs that wait, with the library mapped and the device open, or without both."""
    line = "hold /dev/tenstorrent/0\nopen 0\nsay ready\nwait\n" if library else None
    made = []
    for _ in range(PROGRAMS):
        command = [folder / "metal_run"] if library else ["sleep", "1000"]
        process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if line:
            process.stdin.write(line)
            process.stdin.flush()
        made.append(process)
    for process in made if library else []:
        process.stdout.readline()
    return made


def run(*arguments):
    began = time.monotonic()
    done = subprocess.run([TRACER, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"not measured: {done.stderr.strip()}")
    return (time.monotonic() - began) * 1000


def read(name):
    began = time.monotonic()
    lines = (PINS / name).read_text().count("\n")
    return (time.monotonic() - began) * 1000, lines


def watch(seconds=5):
    """CPU time of a tracer with --watch, in percent of a core."""
    watcher = subprocess.Popen([TRACER, "start", "--watch"], stdout=subprocess.PIPE, text=True)
    for line in watcher.stdout:
        if line.startswith("watching"):
            break
    stat = pathlib.Path(f"/proc/{watcher.pid}/schedstat")
    before = int(stat.read_text().split()[0])
    time.sleep(seconds)
    used = int(stat.read_text().split()[0]) - before
    watcher.terminate()
    watcher.wait()
    return used / seconds / 1e7


def measure(title):
    first, again, tables, holders = [], [], [], []
    for _ in range(ROUNDS):
        first.append(run("start"))
        again.append(run("start"))
        tables.append(read("allocations")[0])
        holders.append(read("holders")[0])
        followed = read("allocations")[1] - 4
        run("stop")
    share = watch()
    run("stop")
    print(f"{title:38}{statistics.median(first):8.0f} ms {statistics.median(again):8.0f} ms "
          f"{statistics.median(tables):8.2f} ms {statistics.median(holders):8.2f} ms {share:8.2f} %"
          f"   {followed} followed")


def main(folder):
    shutil.copytree(BUILD / "tests" / "metal" / "v66", folder, dirs_exist_ok=True)
    print(f"{'':38}{'load and':>11} {'again':>11} {'read':>11} {'read':>11} {'watching':>10}")
    print(f"{'':38}{'attach':>11} {'':>11} {'allocations':>11} {'holders':>11} {'(of a core)':>10}")
    measure("no programs")
    for library, title in ((False, f"{PROGRAMS} programs, none with the library"),
                           (True, f"{PROGRAMS} programs with the library")):
        made = crowd(folder, library)
        measure(title)
        for process in made:
            process.kill()
        for process in made:
            process.communicate()


if os.geteuid() != 0 or not TRACER.exists():
    sys.exit("not measured: " + ("needs root" if TRACER.exists() else "built without tracing"))
inside()
place = tempfile.mkdtemp(prefix="tt-bench-", dir="/dev/shm")
try:
    main(pathlib.Path(place))
finally:
    shutil.rmtree(place, ignore_errors=True)
