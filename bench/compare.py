#!/usr/bin/env python3
"""Compares the cost of tt_smi with that of other programs, in alternating runs.

usage: compare.py [OPTIONS] BUILD                   with the floor (floor.c), with and without the C library
       compare.py [OPTIONS] --against DIR BUILD     with another build of tt_smi
       compare.py [OPTIONS] --peers DIR BUILD       with nvtop and tt-toplike, if DIR has them
"""

import argparse
import contextlib
import itertools
import os
import pathlib
import signal
import sys
import tempfile

sys.dont_write_bytecode = True
import cost
import true_paths
from report import Report
from rows import PEER_ROWS, ROWS
from runner import FULL, SMOKE, Runner
from subject import Floor, Nvtop, Ours, Toplike


def reason_of(error, originals):
    """The reason for a failure, with the program that was given instead of its copy."""
    text = str(error)
    for copy, original in originals.items():
        text = text.replace(str(copy), str(original))
    return text


def measure(runner, rows, subjects, originals, report, folder, at_true_paths):
    """Measures and prints the rows. Returns the exit code."""
    failed = False
    for machine, group in itertools.groupby(rows, lambda row: row.machine):
        with machine.limited(runner.effort.processes).running(runner.build, folder, at_true_paths) as root:
            for row in group:
                try:
                    figures, reasons = runner.row(row, root, subjects)
                    report.row(row.title, figures, row.targets)
                    for reason in reasons:
                        report.failed(row.title, reason_of(reason, originals))
                except cost.NotMeasured as error:
                    report.failed(row.title, reason_of(error, originals))
                    failed = True
    return os.EX_SOFTWARE if failed else os.EX_OK


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD", type=pathlib.Path, help="where tt_smi and its benchmarks were built")
    parser.add_argument("--against", metavar="DIR", type=pathlib.Path, help="where another tt_smi was built")
    parser.add_argument("--peers", metavar="DIR", type=pathlib.Path, help="where nvtop and tt-toplike are")
    parser.add_argument("--true-paths", action="store_true",
                        help="the rows of --peers, where machines are mounted at /sys, /dev and /proc/driver")
    parser.add_argument("--only", metavar="TEXT", default="", help="rows whose title contains TEXT")
    parser.add_argument("--markdown", action="store_true", help="print a table in Markdown")
    parser.add_argument("--smoke", action="store_true", help="few runs: tests this program, the figures are meaningless")
    options = parser.parse_args()
    options.true_paths |= options.peers is not None
    return options


def set_environment():
    """Gives every program the same environment."""
    os.environ.update(LC_ALL="C.UTF-8", TERM="xterm-256color", XDG_CONFIG_HOME="/nonexistent")
    for name in ("COLUMNS", "LINES", "TT_SMI_ROOT", "NO_COLOR"):
        os.environ.pop(name, None)


def choose_subjects(options, build):
    """The build to measure, then the programs to compare it with."""
    ours = Ours("tt_smi", build)
    if options.against:
        return [ours, Ours("other", options.against)]
    if not options.peers:
        return [ours, Floor(build), Floor(build, "bare")]
    peers = [peer(options.peers) for peer in (Nvtop, Toplike)]
    for peer in peers:
        if not os.access(peer.program, os.X_OK):
            print(f"{peer.name} is skipped: {peer.program} does not exist, or is not executable")
    return [ours, *(peer for peer in peers if os.access(peer.program, os.X_OK))]


@contextlib.contextmanager
def work_folder(at_true_paths):
    """A directory for the files of machines, in memory. At the true paths /dev/shm is mounted over, so /tmp is used."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) and not at_true_paths else "/tmp"
    with tempfile.TemporaryDirectory(prefix="tt-bench-", dir=parent, ignore_cleanup_errors=True) as folder:
        with true_paths.mounted("-t", "tmpfs", "none", folder) if at_true_paths else contextlib.nullcontext():
            yield folder


def main():
    options = parse_arguments()
    if options.true_paths:
        true_paths.enter()
    build = options.build.resolve()
    subjects = choose_subjects(options, build)
    if len(subjects) == 1:
        return os.EX_UNAVAILABLE
    for each in subjects:
        if not os.access(each.program, os.X_OK):
            sys.exit(f"compare.py: {each.program} does not exist, or is not executable")
    set_environment()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(os.EX_TEMPFAIL))
    rows = [row for row in (PEER_ROWS if options.true_paths else ROWS) if options.only in row.title]
    # Copies are on the same file system as the originals.
    with work_folder(options.true_paths) as folder, tempfile.TemporaryDirectory(prefix="bench-", dir=build) as copies:
        originals = {}
        for each in subjects:
            original = each.program
            each.install(copies)
            originals[each.program] = original
        report = Report([each.name for each in subjects], options.markdown)
        runner = Runner(build, SMOKE if options.smoke else FULL)
        return measure(runner, rows, subjects, originals, report, folder, options.true_paths)


if __name__ == "__main__":
    sys.exit(main())
