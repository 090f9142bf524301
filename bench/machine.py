"""Machines to measure on: simulated trees, and real processes that are idle or hold a device."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, replace

import true_paths

LISTS_HOLDERS, LISTS_NONE = "2.10.1", "2.4.1"  # versions of the driver


@dataclass(frozen=True)
class Machine:
    devices: int
    driver: str = LISTS_HOLDERS
    workloads: bool = True  # three simulated processes that hold devices and report memory
    live: bool = False  # readings change ten times a second
    beating: bool = False  # only heartbeats change, twice a second
    holders: int = 0  # real processes that hold devices
    others: int = 0  # real processes that hold none

    def limited(self, processes):
        """The same machine with at most this number of processes of each kind."""
        return replace(self, holders=min(self.holders, processes), others=min(self.others, processes))

    def simulator_options(self):
        options = ["--driver", self.driver, "-b", f"{self.devices}xp150a", "--seed", "1"]
        if not self.live:
            options += ["--static"]
        if not self.workloads:
            return options + ["--no-workloads"]
        last = self.devices - 1
        for devices in ("0", f"0+{last}" if last else "0", str(last)):
            options += ["-w", f"dev={devices},dram=1G,l1=1M,name=python3"]
        return options

    @contextlib.contextmanager
    def running(self, build, folder, at_true_paths=False):
        """Starts the machine and its processes. Yields the root of its files: a tree, or "/" at the true paths."""
        place = tempfile.mkdtemp(prefix="machine", dir=folder)
        root = place + "/tree"
        with contextlib.ExitStack() as stack:
            stack.callback(shutil.rmtree, place, ignore_errors=True)
            stack.enter_context(simulator(build, self, root))
            if at_true_paths:
                stack.enter_context(true_paths.shown(root, place))
                root = "/"
            else:
                stack.enter_context(marked_for_older_builds(root))
            if self.holders:
                stack.enter_context(holders(build, root, self.holders))
            if self.others:
                show_processes(root, stack.enter_context(crowd(build, self.others)))
            if self.beating:
                stack.enter_context(heartbeats(root))
            yield root


@contextlib.contextmanager
def simulator(build, machine, tree):
    process = subprocess.Popen([build / "tt_smi-sim", *machine.simulator_options(), tree])
    try:
        if not machine.live and process.wait():
            raise RuntimeError("tt_smi-sim failed")
        while machine.live and not os.path.exists(os.path.join(tree, "simulated")):
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def crowd(build, count, *files):
    """Starts idle processes (crowd.c) and yields their pids. The files are distributed to them round-robin."""
    command = [build / "bench" / "crowd", str(count), *files]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        pids = [int(line) for line in (process.stdout.readline() for _ in range(count)) if line]
        try:
            if len(pids) < count:
                raise RuntimeError(f"cannot start {count} processes")
            yield pids
        finally:
            process.stdin.close()
            process.wait()


def show_processes(root, pids):
    """Links real processes into the /proc of a tree."""
    for pid in pids if root != "/" else ():
        os.symlink(f"/proc/{pid}", os.path.join(root, "proc", str(pid)))


def list_holders(root, pids, devices):
    """Writes the driver's lists of holders: each process on the device that crowd() has given it."""
    for i, device in enumerate(devices):
        path = pathlib.Path(root, "proc/driver/tenstorrent", device, "pids")
        if path.exists():
            path.chmod(0o644)
            path.write_text("".join(f"{pid}\n" for pid in pids[i::len(devices)]))


@contextlib.contextmanager
def holders(build, root, count):
    nodes = os.path.join(root, "dev/tenstorrent")
    devices = sorted(filter(str.isdigit, os.listdir(nodes)), key=int)
    with crowd(build, count, *(os.path.join(nodes, device) for device in devices)) as pids:
        show_processes(root, pids)
        list_holders(root, pids, devices)
        yield


@contextlib.contextmanager
def marked_for_older_builds(tree):
    """Makes the old marker file: without it, older builds follow no links out of a tree."""
    marker = pathlib.Path(tree, "ttsim")
    marker.touch()
    try:
        yield
    finally:
        marker.unlink()


@contextlib.contextmanager
def heartbeats(root):
    """Advances the heartbeats twice a second, on a machine where nothing else changes."""
    hearts = list(pathlib.Path(root, "sys", "devices").rglob("tt_heartbeat"))
    end = threading.Event()

    def beat():
        count = 0
        while not end.wait(0.5):
            count += 1
            for heart in hearts:
                heart.write_text(f"{count}\n")

    for heart in hearts:
        heart.chmod(0o644)
    thread = threading.Thread(target=beat)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()
