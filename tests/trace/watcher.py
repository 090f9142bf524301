"""Runs the tracer with --watch."""

import signal
import subprocess
import time

from staged import TRACER, tracer


def eventually(condition):
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end, f"not within five minutes: {condition}"
        time.sleep(0.02)


class Watcher:
    def __enter__(self):
        self.process = subprocess.Popen([TRACER, "start", "--watch"], text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        for line in self.process.stdout:
            if line.startswith("watching"):
                return self
        raise AssertionError(self.process.stderr.read())

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.communicate(timeout=60)  # reads what it prints at the end, so that it is not blocked
        return self.process.returncode

    def __exit__(self, *_):
        if self.process.returncode is None:
            self.end()
        tracer("stop")
