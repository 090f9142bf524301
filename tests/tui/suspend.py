"""suspend.py PROGRAM ROOT [OPTIONS]: presses Ctrl-Z and continues by fg, 50 times, while tt_smi -w runs as the child
of another process of the job. The shell notices only when its own child has stopped, and may use the terminal, or
continue the job, before tt_smi has stopped."""

import fcntl
import os
import pty
import select
import shlex
import struct
import sys
import termios
import time

LIMIT = 300  # seconds; only ends a test that hangs
TRIES = 50
ENTER, LEAVE = b"\033[?1049h", b"\033[?1049l"


class Shell:
    def __init__(self):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            env = dict(os.environ, TERM="xterm-256color", XDG_CONFIG_HOME="/nonexistent",
                       PS1="ready> ", INPUTRC="/dev/null")
            os.execvpe("bash", ["bash", "--noprofile", "--norc", "-i"], env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def until(self, *texts):
        """Reads until all of these texts were written, in any order. Returns all output."""
        data = b""
        end = time.monotonic() + LIMIT
        while not all(text in data for text in texts):
            assert time.monotonic() < end, f"never: {texts} in {data[-2000:]!r}"
            if select.select([self.fd], [], [], 0.1)[0]:
                data += os.read(self.fd, 1 << 16)
        return data

    def type(self, text):
        os.write(self.fd, text)

    def modes(self):
        self.type(b"echo be''gin $(stty -g <&2) en''d\n")
        return self.until(b"end", b"ready> ").split(b"begin ")[1].split(b" end")[0]


def main():
    program, root, *options = sys.argv[1:]
    command = shlex.join([program, "--root", root, "-w", "-r", "100", *options])
    shell = Shell()
    shell.until(b"ready> ")
    modes = shell.modes()
    shell.type(f"sh -c {shlex.quote('trap : INT; ' + command + '; echo code $?')}\n".encode())
    shell.until(ENTER)
    for _ in range(TRIES):
        shell.type(b"\x1a")
        shell.until(b"Stopped")
        shell.type(b"fg\n")
        shell.until(ENTER)
    shell.type(b"\x1a")
    shell.until(LEAVE, b"Stopped", b"ready> ")
    shell.type(b"fg\n")
    shell.until(ENTER)
    shell.type(b"\x03")
    shell.until(LEAVE, b"code 130", b"ready> ")
    assert shell.modes() == modes
    shell.type(b"exit\n")
    os.waitpid(shell.pid, 0)


main()
