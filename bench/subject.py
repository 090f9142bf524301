"""The programs that are measured, and their command lines for the same task.

once() returns the command line for one output of the machine below root, loop() for one output and this number
of refreshes, screen() for the full screen, start() for an empty program that is linked in the same way. kinds: the kinds of
rows (rows.py) that a program supports.
"""

import pathlib
import shutil
import tempfile

PERIOD_MS = 100  # of loops


def copied(program, folder, *siblings):
    """A copy of the program, and of programs beside it that it executes, as install(1) makes it.

    The linker writes a program in small pieces. The kernel then has it in memory in small pieces, and maps each by
    itself, until it is read from the disk again: a tenth of the time of one output.
    """
    place = tempfile.mkdtemp(dir=folder)
    for sibling in siblings:
        if (program.parent / sibling).exists():
            shutil.copy(program.parent / sibling, place)
    return pathlib.Path(shutil.copy(program, place))


class Ours:
    """A build of tt_smi, of this or of another commit."""

    def __init__(self, name, build):
        build = pathlib.Path(build).resolve()
        self.name, self.program, self.empty = name, build / "tt_smi", build / "bench" / "empty"
        # Builds of older commits have no empty program.
        self.kinds = ("once", "first", "loop", "screen") + (("start",) if self.empty.exists() else ())

    def install(self, folder):
        """From now on a copy in this folder is measured. Every program has this method."""
        self.program = copied(self.program, folder, "tt_smi-tui")
        if self.empty.exists():
            self.empty = copied(self.empty, folder)

    def start(self):
        return [self.empty]

    def once(self, root, _scan):
        return [self.program, *([] if root == "/" else ["--root", root])]

    def loop(self, root, scan, refreshes):
        return [*self.once(root, scan), "-lms", str(PERIOD_MS), "-n", str(refreshes + 1)]

    def screen(self, root, period_ms):
        return [*self.once(root, False), "-w", "-r", str(period_ms)]


class Floor:
    """The minimum that the same output needs: floor.c, linked like tt_smi; "bare" without the C library."""

    kinds = ("once", "loop")

    def __init__(self, build, name="floor"):
        self.name, self.program = name, build / "bench" / {"floor": "floor", "bare": "bare_floor"}[name]

    def install(self, folder):
        self.program = copied(self.program, folder)

    def once(self, root, scan):
        return [self.program, "--root", root, *(["--scan"] if scan else [])]

    def loop(self, root, scan, refreshes):
        return [*self.once(root, scan), "--again", str(refreshes)]


class Nvtop:
    """A version with a Tenstorrent backend. One output is two samples, 100 ms apart, as JSON."""

    name, kinds = "nvtop", ("once", "first", "screen")

    def __init__(self, folder):
        self.program = pathlib.Path(folder).resolve() / self.name

    def install(self, folder):
        self.program = copied(self.program, folder)

    def once(self, _root, _scan):
        return [self.program, "-s"]

    def screen(self, _root, period_ms):
        return [self.program, "-d", str(period_ms // 100)]


class Toplike:
    """Shows at most two processes per device, and draws 60 times a second, whatever the refresh period."""

    name, kinds = "tt-toplike", ("once", "first", "screen")

    def __init__(self, folder):
        self.program = pathlib.Path(folder).resolve() / self.name

    def install(self, folder):
        self.program = copied(self.program, folder)

    def once(self, _root, _scan):
        return [self.program, "--backend", "sysfs", "--print"]

    def screen(self, _root, period_ms):
        return [self.program, "--backend", "sysfs", "--interval", str(period_ms)]
