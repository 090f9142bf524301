"""suspend.py PROGRAM ROOT [OPTIONS]: presses Ctrl-Z and continues by fg, 50 times, while tt_smi -w runs as the child
of another process of the job. The shell notices only when its own child has stopped, and may use the terminal, or
continue the job, before tt_smi has stopped. Then it continues the job in the background, where tt_smi must stop again
without touching the terminal, and kills it while it is stopped."""

import contextlib
import fcntl
import os
import pty
import select
import shlex
import struct
import sys
import termios
import time
from pathlib import Path

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


def start(shell, before, command):
    """Runs it as the child of a process of the job, which prints the exit code; before: commands of that process."""
    shell.type(f"sh -c {shlex.quote(before + command + '; echo code $?')}\n".encode())
    shell.until(ENTER)


def stop(shell):
    shell.type(b"\x1a")
    shell.until(LEAVE, b"Stopped", b"ready> ")


def until_job(shell, state):
    """Asks for the state of the job until it was this one since the last prompt. Returns all output. bash 5.2 may not notice
    the end of a job that it has killed and continued before another child ends."""
    output, end = shell.until(b"ready> "), time.monotonic() + LIMIT
    while state not in output:
        assert time.monotonic() < end, f"never {state}: {output[-2000:]!r}"
        shell.type(b"env true; jobs -l; echo en''d\n")
        output += shell.until(b"end", b"ready> ")
    return output


def check_background(shell, modes):
    """After bg, tt_smi stops again since it may not use the terminal, and has not written to it."""
    shell.type(b"bg\n")
    output = until_job(shell, b"Stopped (tty")
    assert ENTER not in output, output
    assert shell.modes() == modes
    shell.type(b"fg\n")
    shell.until(ENTER)


def live_processes(group):
    """Those of the process group that are no zombies."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state, _, pgrp = path.read_text(errors="replace").rpartition(") ")[2].split()[:3]
            if int(pgrp) == group and state != "Z":
                found.append(path.parent.name)
    return found


def check_kill(shell, modes):
    """tt_smi ends without touching the terminal, which is the shell's."""
    stop(shell)
    shell.type(b"echo grou''p $(jobs -p)X\n")
    group = int(shell.until(b"X\r", b"ready> ").split(b"group ")[-1].split(b"X")[0])
    shell.type(b"kill %1\n")
    output = until_job(shell, b"Terminated")
    end = time.monotonic() + LIMIT
    while live_processes(group):
        assert time.monotonic() < end, live_processes(group)
        time.sleep(0.02)
    assert ENTER not in output, output
    assert shell.modes() == modes


def main():
    program, root, *options = sys.argv[1:]
    command = shlex.join([program, "--root", root, "-w", "-r", "100", *options])
    shell = Shell()
    shell.until(b"ready> ")
    modes = shell.modes()
    start(shell, "trap : INT; ", command)
    for _ in range(TRIES):
        shell.type(b"\x1a")
        shell.until(b"Stopped")
        shell.type(b"fg\n")
        shell.until(ENTER)
    stop(shell)
    shell.type(b"fg\n")
    shell.until(ENTER)
    shell.type(b"\x03")
    shell.until(LEAVE, b"code 130", b"ready> ")
    assert shell.modes() == modes
    start(shell, "", command)
    stop(shell)
    check_background(shell, modes)
    check_kill(shell, modes)
    shell.type(b"exit\n")
    os.waitpid(shell.pid, 0)


main()
