"""Counts what the tracer does per round of samples and per launched program. bench/programs.py measures the time."""

import contextlib
import ctypes
import glob
import os
import re
import shutil
import sys

import staged
from metal import Skip, run_tests
from sampling import Case, Sampling, begun, busy, follow, state
from watcher import eventually

staged.enter()

PLAY = "background play 0 for=3600 duty=40 rate="
READS = 6   # of a ring: its state, its socket, the counter, the records in two parts if they wrap, the counter again
LOOKUPS = 16  # of BPF maps, for one process on one chip
BPF, BPF_ENABLE_STATS, BPF_STATS_RUN_TIME = 321, 32, 0  # system call of x86-64
OPERATIONS = 400


class Calls:
    """The system calls of a tracer, by strace. Each round begins with a wait; rounds with a scan take a lock."""

    def __init__(self, directory):
        if not shutil.which("strace"):
            raise Skip("no strace")
        self.path = directory + "/calls"
        self.before = ["strace", "-D", "-f", "--seccomp-bpf", "-qq", "-o", self.path, "-e",
                       "trace=process_vm_readv,rt_sigtimedwait,bpf,fcntl"]

    def rounds(self):
        """The calls of each complete round: lists of (name, rest of the line)."""
        with open(self.path, encoding="ascii", errors="replace") as file:
            text = file.read()
        parts = re.split(r"^\d+ +rt_sigtimedwait\(.*\n", text, flags=re.M)[1:-1]
        return [re.findall(r"^\d+ +(\w+)\((.*)", part, re.M) for part in parts]


def is_scan(calls):
    return any(name == "fcntl" and "F_WRLCK" in rest for name, rest in calls)


def number(rounds, name):
    return sum(call == name for calls in rounds for call, _ in calls)


def test_without_a_ring_nothing_is_sampled(directory):
    """A process that holds a device and has no profiler is read in each scan, and not between scans."""
    calls = Calls(directory)
    case = Case("no profiler", "v60", (PLAY + "100", state("no-profiler")), chip="-")
    with Sampling(["v60"], before=calls.before), begun([case], directory):
        follow([case])
        since = len(calls.rounds())
        eventually(lambda: len(calls.rounds()) >= since + 4)
        rounds = calls.rounds()[since:]
    assert all(map(is_scan, rounds)), rounds
    assert number(rounds, "process_vm_readv") == 0, rounds


def test_the_calls_of_a_round_do_not_depend_on_the_rate(directory):
    for rate in (50, 20000):
        calls = Calls(directory)
        case = Case(f"{rate} programs/s", "v76", (f"{PLAY}{rate} event=5000", busy("lower")))
        with Sampling(["v76"], before=calls.before), begun([case], directory):
            follow([case])
            since = len(calls.rounds())
            eventually(lambda: sum(not is_scan(one) for one in calls.rounds()[since:]) >= 8)
            rounds = calls.rounds()[since:]
        sampled = [one for one in rounds if not is_scan(one)]
        assert 0 < number(rounds, "process_vm_readv") <= READS * (len(rounds) + 1), rounds
        assert number(sampled, "bpf") <= LOOKUPS * len(sampled), sampled


@contextlib.contextmanager
def hits_counted():
    """A descriptor: as long as it is open, the kernel counts how often BPF programs run."""
    kind = ctypes.c_uint32(BPF_STATS_RUN_TIME)
    fd = ctypes.CDLL(None, use_errno=True).syscall(BPF, BPF_ENABLE_STATS, ctypes.byref(kind), ctypes.sizeof(kind))
    if fd < 0:
        raise Skip(f"BPF_ENABLE_STATS: {os.strerror(ctypes.get_errno())}")
    try:
        yield
    finally:
        os.close(fd)


def hits(pid):
    """How often the BPF programs of a tracer ran."""
    found = {}
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        with contextlib.suppress(FileNotFoundError), open(path, encoding="ascii") as file:
            info = dict(re.findall(r"^(\w+):\s*(\S+)$", file.read(), re.M))
            if "run_cnt" in info:
                found[info["prog_id"]] = int(info["run_cnt"])
    assert found, "no BPF programs"
    return sum(found.values())


def check_hits(options, per_operation, directory):
    single = Case("one chip", "v76", setup=("open 0", "queues 0"))
    mesh = Case("two chips", "v76", setup=("mesh m 0 1", "queues m"), nodes=(0, 1))
    with hits_counted(), Sampling(["v76"], *options) as sampling, begun([single, mesh], directory):
        for case, place in (single, "0"), (mesh, "m"):
            def costs(case=case, place=place):
                before = hits(sampling.process.pid)
                case.player.do(f"play {place} count={OPERATIONS} rate=4000 duty=10 event={OPERATIONS}")
                count = hits(sampling.process.pid) - before
                assert count >= per_operation * OPERATIONS, count
                return count <= per_operation * OPERATIONS + 40
            eventually(costs)  # until the ring is found, there is one more probe


def test_an_operation_hits_as_often_on_any_mesh(directory):
    """An operation hits no probe unless launches or names are followed. Only events, for which the host waits, are per chip."""
    for options in (), ("--programs",), ("--names",), ("--programs", "--names"):
        check_hits(options, len(options), directory)


run_tests(sys.modules[__name__])
