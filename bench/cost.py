"""Measures the cost of programs: of complete runs (measure.c), and of full screens for some seconds."""

import contextlib
import fcntl
import os
import pathlib
import pty
import select
import struct
import subprocess
import termios
import time
from dataclasses import dataclass

COLUMNS, LINES = 80, 24
LIMIT = 20  # seconds, after which a program that hangs is killed


class NotMeasured(Exception):
    """The program cannot be measured; the text is the reason."""


@dataclass
class Run:
    wall_ms: float
    cpu_ms: float
    resident_kb: int
    written: int  # bytes


def alternating(build, commands, rounds, until=None):
    """Alternating runs of the commands; returns a list per command. until: see --until of measure.c."""
    arguments = ["--rounds", str(rounds), *(["--until", until] if until else [])]
    for i, command in enumerate(commands):
        arguments += ["--and"] * (i > 0) + [str(word) for word in command]
    done = subprocess.run([build / "bench" / "measure", *arguments], capture_output=True, text=True)
    if done.returncode:
        raise NotMeasured(done.stderr.strip())
    runs = [[] for _ in commands]
    for line in done.stdout.splitlines():
        index, wall, cpu, resident, written = map(int, line.split())
        runs[index].append(Run(wall / 1e6, cpu / 1e6, resident, written))
    return runs


@dataclass
class Window:
    cpu_ms: float  # per second
    written: float  # bytes per second
    resident_kb: int


class Screen:
    """A program on a pseudo terminal."""

    def __init__(self, command):
        self.terminal, other_end = pty.openpty()
        fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.process = subprocess.Popen(command, stdin=other_end, stdout=other_end,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(other_end)

    def read(self, seconds):
        """Reads for this time; returns the number of bytes that the program wrote."""
        written, end = 0, time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.terminal], [], [], left)[0]:
                try:
                    written += len(os.read(self.terminal, 1 << 16))
                except OSError as error:  # EIO: no process has the other end open
                    raise NotMeasured(f"{self.process.args[0]}: ended by itself") from error
        return written

    def cpu_seconds(self):
        """CPU time of the process, including threads that have ended: its CPU clock, clock_getcpuclockid(3)."""
        return time.clock_gettime((~self.process.pid << 3) | 2)

    def resident_kb(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))

    def quit(self):
        """Types q and waits for the end; kills the program after LIMIT."""
        end = time.monotonic() + LIMIT
        with contextlib.suppress(NotMeasured):
            os.write(self.terminal, b"q")
            while self.process.poll() is None and time.monotonic() < end:
                self.read(0.02)
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)


def window(command, warm_up, seconds):
    """Measures a full screen for some seconds, after a warm-up."""
    screen = Screen(command)
    try:
        screen.read(warm_up)
        cpu, begin = screen.cpu_seconds(), time.monotonic()
        written = screen.read(seconds)
        cpu, elapsed = screen.cpu_seconds() - cpu, time.monotonic() - begin
        return Window(cpu * 1e3 / elapsed, written / elapsed, screen.resident_kb())
    finally:
        screen.quit()


def windows_alternating(commands, rounds, warm_up, seconds):
    windows = [[] for _ in commands]
    for _ in range(rounds):
        for command, taken in zip(commands, windows):
            taken.append(window(command, warm_up, seconds))
    return windows
