#!/usr/bin/env python3
"""The full screen: time to the first screen, CPU share, bytes per frame, memory.

usage: tui.py BUILD [SECONDS]

CPU is what the kernel charged to all threads of the program; the machine it looks at is
a simulated one, kept alive by a process that is not counted.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "tui"))
from terminal import Terminal  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 5
MACHINES = (("1", "n150"), ("8", "8xp150a"), ("32", "galaxy-blackhole"))


def charged(pid):
    """Seconds on a core, all threads together."""
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def resident(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def measure(root, period_ms):
    begin = time.monotonic()
    terminal = Terminal(str(BUILD / "tt_smi"), root, "-r", str(period_ms), "--view", "grid")
    seen = b""
    while b"Overview" not in seen and time.monotonic() - begin < 10:
        seen += terminal.read(0.001)
    first = time.monotonic() - begin
    terminal.read(2)
    before = charged(terminal.pid)
    written = len(terminal.read(SECONDS))
    share = (charged(terminal.pid) - before) / SECONDS
    memory = resident(terminal.pid)
    terminal.press(b"q")
    assert terminal.end() == 0
    return first, share, written / (SECONDS * 1000 / period_ms), memory


print("full screen, 80x24       first screen   CPU share   bytes/frame   resident")
for name, boards in MACHINES:
    folder = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    root = os.path.join(folder, "machine")
    sim = subprocess.Popen([BUILD / "ttsim", "-b", boards, root])
    try:
        while not os.path.exists(os.path.join(root, "ttsim")):
            time.sleep(0.02)
        for period in (1000, 100):
            first, share, size, memory = measure(root, period)
            print(
                f"{name:>2} devices, {period:4} ms   {first * 1000:9.1f} ms   {share * 100:7.2f} %"
                f"   {size:11.0f}   {memory:5} KB"
            )
    finally:
        sim.terminate()
        sim.wait()
        shutil.rmtree(folder, ignore_errors=True)
