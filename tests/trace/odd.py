"""A program with a library whose calls are chosen by the test: see odd.c."""

import os
import subprocess
import sys

from staged import NODES

FOLDER = os.environ["ODD"]
LIBRARY = FOLDER + "/libodd.so"


class Odd:
    def __init__(self, *words, node=NODES[0], name="odd", program=FOLDER + "/odd", **options):
        self.begin([program, node, name, *words], **options)

    def begin(self, command, **options):
        self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "ready\n"

    def do(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ready\n"

    def start(self):
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
            return int(file.read().rpartition(")")[2].split()[19])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.write("\n")
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(60) == 0


class Copies(Odd):
    """Several copies of the library in one process: see copies.py."""

    def __init__(self, *files):
        script = os.path.join(os.path.dirname(__file__), "copies.py")
        self.begin([sys.executable, script, NODES[0], *files])
