"""Runs the full screen on a simulated machine, for pictures and tests. The machine's files and the
program's clock advance step by step (tt_smi sim --after, tests/tui/clock.c), so the same program
always shows the same screens."""
import mmap
import os
import re
import shutil
import struct
import subprocess
import time
from pathlib import Path

# Times of the machine that tt_smi sim --static writes: its uptime, and its start as Unix time.
UPTIME, BOOT = 100000, 1767225600 - 100000


class Clock:
    """The simulated clock of a program: a file that is shared with tests/tui/clock.c."""

    def __init__(self, path):
        path.write_bytes(bytes(24))
        with path.open("r+b") as file:
            self.map = mmap.mmap(file.fileno(), 24)
        struct.pack_into("q", self.map, 8, BOOT * 10**9)
        self.set(0)

    def set(self, seconds):
        struct.pack_into("q", self.map, 0, (UPTIME + seconds) * 10**9)

    def wait_for_deadline(self, seconds):
        """Waits until the program waits for this time: then its previous sample is complete."""
        end = time.monotonic() + 60
        while struct.unpack_from("q", self.map, 16)[0] < (UPTIME + seconds) * 10**9:
            if time.monotonic() > end:
                raise SystemExit(f"the program does not wait for {seconds} s")
            time.sleep(0.002)

    def shows(self, seconds):
        return time.strftime("%H:%M:%S", time.gmtime(BOOT + UPTIME + seconds))


def write_machine(sim, options, seconds, tree):
    """Writes the files of the machine. Existing ones are overwritten in place, since the program keeps them open."""
    new = tree.with_name("new")
    subprocess.run([sim, "--static", "--seed", "7", "--after", str(seconds), *options, new],
                   check=True)
    subprocess.run(["chmod", "-R", "u+rw", new], check=True)
    if not tree.exists():
        new.rename(tree)
        return
    for folder, _, names in os.walk(new):
        for name in names:
            source = Path(folder, name)
            if source.is_symlink():
                continue
            target, data = tree / source.relative_to(new), source.read_bytes()
            if data != target.read_bytes():
                with target.open("r+b") as file:
                    file.write(data)
                    file.truncate()
    shutil.rmtree(new)


class Terminal:
    def __init__(self, socket, columns, rows, command, environment):
        self.tmux = ["tmux", "-u", "-S", str(socket), "-f", "/dev/null"]
        environment = {**os.environ, "SHELL": "/bin/sh", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment}
        environment.pop("TMUX", None)
        self.drained = 0
        subprocess.run([*self.tmux, "new-session", "-d", "-x", str(columns), "-y", str(rows), command],
                       check=True, env=environment)
        subprocess.run([*self.tmux, "set-option", "-g", "window-size", "manual"], check=True)

    def resize(self, columns, rows):
        """Resizes, and waits until the first line has the new width and the keys are in the last line."""
        subprocess.run([*self.tmux, "resize-window", "-x", str(columns), "-y", str(rows)],
                       check=True)
        self.wait_for(rf"\A[^\n]{{{columns - 1}}}\n(.*\n){{{rows - 2}}}.*Quit\n\Z")

    def screen(self, *options):
        return subprocess.run([*self.tmux, "capture-pane", "-p", *options], check=True,
                              capture_output=True, text=True).stdout

    def variable(self, name):
        return subprocess.run([*self.tmux, "display-message", "-p", f"#{{{name}}}"], check=True,
                              capture_output=True, text=True).stdout.strip()

    def drain(self):
        """Waits until tmux has read all output of the program, by writing a title after it."""
        self.drained += 1
        title = f"drained {self.drained}"
        tty = os.open(self.variable("pane_tty"), os.O_WRONLY | os.O_NOCTTY)
        os.write(tty, f"\033]2;{title}\033\\".encode())
        os.close(tty)
        end = time.monotonic() + 60
        while self.variable("pane_title") != title:
            if time.monotonic() > end:
                raise SystemExit("the terminal does not read what the program writes")
            time.sleep(0.01)

    def settled(self, *options):
        """Returns the screen when it has stopped changing, since a frame arrives in several parts."""
        screens = [self.screen(*options)]
        while screens[-3:] != 3 * screens[-1:]:
            self.drain()
            screens.append(self.screen(*options))
        return screens[-1]

    def wait_for(self, pattern):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            screen = self.screen()
            if re.search(pattern, screen):
                return
            time.sleep(0.01)
        raise SystemExit(f"the screen never showed {pattern}:\n{screen}")

    def press(self, keys):
        for key in keys.split():
            subprocess.run([*self.tmux, "send-keys", key], check=True)

    def close(self):
        subprocess.run([*self.tmux, "kill-server"], check=False, stderr=subprocess.DEVNULL)


class Film:
    """tt_smi -w of a build in a terminal, with a simulated machine and a simulated clock. Both advance in
    steps of this many seconds, which is also the refresh period."""

    def __init__(self, build, work, machine, step, columns, rows, environment=()):
        self.sim, self.machine, self.period = build / "tt_smi-sim", machine, step
        self.clock, self.tree, self.now = Clock(work / "clock"), work / "tree", 0
        write_machine(self.sim, machine, 0, self.tree)
        self.terminal = Terminal(
            work / "tmux", columns, rows, f"exec {build}/tests/tui/tui_clocked show "
            f"--root {self.tree} -w -r {1000 * step}",
            {"TZ": "UTC", "XDG_CONFIG_HOME": "/nonexistent", "TT_CLOCK": str(work / "clock"),
             **dict(environment)})
        self.clock.wait_for_deadline(self.now + self.first_wait())
        self.terminal.wait_for(self.clock.shows(0))

    def first_wait(self):
        """The seconds from a sample to the next time for which the program waits (src/tui/feed.c)."""
        return self.period - (2.5 if self.period > 4 else 0)

    def advance(self, seconds, deadline):
        """Changes the files while the program waits, then waits for the end of its next sample."""
        write_machine(self.sim, self.machine, seconds, self.tree)
        self.clock.set(seconds)
        self.clock.wait_for_deadline(deadline)

    def step(self):
        end = self.now + self.period
        if self.first_wait() < self.period:  # a sample for rates, which is not shown
            self.advance(end - 2, end)
        self.now = end
        self.advance(end, end + self.first_wait())
        self.terminal.wait_for(self.clock.shows(end))

    def close(self):
        """Ends the program, advancing the clock for which it may wait, and returns when it has exited."""
        program = Path("/proc") / self.terminal.variable("pane_pid")
        self.terminal.close()
        for second in range(6000):
            if not program.exists():
                break
            self.clock.set(self.now + second)
            time.sleep(0.01)
        shutil.rmtree(self.tree)
