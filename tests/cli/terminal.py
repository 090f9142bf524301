"""Checks the bytes that tt_smi -w writes to a terminal.

terminal.py SCENARIO PROGRAM ROOT: runs PROGRAM on a pseudo terminal of 80x24 and
reads its output. A second without output is many samples, even of the slowest build.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

QUIET = 1.0
LIMIT = 300
ENTER, LEAVE = b"\033[?1049h", b"\033[?1049l"
HIDE, SHOW = b"\033[?25l", b"\033[?25h"
LINE = re.compile(rb"\033\[(\d+);1H([^\033]*)")


class Terminal:
    def __init__(self, program, root, *options, size=(24, 80)):
        self.master, slave = pty.openpty()
        self.resize(*size)
        self.before = termios.tcgetattr(slave)
        self.stream = b""
        self.pid = os.fork()
        if self.pid == 0:
            for number in signal.SIGINT, signal.SIGQUIT, signal.SIGHUP:  # background jobs ignore them
                signal.signal(number, signal.SIG_DFL)
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for fd in 0, 1, 2:
                os.dup2(slave, fd)
            os.execv(program, [program, "--root", root, *options])
        self.slave = slave  # kept open, since the master would read EIO otherwise

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        """Reads until nothing has arrived for this time."""
        data = b""
        end = time.monotonic() + LIMIT
        while select.select([self.master], [], [], seconds)[0]:
            data += os.read(self.master, 65536)
            if time.monotonic() > end:
                self.end(signal.SIGKILL)
                sys.exit(f"it never falls silent: {data[-200:]!r}")
        self.stream += data
        return data

    def until(self, text):
        data = b""
        end = time.monotonic() + LIMIT
        while text not in data:
            if time.monotonic() > end:
                sys.exit(f"never: {text!r} in {data[-1000:]!r}")
            if select.select([self.master], [], [], 0.1)[0]:
                data += os.read(self.master, 65536)
        self.stream += data
        return data

    def type(self, keys):
        os.write(self.master, keys)

    def wait(self):
        _, status = os.waitpid(self.pid, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
            return -signal.SIGKILL
        self.read(0.1)
        return os.waitstatus_to_exitcode(status)

    def ended(self):
        """Waits for the exit status, without reading output; None: the program does not exit."""
        for _ in range(LIMIT * 10):
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.1)
        os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def end(self, number=signal.SIGTERM):
        os.kill(self.pid, number)
        return self.wait()

    def is_restored(self):
        assert termios.tcgetattr(self.slave) == self.before, "the terminal's modes are others"
        assert self.stream.count(ENTER) == self.stream.count(LEAVE) > 0
        assert self.stream.rfind(SHOW) > self.stream.rfind(HIDE), "the cursor stays hidden"
        assert self.stream.rfind(LEAVE) > self.stream.rfind(b"tt-smi"), "written after the end"


def temp_file(root, index):
    hwmon = f"{root}/sys/class/tenstorrent/tenstorrent!{index}/device/hwmon"
    return f"{hwmon}/{os.listdir(hwmon)[0]}/temp1_input"


def rewrite(path, text):
    os.chmod(path, 0o644)
    with open(path, "r+b", buffering=0) as file:
        file.write(text)


def unchanged(program, root):
    terminal = Terminal(program, root, "-w", "--plain", "-r", "100")
    terminal.until(b"1002")
    terminal.read(QUIET)
    assert terminal.stream.count(b"tt-smi ") == 1, "the title was written again"
    assert not terminal.read(QUIET), "bytes though nothing changed"
    assert terminal.end() == -signal.SIGTERM
    terminal.is_restored()


def one_line(program, root):
    terminal = Terminal(program, root, "-w", "--plain", "-r", "100", "--ascii", "--color=never")
    terminal.until(b"1002")
    terminal.read(QUIET)
    rewrite(temp_file(root, 1), b"81000\n")
    data = terminal.until(b"81C") + terminal.read(QUIET)
    lines = LINE.findall(data)
    assert len(lines) == 1, f"{len(lines)} lines for one that changed: {data!r}"
    assert lines[0][1].startswith(b"| 1 ") and b"81C" in lines[0][1], lines
    assert b"\033[2J" not in data, "the screen was cleared"
    rewrite(temp_file(root, 1), b"45000\n")
    rewrite(temp_file(root, 0), b"46000\n")
    data = terminal.until(b"46C") + terminal.read(QUIET)
    rows = {line[1][:4] for line in LINE.findall(data)}
    assert rows == {b"| 0 ", b"| 1 "}, rows
    terminal.end()
    terminal.is_restored()


def keys(program, root):
    """Typed characters are not echoed, and not left for the shell."""
    terminal = Terminal(program, root, "-w", "--plain", "-r", "100")
    terminal.until(b"1002")
    terminal.read(QUIET)
    terminal.type(b"echo abc\r")
    assert not terminal.read(QUIET), "keys were echoed"
    assert terminal.end() == -signal.SIGTERM
    terminal.is_restored()
    waiting = struct.unpack("i", fcntl.ioctl(terminal.slave, termios.FIONREAD, b"\0" * 4))[0]
    assert waiting == 0, f"{waiting} bytes left for the shell"


def interrupt(program, root):
    for key, number in (b"\x03", signal.SIGINT), (b"\x1c", signal.SIGQUIT):
        terminal = Terminal(program, root, "-w", "--plain", "-r", "100")
        terminal.until(b"1002")
        terminal.type(key)
        assert terminal.wait() == -number
        terminal.is_restored()
    for number in signal.SIGTERM, signal.SIGHUP, signal.SIGINT:
        terminal = Terminal(program, root, "-w", "--plain", "-r", "60000")
        terminal.until(b"1002")
        assert terminal.end(number) == -number
        terminal.is_restored()


def count(program, root):
    terminal = Terminal(program, root, "-w", "--plain", "-r", "100", "-n", "3")
    assert terminal.wait() == 0
    terminal.is_restored()


def resize(program, root):
    """The same sample is shown again, instead of the next one, which follows a minute later."""
    terminal = Terminal(program, root, "-w", "--plain", "-r", "60000", "--ascii", "--color=never")
    terminal.until(b"1002")
    terminal.read(QUIET)
    rewrite(temp_file(root, 1), b"71000\n")
    terminal.resize(40, 120)
    data = terminal.until(b"1002") + terminal.read(QUIET)
    assert b"71C" not in data, data
    widest = max(len(line[1]) for line in LINE.findall(data))
    assert widest == 120, widest
    terminal.resize(6, 80)
    data = terminal.until(b"too small") + terminal.read(QUIET)
    rows = [int(line[0]) for line in LINE.findall(data)]
    assert max(rows) == 6, rows
    assert max(len(line[1]) for line in LINE.findall(data)) == 80
    terminal.end()
    terminal.is_restored()


def slow(program, root):
    """A stalled terminal gets the newest frame when it continues, not all of them; and a signal is handled."""
    terminal = Terminal(program, root, "-w", "--plain", "-r", "100", "--color=never", size=(60, 200))
    terminal.until(b"1002")
    for step in range(15):  # far more than a terminal buffers
        terminal.resize(60 + step % 2, 200)
        rewrite(temp_file(root, 1), b"%d000\n" % (50 + step))
        time.sleep(0.1)
    data = terminal.until("64°C".encode()) + terminal.read(QUIET)
    frames = data.count(b"tt-smi ")
    assert 1 <= frames < 15, frames
    for number in signal.SIGTERM, signal.SIGINT:
        for step in range(15):
            terminal.resize(60 + step % 2, 200)
            time.sleep(0.1)
        os.kill(terminal.pid, number)
        status = terminal.ended()
        assert status == -number, status
        terminal = Terminal(program, root, "-w", "--plain", "-r", "100", size=(60, 200))
    terminal.until(b"1002")
    terminal.end()
    terminal.is_restored()


def narrow(program, root):
    """No line is longer than the terminal, or it would wrap and push the others down."""
    terminal = Terminal(program, root, "-w", "--plain", "-r", "100", "--ascii", "--color=never", size=(24, 60))
    terminal.until(b"tt-smi ")
    data = terminal.stream + terminal.read(QUIET)
    widest = max(len(line[1]) for line in LINE.findall(data))
    assert widest <= 60, f"{widest} columns on a terminal of 60"
    terminal.end()
    terminal.is_restored()


def hung(program, root):
    """A read that hangs does not hold the end up."""
    terminal = Terminal(program, root, "-w", "--plain", "-r", "100", "--ascii", "--color=never")
    terminal.until(b"timed out")
    terminal.type(b"\x03")
    assert terminal.wait() == -signal.SIGINT
    terminal.is_restored()


def trouble(program, root):
    """Error messages are not written into the middle of the screen."""
    terminal = Terminal(program, root, "-w", "--plain", "-r", "100", "--ascii", "--color=never")
    terminal.until(b"1002")
    terminal.read(QUIET)
    os.rename(f"{root}/sys/class/tenstorrent", f"{root}/sys/class/away")
    data = terminal.read(QUIET)
    outside = LINE.sub(b"", data).replace(b"\033[K", b"").replace(b"\033[2J", b"")
    assert not outside.strip(), f"not in its place: {outside!r}"
    os.rename(f"{root}/sys/class/away", f"{root}/sys/class/tenstorrent")
    terminal.read(QUIET)
    terminal.end()
    terminal.is_restored()


globals()[sys.argv[1]](*sys.argv[2:])
