"""Runs tt_smi -w on a pseudo terminal, to count the bytes that it writes, or not to read them."""

import fcntl
import os
import pty
import select
import struct
import termios
import time

LIMIT = 300  # seconds; only ends a test that hangs


class Terminal:
    def __init__(self, program, root, *options, rows=24, columns=80, term="xterm-256color"):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            env = dict(os.environ, TERM=term, XDG_CONFIG_HOME="/nonexistent")
            os.execve(program, [program, "--root", root, "-w", *options], env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        """Returns all output within this time."""
        data = b""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                try:
                    data += os.read(self.fd, 1 << 16)
                except OSError:
                    break
        return data

    def until(self, *texts):
        """Reads until all of these texts were written. Returns all output."""
        data = b""
        end = time.monotonic() + LIMIT
        while not all(text in data for text in texts):
            assert time.monotonic() < end, f"never: {texts!r} in {data!r}"
            data += self.read(0.1)
        return data

    def press(self, keys):
        os.write(self.fd, keys)

    def end(self):
        """Waits for the end of the program. Returns its exit code."""
        limit = time.monotonic() + LIMIT
        while time.monotonic() < limit:
            self.read(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        raise AssertionError("it does not end")
