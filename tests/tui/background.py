"""background.py PROGRAM ROOT [OPTIONS]: suspends, continues and ends tt_smi -w when its terminal already belongs to
another process group, as that of a shell that has noticed first that its job stops."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

LIMIT = 300  # seconds; only ends a test that hangs
ENTER, MOUSE = b"\033[?1049h", b"1000h"  # the full screen asks for the mouse when it has set all modes


class Job:
    """The program in a process group of its own, in the foreground of a new terminal whose session is ours."""

    def __init__(self, words, ignored):
        self.master, self.tty = pty.openpty()
        fcntl.ioctl(self.tty, termios.TIOCSCTTY, 0)
        fcntl.ioctl(self.tty, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.pid = os.fork()
        if self.pid == 0:
            os.setpgid(0, 0)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU])
            os.tcsetpgrp(self.tty, os.getpid())
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTTOU])
            signal.signal(signal.SIGTTOU, signal.SIG_IGN if ignored else signal.SIG_DFL)
            for fd in 0, 1, 2:
                os.dup2(self.tty, fd)
            os.execve(words[0], words, dict(os.environ, TERM="xterm-256color", XDG_CONFIG_HOME="/nonexistent"))

    def until(self, text):
        data, end = b"", time.monotonic() + LIMIT
        while text not in data:
            assert time.monotonic() < end, f"never: {text} in {data[-2000:]!r}"
            if select.select([self.master], [], [], 0.1)[0]:
                data += os.read(self.master, 1 << 16)

    def wait(self):
        """Its next stop or its end, while its output is read."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)
            if pid:
                return status
            if select.select([self.master], [], [], 0.02)[0]:
                os.read(self.master, 1 << 16)
        raise SystemExit("it neither stops nor ends")


def take_terminal(job):
    """Makes it that of our own process group, with modes as a shell has at its prompt."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(job.tty, os.getpgrp())
    modes = termios.tcgetattr(job.tty)
    modes[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
    modes[1] &= ~termios.OPOST
    termios.tcsetattr(job.tty, termios.TCSANOW, modes)
    return termios.tcgetattr(job.tty)


def check_stopped(job, number, modes):
    status = job.wait()
    assert os.WIFSTOPPED(status) and os.WSTOPSIG(status) == number, status
    assert termios.tcgetattr(job.tty) == modes


def check(words, ignored, background):
    job = Job(words, ignored)
    job.until(ENTER if "--plain" in words else MOUSE)
    modes = take_terminal(job)
    os.kill(job.pid, signal.SIGTSTP)
    check_stopped(job, signal.SIGTSTP, modes)
    if background:  # as the shell's "bg" does
        for _ in range(3):
            os.kill(job.pid, signal.SIGCONT)
            check_stopped(job, signal.SIGTTOU, modes)
    # As the shell's "kill %1" does.
    os.kill(job.pid, signal.SIGTERM)
    os.kill(job.pid, signal.SIGCONT)
    status = job.wait()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGTERM, status
    assert termios.tcgetattr(job.tty) == modes


def main():
    program, root, *options = sys.argv[1:]
    # In the background, a program that ignores SIGTTOU does not stop.
    for ignored, background in (False, False), (False, True), (True, False):
        child = os.fork()  # a session has one terminal
        if child == 0:
            os.setsid()
            check([program, "--root", root, "-w", "-r", "100", *options], ignored, background)
            sys.exit()
        if os.waitpid(child, 0)[1]:
            sys.exit(f"with SIGTTOU {'ignored' if ignored else 'as usual'}{', after bg' if background else ''}")


main()
