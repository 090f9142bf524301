"""Runs a test on a machine with two cards, in a mount namespace of its own, where all sources of memory figures work.

The cards have numbers 8 and 9, or those of STAGE_DEVICES, and are TT-Metal's chips 0 and 1 for a process that has
both open. See tests/cli/stage.sh for how they are made. With these boards and this
seed their ids are in the order of their PCI addresses, by every rule: releases that number chips by
id give them the same numbers. The double is a copy: probes on it are not hit by programs of tests
that run beside this one.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from metal import HERE, LIBRARIES, METAL, STATIC, Skip, library, totals, without

BUILD = os.environ["BUILD"]
TRACER = BUILD + "/tt_smi-trace"
TT_SMI = BUILD + "/tt_smi"
PINS = "/run/tt-smi/bpf"
NUMBERS = tuple(map(int, os.environ.get("STAGE_DEVICES", "8 9").split()))
NODES = {chip: f"/dev/tenstorrent/{number}" for chip, number in enumerate(NUMBERS)}
HOLD = [f"hold {path}" for path in NODES.values()]
FORBIDDEN = (3, 4)  # exit codes: the kernel does not support tracing, or forbids it even to root
SUPPORTED = LIBRARIES + STATIC
SEED = int(os.environ.get("SEED", "20"))
STEPS = 5000 if os.environ.get("FULL") else 600
TICK = 1 / os.sysconf("SC_CLK_TCK")

# The steps of a process; all sources are compared after each of them.
LIFE = [["mesh m 0 1", "open 0 1", "random {0} {1} 3"],
        ["random {0} {1}", "complain", "alloc big 0 dram 64G", "thread alloc far 1 l1 4097"],
        ["mesh n 1 0", "random {0} {1} 2", "thread free far"],
        ["close m"], ["random {0} {1} 2"], ["mesh m 1", "random {0} {1}"],
        ["bulk 0"], ["close n", "close 1", "open 1", "random {0} {1} 2"], ["close 0", "close m", "close 1"]]


def enter(driver="2.4.0"):
    """Executes this script again in the namespace, and returns in there."""
    if os.environ.get("STAGED"):
        return
    reason = None
    if os.geteuid():
        reason = "only root can trace"
    elif not os.path.exists(TRACER):
        reason = "built without tracing"
    elif subprocess.call(["unshare", "-m", "true"], stderr=subprocess.DEVNULL):
        reason = "no private mounts here"
    if reason:
        print(f"1..0 # SKIP {reason}")
        sys.exit(0)
    with tempfile.TemporaryDirectory(prefix="tt-stage-", dir="/tmp/" + os.environ.get("TT_TEST_RUN", "")) as directory:
        copy, stage = directory + "/metal", directory + "/stage"
        shutil.copytree(METAL, copy, ignore=shutil.ignore_patterns("CMakeFiles"))
        os.mkdir(stage)
        sys.exit(subprocess.call(
            ["unshare", "-m", "--propagation", "private", HERE + "/../cli/stage.sh", stage,
             BUILD + "/tt_smi-sim", "--driver", driver, "--no-workloads", "--seed", "2",
             "-b", f"{NUMBERS[0]}x-,p150a,{'-,' * (NUMBERS[1] - NUMBERS[0] - 1)}p150a", "--", "env", "STAGED=1", "METAL=" + copy, sys.executable, *sys.argv],
            env={**os.environ, "STAGE_DEVICES": " ".join(map(str, NUMBERS))}))


def kernel_can():
    """Does the kernel support tracing? Not tested with our own programs: if the kernel rejects those, the test must fail."""
    release = tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])
    return (release >= (6, 1) and os.path.exists("/sys/kernel/btf/vmlinux")
            and subprocess.call(["/usr/sbin/bpftool", "prog", "list"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) == 0)


def tracer(*arguments, check=True):
    done = subprocess.run([TRACER, *arguments], capture_output=True, text=True, timeout=60)
    if done.returncode in FORBIDDEN:
        assert not kernel_can(), done
        raise Skip(done.stderr.strip())
    assert not check or done.returncode == 0, (arguments, done)
    return done


class Tracing:
    """with Tracing(FILE...): attaches the probes, and removes them at the end."""

    def __init__(self, *files):
        self.files = files

    def __enter__(self):
        tracer("start", *self.files)
        # A process that starts in the clock tick of the attach may count as started before it.
        time.sleep(2 * TICK)
        return self

    def __exit__(self, *_):
        tracer("stop")


def allocations():
    """The pinned file `allocations`: {pid: (state, {chip: {pool or "buffers": number}})}."""
    with open(PINS + "/allocations", encoding="utf-8") as file:
        lines = file.read().splitlines()
    columns = ["pid", "comm", "dram", "l1", "l1_small", "trace", "buffers", "system", "chip", "start", "state"]
    assert lines[0].split() == ["PID", "Comm", "DRAM", "L1", "L1_SMALL", "TRACE", "BUFFERS", "SYSTEM", "CHIP",
                                "START", "STATE"], lines[0]
    found = {}
    for line in lines[2:]:
        if not line:
            break
        row = dict(zip(columns, line.split()))
        state, chips = found.get(int(row["pid"]), ("exact", {}))
        found[int(row["pid"])] = (max(state, row["state"]), chips)  # the worst state is the last one alphabetically
        if row["chip"] != "-":
            chips[int(row["chip"])] = {name: int(row[name]) for name in columns[2:8]}
    assert lines[-1].split()[0] == "TOTAL", lines[-1]
    return found


def snapshot():
    return json.loads(subprocess.check_output([TT_SMI, "--json"], text=True, timeout=60))


def shown(pid):
    """{number of the node: device} of a process, as tt_smi --json shows it."""
    for process in snapshot()["processes"]:
        if process["pid"] == pid:
            return {device["id"]: device for device in process["devices"]}
    return {}


def shown_on_both(pid):
    """The same, repeated until both devices are shown: on a busy machine a scan of all processes may time out."""
    for _ in range(100):
        devices = shown(pid)
        if len(devices) == len(NODES):
            return devices
    raise AssertionError(f"process {pid} is not shown with both devices: {devices}")


def shown_totals(pid, tracking):
    """The same as totals by chip. Asserts that all figures are known, and come from this source."""
    devices, found = shown_on_both(pid), {}
    for chip, path in NODES.items():
        device = devices[int(path.rpartition("/")[2])]
        assert device["tracking"] == tracking, device
        # tt_smi shows DRAM including TRACE, and L1 including L1_SMALL.
        found[chip] = {"dram": device["dram"] - device["trace"], "l1": device["l1"] - device["l1_small"],
                       "l1_small": device["l1_small"], "trace": device["trace"]}
    return found


def expect(have, want, *where):
    assert have == want, (*where, have, want)


def traced_file(variant):
    return f"{METAL}/{variant}/metal_run" if variant.startswith("static") else library(variant)


def traced(pid, state="exact"):
    """The totals that the probes have counted. Asserts that the process has this state."""
    have, chips = allocations()[pid]
    expect(have, state, chips)
    return without(chips)


def wait_for_stop(pid):
    for _ in range(6000):
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            if file.read().rpartition(")")[2].split()[0] == "T":
                return
        time.sleep(0.01)
    raise AssertionError("it does not stop")


def child_of(program, *commands):
    """The pid and the totals of a child that has executed these commands and is stopped."""
    said = program.do("fork", *commands, "total", "kill 19", "end")
    child = int(re.search(r"^child (\d+)$", said, re.M).group(1))  # the child's own output may come first
    wait_for_stop(child)
    return child, totals(said + program.do("say still here"))[child]


def live(program, check, seed=SEED, life=LIFE):
    """Executes the steps of a program, and calls check(step, its totals) after each."""
    for number, step in enumerate(life):
        program.do(*[command.format(seed + number, STEPS) for command in step])
        check(step, program.totals())


def follow(program, *where, seed=SEED, state="exact"):
    """The same, and asserts that the probes agree."""
    live(program, lambda step, own: expect(traced(program.pid, state), without(own), *where, step), seed)
