"""With tt_allocd --trace, every user sees the memory of a program that does not report it: from the server, from the
pinned file, and in tt_smi."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time

import staged
from metal import Program, Skip, library, run_tests
from schedule import Player
from staged import BUILD, HOLD, NODES, PINS, TRACER

staged.enter()

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
# A mount namespace without the pinned files, as in a container that has only the socket.
CONTAINER = ["unshare", "-m", "sh", "-c", f'umount -l {PINS} && exec "$0" "$@"']
# A copy that every user may execute, since the build directory may be closed to others.
TT_SMI = "/run/tt_smi"


class Server:
    """with Server(): tt_allocd --trace."""

    def __init__(self, *options):
        self.options = options

    def __enter__(self):
        subprocess.run(["cp", BUILD + "/tt_smi", TT_SMI], check=True)
        self.log = open("/run/log", "w+", encoding="utf-8")
        self.process = subprocess.Popen([BUILD + "/tt_allocd", "--trace", *self.options, "--legacy-socket", "none"], stderr=self.log)
        eventually(lambda: os.path.exists(PINS + "/allocations") or "status 3" in self.said(), "pinned files")
        if "status 3" in self.said():
            self.__exit__()
            assert not staged.kernel_can(), self.said()
            raise Skip(self.said().splitlines()[0])
        return self

    def said(self):
        with open("/run/log", encoding="utf-8") as file:
            return file.read()

    def child(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="utf-8") as file:
            return list(map(int, file.read().split()))

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(60) == 0
        self.log.close()
        subprocess.run([TRACER, "stop"], check=False, stdout=subprocess.DEVNULL)


def eventually(condition, what):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "waited in vain for " + what
        time.sleep(0.05)


def shown(pid, before=(), options=("--json",)):
    """{node: (dram, l1, trace, l1_small, allocations, exact, tracking)} of one process."""
    document = json.loads(subprocess.check_output([*before, TT_SMI, *options], text=True, timeout=60))
    keys = ("dram", "l1", "trace", "l1_small", "allocations", "exact", "tracking")
    if options[0] == "mem":
        return {d["id"]: tuple(p[k] for k in keys) for d in document["devices"] for p in d["processes"]
                if p["pid"] == pid}
    return {d["id"]: tuple(d[k] for k in keys) for p in document["processes"] if p["pid"] == pid
            for d in p["devices"]}


def wanted(program):
    """What should be shown, by the totals that the program prints."""
    found = {}
    own = program.totals()
    for chip, path in NODES.items():
        have = own.get(chip, {})
        found[int(path.rpartition("/")[2])] = (
            have.get("dram", 0) + have.get("trace", 0), have.get("l1", 0) + have.get("l1_small", 0),
            have.get("trace", 0), have.get("l1_small", 0), have.get("buffers", 0), True, "traced")
    return found


def agree(program):
    """Waits until every output has the program's own totals."""
    want = wanted(program)
    ways = {"root": (), "nobody": NOBODY, "container": CONTAINER, "no server": ["env", "TT_ALLOCD_SOCKET=/none"]}
    for way, before in ways.items():
        eventually(lambda before=before: shown(program.pid, before) == want, f"{way}: {want}")
    eventually(lambda: shown(program.pid, NOBODY, ("mem", "--json", "-n", "1")) == want, f"mem: {want}")


def dumped(pid):
    """The lines of tt_smi mem --dump about a process."""
    text = subprocess.check_output([TT_SMI, "mem", "--dump"], text=True, timeout=60)
    return re.findall(rf"^  pid {pid} .*: (\d+) bytes in .*\((.*)\)$", text, re.M)


def play(directory, chip):
    """A program that keeps a chip busy."""
    truth = f"{directory}/{chip}"
    open(truth, "w", encoding="ascii").close()
    return Player("v76", truth, f"hold {NODES[chip]}", f"open {chip}", f"queues {chip} poll=2000",
                  f"background play {chip} for=3600 rate=200 duty=60")


def utilization(pid, member):
    document = json.loads(subprocess.check_output([*NOBODY, TT_SMI, "--json"], text=True, timeout=60))
    return [d["utilization"][member] for p in document["processes"] if p["pid"] == pid for d in p["devices"]]


def test_every_user_sees_utilisation(directory):
    """The figure is exact if launches are counted and the library was attached before the process started. Names of
    operations are shown to the owner of the process only."""
    for options, bound in (("--programs",), "exact"), ((), "lower"):
        with Server(*options), play(directory, 1) as first:
            eventually(lambda: utilization(first.pid, "bound") == ["lower"], "a lower bound")
            with play(directory, 0) as second:
                eventually(lambda: utilization(second.pid, "bound") == [bound], bound)
                assert utilization(second.pid, "operation") == [None]


def test_every_user_sees_what_a_program_holds(_):
    with Server() as server:
        staged.tracer("start", library("v77"))
        time.sleep(2 * staged.TICK)  # so that it starts after the attach
        program = Program("v77")
        program.do(*HOLD, "open 0 1", "alloc first 0 dram 4K", "alloc second 1 l1_small 2K")
        agree(program)
        program.do("random 1 500 2")
        agree(program)
        # The tracer is killed: the kernel keeps counting, and the next tracer takes over.
        before = server.child()
        os.kill(before[0], signal.SIGKILL)
        program.do("random 2 500 2", "alloc kept 1 dram 1M")
        agree(program)
        eventually(lambda: server.child() and server.child() != before, "another tracer")
        program.do("random 3 500")
        agree(program)
        server.process.send_signal(signal.SIGHUP)
        eventually(lambda: server.said().count("listening on") == 2, "the server after SIGHUP")
        again = server.child()
        program.do("alloc more 0 l1 64K")
        agree(program)
        assert again == server.child()
        time.sleep(1.5)  # the server samples the last figures by itself, once a second
        end = wanted(program)
        program.process.kill()
        program.process.wait()
        eventually(lambda: not shown(program.pid), "its row to go")
        rows = list(csv.reader(subprocess.check_output(
            [*NOBODY, TT_SMI, "--query-accounted-apps=pid,index,max_memory_usage", "--format=csv,noheader,nounits"],
            text=True).splitlines(), skipinitialspace=True))
        have = {int(node): int(peak) for pid, node, peak in rows if int(pid) == program.pid and peak != "[N/A]"}
        assert set(have) == set(end), rows
        assert all(have[node] >= (end[node][0] - end[node][2]) >> 20 for node in end), (have, end)


def test_what_two_tell_of_one_process_is_not_added(_):
    with Server():
        program = Program("v66", before=[BUILD + "/tt_smi", "run"])
        program.do(*HOLD, "alloc first 0 dram 4K")
        eventually(lambda: program.pid in staged.allocations(), "the probes")
        program.do("alloc second 0 dram 8K", "alloc third 1 l1 2K")
        time.sleep(1.5)  # the server samples traced processes once a second
        assert dumped(program.pid) == [("12288", "preload"), ("2048", "preload")], dumped(program.pid)
        program.end()


run_tests(sys.modules[__name__])
