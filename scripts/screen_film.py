"""Runs the full screen on a simulated machine, for pictures and tests. The machine's files and the
program's clock advance step by step (tt_smi sim --after, tests/tui/clock.c), so the same program
always shows the same screens."""
import fcntl
import mmap
import os
import re
import shutil
import struct
import subprocess
import termios
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
        end = time.monotonic() + 300
        while struct.unpack_from("q", self.map, 16)[0] < (UPTIME + seconds) * 10**9:
            if time.monotonic() > end:
                raise SystemExit(f"the program does not wait for {seconds} s")
            time.sleep(0.002)

    def shows(self, seconds):
        return time.strftime("%H:%M:%S", time.gmtime(BOOT + UPTIME + seconds))


written = {}  # the last content of each file of a machine


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
            source = f"{folder}/{name}"
            if os.path.islink(source):
                continue
            target = f"{tree}/{source.removeprefix(f'{new}/')}"
            with open(source, "rb") as file:
                data = file.read()
            if data != written.get(target):
                written[target] = data
                with open(target, "r+b") as file:
                    file.write(data)
                    file.truncate()
    shutil.rmtree(new)


class Terminal:
    """A terminal that exists already: its socket is that of tmux."""

    def __init__(self, socket):
        self.tmux = ["tmux", "-u", "-S", str(socket), "-f", "/dev/null"]
        self.drained = 0

    @classmethod
    def open(cls, socket, columns, rows, command, environment):
        terminal = cls(socket)
        environment = {**os.environ, "SHELL": "/bin/sh", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment}
        environment.pop("TMUX", None)
        subprocess.run([*terminal.tmux, "new-session", "-d", "-x", str(columns), "-y", str(rows), command],
                       check=True, env=environment)
        subprocess.run([*terminal.tmux, "set-option", "-g", "window-size", "manual"], check=True)
        return terminal

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
        title = f"drained {os.getpid()} {self.drained}"
        tty = os.open(self.variable("pane_tty"), os.O_WRONLY | os.O_NOCTTY)
        os.write(tty, f"\033]2;{title}\033\\".encode())
        os.close(tty)
        end = time.monotonic() + 300
        while self.variable("pane_title") != title:
            if time.monotonic() > end:
                raise SystemExit("the terminal does not read what the program writes")
            time.sleep(0.01)

    def activity(self):
        """How often each program, not its other threads, has run; None if a thread runs, or keys are unread. The
        thread that waits for a simulated clock polls it."""
        tty = os.open(self.variable("pane_tty"), os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        unread = struct.unpack("i", fcntl.ioctl(tty, termios.FIONREAD, bytes(4)))[0]
        os.close(tty)
        turns, pids = {}, [self.variable("pane_pid")]
        for pid in pids:
            for task in Path("/proc", pid, "task").iterdir():
                status = (task / "status").read_text()
                if unread or not re.search(r"^State:\tS", status, re.M):
                    return None
                if task.name == pid:
                    turns[pid] = re.findall(r"ctxt_switches:\t(\d+)", status)
                pids += (task / "children").read_text().split()
        return turns

    def settled(self, *options):
        """Returns the screen when the programs have handled all keys and wait, and tmux has read what they wrote."""
        end = time.monotonic() + 300
        while time.monotonic() < end:
            before = self.activity()
            self.drain()
            screen = self.screen(*options)
            if before and self.activity() == before:
                return screen
        raise SystemExit("the programs in the terminal do not come to rest")

    def wait_for(self, pattern):
        end = time.monotonic() + 300
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


class Screen:
    """tt_smi -w of a build in a terminal, with a simulated clock."""

    def __init__(self, build, work, tree, period, columns, rows, environment):
        self.clock = Clock(work / "clock")
        self.terminal = Terminal.open(
            work / "tmux", columns, rows, f"exec {build}/tests/tui/tui_clocked show "
            f"--root {tree} -w -r {1000 * period}",
            {"TZ": "UTC", "XDG_CONFIG_HOME": "/nonexistent", "TT_CLOCK": str(work / "clock"),
             **environment})

    def close(self, now):
        """Ends the program, advancing the clock for which it may wait, and returns when it has exited."""
        program = Path("/proc") / self.terminal.variable("pane_pid")
        self.terminal.close()
        for second in range(6000):
            if not program.exists():
                break
            self.clock.set(now + second)
            time.sleep(0.01)


class Film:
    """Screens of a simulated machine, one per environment. Machine and clocks advance in steps of this many
    seconds, which is also the refresh period."""

    def __init__(self, build, work, machine, step, columns, rows, *environments):
        self.sim, self.machine, self.period = build / "tt_smi-sim", machine, step
        self.tree, self.now, self.screens = work / "tree", 0, []
        write_machine(self.sim, machine, 0, self.tree)
        for number, environment in enumerate(environments or ({},)):
            folder = work / str(number)
            folder.mkdir()
            self.screens.append(Screen(build, folder, self.tree, step, columns, rows, environment))
        self.terminal = self.screens[0].terminal
        for screen in self.screens:
            screen.clock.wait_for_deadline(self.now + self.first_wait())
            screen.terminal.wait_for(screen.clock.shows(0))

    def first_wait(self):
        """The seconds from a sample to the next time for which the program waits (src/tui/feed.c)."""
        return self.period - (2.5 if self.period > 4 else 0)

    def advance(self, seconds, deadline):
        """Changes the files while the programs wait, then waits for the end of their next sample."""
        write_machine(self.sim, self.machine, seconds, self.tree)
        for screen in self.screens:
            screen.clock.set(seconds)
        for screen in self.screens:
            screen.clock.wait_for_deadline(deadline)

    def step(self):
        end = self.now + self.period
        if self.first_wait() < self.period:  # a sample for rates, which is not shown
            self.advance(end - 2, end)
        self.now = end
        self.advance(end, end + self.first_wait())
        for screen in self.screens:
            screen.terminal.wait_for(screen.clock.shows(end))

    def close(self):
        for screen in self.screens:
            screen.close(self.now)
        shutil.rmtree(self.tree)
