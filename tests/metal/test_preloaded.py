"""Compute utilisation of programs under `tt_smi run`, without the tracer: what tt_smi shows is compared with the truth."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

import staged
from metal import DISPATCHING, METAL, PROFILING, Program, run_tests
from schedule import Player, Truth
from specials import schedules, tell
from staged import BUILD, NODES, TT_SMI, snapshot

staged.enter()

RUN = [TT_SMI, "run", "--"]
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
SECOND = 10**9


def eventually(condition):
    for _ in range(6000):
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(f"in vain: {condition}")


def start(variant, truth, *commands, chips=(0,), before=RUN, **options):
    holds = [f"hold {NODES[chip]}" for chip in chips]
    return Player(variant, truth, *holds, *commands, before=before, **options)


class Look:
    """The figure of a process on a device as shown, and the times before and after it was requested."""

    def __init__(self, pid, chip=0, shown=snapshot):
        self.since = time.monotonic_ns()
        self.whole = shown()
        self.until = time.monotonic_ns()
        self.node = int(NODES[chip].rpartition("/")[2])
        self.device = next((device for process in self.whole["processes"] if process["pid"] == pid
                            for device in process["devices"] if device["id"] == self.node), None)
        self.figure = self.device["utilization"] if self.device else {}
        self.share, self.bound = self.figure.get("dispatch"), self.figure.get("bound")

    def reason(self):
        return self.device["unavailable"]["utilization.dispatch"]

    def true_shares(self, truth, chip=0):
        """The least and the largest share in the truth, over all windows of a second to which the figure may refer.
        One of them ends with the last program that is known to have ended."""
        last = int((self.figure["last_program"] or 0) * SECOND)
        ends = range(self.since - last - 5 * 10**6, self.until + 10**6, 2 * 10**6)
        told = Truth(truth)
        shares = [told.share(end - SECOND, end, chip=chip) for end in ends]
        return min(shares), max(shares)


def is_exact(look):
    return look.bound == "exact" and look.figure["programs"] > 0


def first(player, condition, chip=0):
    """Looks until the condition is fulfilled, and returns that look."""
    return eventually(lambda: (lambda look: look if condition(look) else None)(Look(player.pid, chip)))


def watch(player, play, condition, truth, chips=(0,)):
    """Plays, and for each chip looks until the condition is fulfilled: [(look, least and largest true share)]."""
    player.do(f"background play {play}")
    time.sleep(1.2)  # then the window has its full length of a second
    looks = [first(player, condition, chip) for chip in chips]
    eventually(lambda: Truth(truth).span()[1] > max(look.until for look in looks))  # the file is written with a delay
    return [(look, *look.true_shares(truth, chip)) for look, chip in zip(looks, chips)]


def test_exact_figures_in_every_release_with_a_profiler(directory):
    for variant in PROFILING:
        truth = f"{directory}/{variant}"
        with start(variant, truth, "open 0", "queues 0 clock=1.2") as player:
            (look, least, most), = watch(player, "0 rate=1000 duty=60 for=100 name=matmul", is_exact, truth)
            assert least - 0.012 <= look.share <= most + 0.012, (variant, look.figure, least, most)
            assert look.figure["operation"] == "matmul", look.figure
            shown = next(device for device in look.whole["devices"] if device["id"] == look.node)["utilization"]
            assert shown["dispatch"] == look.share and shown["bound"] == "exact", shown


def test_rates_duties_and_ways_to_load(directory):
    for number, (rate, duty, host) in enumerate([(20, 100, "run"), (50000, 40, "run"), (500, 25, "load"),
                                                 (500, 25, "python")]):
        truth = f"{directory}/{number}"
        with start("v77", truth, "open 0", "queues 0", host=host) as player:
            (look, least, most), = watch(player, f"0 rate={rate} duty={duty} for=100", is_exact, truth)
            assert least - 0.012 <= look.share <= most + 0.012, (rate, duty, host, look.figure, least, most)


def test_what_is_not_complete_is_a_bound(directory):
    for number, options in enumerate(["lose=50", "ids=none", "trace=5", "queue=1"]):
        truth = f"{directory}/{number}"
        with start("v76", truth, "open 0", "queues 0 queues=2") as player:
            (look, least, most), = watch(player, f"0 rate=500 duty=50 for=100 {options}",
                                        lambda look: (look.share or 0) > 0, truth)
            assert look.bound in ("lower", "upper"), (options, look.figure)
            if look.bound == "lower":
                assert look.share <= most + 0.012, (options, look.figure, most)
            else:
                assert look.share >= least - 0.012, (options, look.figure, least)


def check_special(title, special, player, truth):
    if not special.preload:
        first(player, lambda look: look.device and look.share is None and look.reason() == "no_clock")
        return
    look = first(player, lambda look: (look.share or 0) > 0 and look.bound in special.preload)
    eventually(lambda: Truth(truth).span()[1] > look.until)
    least, most = look.true_shares(truth)
    assert look.bound == "lower" or look.share >= least - 0.012, (title, look.figure, least, most)
    assert look.bound == "upper" or look.share <= most + 0.012, (title, look.figure, least, most)


def test_unusual_schedules_in_each_release(directory):
    """The schedules of a release are played at the same time."""
    for variant in DISPATCHING:
        with contextlib.ExitStack() as stack:
            played = []
            for title, _, special in schedules(variant):
                truth = f"{directory}/{title.replace(' ', '-')}"
                player = stack.enter_context(start(variant, truth, "open 0", f"queues 0 {special.queues}"))
                player.do(f"background play 0 for=300 {special.play}")
                played.append((title, special, player, truth))
            time.sleep(1.2)  # then the windows have their full length of a second
            for _, special, player, _ in played:
                player.do(*[special.then] if special.then else [])
            for one in played:
                check_special(*one)


def test_releases_without_a_profiler_have_upper_bounds(directory):
    for variant in [one for one in DISPATCHING if one not in PROFILING]:
        options = "event=3" if variant == "v65" else "sync"
        truth = f"{directory}/{variant}"
        with start(variant, truth, "open 0", "queues 0") as player:
            (look, least, _), = watch(player, f"0 rate=200 duty=40 for=100 {options}",
                                      lambda look: look.bound == "upper", truth)
            assert look.share >= least - 0.012, (variant, options, look.figure, least)


def test_a_program_that_does_not_end_is_running(directory):
    with start("v76", directory + "/truth", "open 0", "queues 0") as player:
        player.do("play 0 count=5", "background play 0 busy=100000 count=1")
        look = first(player, lambda look: (look.figure.get("running") or 0) > 1)
        assert look.figure["running"] < 100, look.figure


def test_clocks_that_change_lead_to_true_bounds(directory):
    """Also while the change has not been noticed, no figure is untrue."""
    for rate in 0.7, 1.4:
        truth = f"{directory}/{rate}"
        with start("v76", truth, "open 0", "queues 0") as player:
            player.do("background play 0 rate=1000 duty=50 for=300")
            time.sleep(1.2)
            first(player, is_exact)
            player.do(f"clock 0 0 {rate}")

            def is_right():
                look = Look(player.pid)
                if look.share is None:
                    return False
                eventually(lambda: Truth(truth).span()[1] > look.until)  # the file is written with a delay
                least, most = look.true_shares(truth)
                assert look.share <= most + 0.012, (rate, look.figure, least, most)
                assert look.bound == "lower" or look.share >= least - 0.012, (rate, look.figure, least, most)
                return look.bound == "lower" and look.share >= least - 0.1

            eventually(is_right)


def test_a_program_that_has_launched_nothing_is_idle(directory):
    """In releases with a profiler. A chip that the profiler does not cover has no figure."""
    uncovered = ("not_covered", "no_iommu")  # the reason depends on the machine
    for variant in PROFILING:
        with start(variant, f"{directory}/{variant}", "mesh m 0 1", "queues m ethernet=1", chips=(0, 1)) as player:
            look = first(player, lambda look: look.device and look.share is not None)
            assert (look.share, look.bound, look.figure["running"]) == (0, "exact", None), (variant, look.figure)
            assert Look(player.pid, 1).reason() in uncovered, variant
            player.do("close m", "open 0")
            first(player, lambda look: look.device and look.share is None and look.reason() in uncovered)
            player.do("queues 0 slow", "play 0 count=1")
            first(player, lambda look: look.device and look.share is None and look.reason() == "slow_dispatch")


def test_chips_of_a_mesh_have_figures_of_their_own(directory):
    for variant in "v75", "v76":
        truth = f"{directory}/{variant}"
        with start(variant, truth, "mesh m 0 1", "queues m", chips=(0, 1)) as player:
            for look, least, most in watch(player, "m rate=1000 duty=30 for=100", is_exact, truth, chips=(0, 1)):
                assert least - 0.012 <= look.share <= most + 0.012, (variant, look.figure, least, most)
    # One of them has no profiler.
    with start("v76", directory + "/truth", "mesh m 0 1", "queues m ethernet=1", chips=(0, 1)) as player:
        player.do("background play m rate=100 duty=30 for=30")
        first(player, is_exact)
        first(player, lambda look: look.bound == "upper", chip=1)


class SharedLook:
    """The figures of a chip and of the processes that share it."""

    def __init__(self, players):
        look = Look(players[0].pid)
        self.since, self.until = look.since, look.until
        self.device = next(device for device in look.whole["devices"] if device["id"] == look.node)["utilization"]
        found = {process["pid"]: device["utilization"] for process in look.whole["processes"]
                 for device in process["devices"] if device["id"] == look.node}
        self.parts = [found[player.pid] for player in players]

    def are_exact(self):
        return all(part["bound"] == "exact" and part["programs"] > 0 for part in self.parts)

    def true_shares(self, truth):
        """The least and the largest share in the truth, over all windows that the processes may have in common: each
        has a window of a second that ends with its last program or later."""
        first = self.since - int(max(part["last_program"] for part in self.parts) * SECOND) - 5 * 10**6
        step = max(4 * 10**6, (self.until - first) // 100)
        ends = range(first, self.until + step, step)
        told = Truth(truth)
        shares = [told.share(last - SECOND, end) for end in ends for last in ends if end <= last < end + SECOND]
        return min(shares), max(shares)


def first_shared(players, condition):
    return eventually(lambda: (lambda look: look if condition(look) else None)(SharedLook(players)))


def watch_shared(players, truth, bound):
    time.sleep(1.2)  # then the windows have their full length of a second
    look = first_shared(players, lambda look: look.are_exact() and look.device["bound"] == bound)
    eventually(lambda: all(Truth(truth).span(pid=player.pid)[1] > look.until for player in players))
    return look, *look.true_shares(truth)


def test_processes_on_one_chip_have_the_union_of_their_times(directory):
    """Exact if programs are longer than the steps of the table, else a lower bound that is no less than each share."""
    for number, (rates, bound) in enumerate([((20, 27), "exact"), ((1000, 1300), "lower")]):
        truth = f"{directory}/{number}"
        with start("v76", truth, "open 0", "queues 0") as one, start("v77", truth, "open 0", "queues 0") as other:
            for player, rate, duty in zip((one, other), rates, (40, 30)):
                player.do(f"background play 0 rate={rate} duty={duty} for=100")
            look, least, most = watch_shared((one, other), truth, bound)
            share = look.device["dispatch"]
            assert share <= most + 0.012, (rates, look.device, least, most)
            least = least if bound == "exact" else max(part["dispatch"] for part in look.parts)
            assert share >= least - 0.012, (rates, look.device, look.parts, least, most)
            # A process that is not measured may run programs at other times.
            with start("v76", f"{truth}-plain", "open 0", before=()):
                assert SharedLook((one, other)).device["bound"] == "lower"


def test_a_process_that_is_idle_leaves_the_figure_of_its_chip_exact(directory):
    truth = directory + "/truth"
    with start("v76", truth, "open 0", "queues 0") as busy, start("v76", truth, "open 0", "queues 0") as idle:
        idle.do("play 0 count=5")
        busy.do("background play 0 rate=1000 duty=60 for=100")
        first_shared((busy, idle), lambda look: look.device["bound"] == look.parts[0]["bound"] == "exact"
                     and look.parts[1]["dispatch"] == 0 and look.parts[0]["dispatch"] > 0.1
                     and abs(look.device["dispatch"] - look.parts[0]["dispatch"]) <= 0.012)


def test_without_a_launch_there_is_a_reason(directory):
    """Before v0.71 no call of TT-Metal reports the profiler of a chip. A program that is linked with TT-Metal is followed
    from its start, one that loads it later from its first buffer."""
    for variant, host, command in (("v60", "run", "queues 0"), ("v65", "run", "queues 0"),
                                   ("v60", "load", "alloc a 0 dram 1M")):
        with start(variant, f"{directory}/{variant}-{host}", "open 0", host=host) as player:
            if host == "load":
                first(player, lambda look: look.device and look.share is None and look.reason() == "not_traced")
            player.do(command)
            first(player, lambda look: look.device and look.share is None and look.reason() == "no_records")
            player.do(*[] if "queues" in command else ["queues 0"], "background play 0 rate=100 duty=50 for=300")
            assert first(player, lambda look: look.bound).bound == "upper"


def test_what_is_not_understood_is_refused(directory):
    play = "background play 0 rate=100 duty=50 for=30"
    with start("v76", directory + "/page", "open 0", "queues 0 page=128") as player:
        player.do(play)
        assert first(player, lambda look: look.bound).bound == "upper"
    for options, reason in ("slow", "slow_dispatch"), ("anchor=none", "no_clock"):
        with start("v76", f"{directory}/{reason}", "open 0", f"queues 0 {options}") as player:
            player.do(play)
            first(player, lambda look: look.device and look.share is None and look.reason() == reason)
            said = subprocess.run([TT_SMI, "doctor"], capture_output=True, text=True, timeout=60).stdout
            assert re.search(rf"{player.pid} metal_run.*unknown:.*{reason.split('_')[-1]}", said), said
    with start("v76", directory + "/garbage", "open 0", "queues 0") as player:
        player.do("play 0 count=100", "garbage 0 0 2000", "play 0 count=100", "total")
        assert first(player, lambda look: look.device).bound != "exact"


def test_children_have_figures_of_their_own(directory):
    """Children by fork(), of which one is killed; and a program that executes itself again."""
    truth = directory + "/truth"
    with start("v76", truth, "open 0", "queues 0") as player:
        player.do("play 0 count=50", "fork", "open 0", "queues 0", "play 0 rate=500 duty=50 for=60", "end")
        child = int(subprocess.check_output(["pgrep", "-P", str(player.pid)], text=True))
        eventually(lambda: is_exact(Look(child)))
        first(player, lambda look: look.bound == "exact" and look.share == 0)
        os.kill(child, 9)
        eventually(lambda: not Look(child).device)
        player.do("reap", "exec", f"truth {truth}", f"hold {NODES[0]}", "open 0", "queues 0")
        first(player, lambda look: look.bound == "exact" and look.share == 0)
        player.do("background play 0 rate=500 duty=50 for=60")
        first(player, is_exact)


def test_every_user_can_measure_own_programs(directory):
    """Measuring needs no privileges, and other users cannot read the table."""
    users = [["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"] for user in (65534, 65533)]
    os.chmod(directory, 0o777)
    for name in "tt_smi", "libttalloc-preload.so":  # others may not enter the build directory
        shutil.copy(f"{BUILD}/{name}", directory)
    shutil.copytree(METAL + "/v76", directory + "/v76")
    own = Program.__new__(Program)
    own.process = subprocess.Popen([*users[0], directory + "/tt_smi", "run", "--", directory + "/v76/metal_run"],
                                   text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    own.pid = own.process.pid
    own.do(f"hold {NODES[0]}", "open 0", "queues 0", "background play 0 rate=500 duty=50 for=60 name=secret")

    def shown_to(user):
        return lambda: json.loads(subprocess.check_output([*user, directory + "/tt_smi", "--json"], text=True, timeout=60))

    try:
        look = eventually(lambda: (lambda look: look if is_exact(look) else None)(Look(own.pid, shown=shown_to(users[0]))))
        assert look.figure["operation"] == "secret", look.figure
        look = Look(own.pid, shown=shown_to(users[1]))
        assert not look.device or look.share is None, look.device
    finally:
        own.kill()


FAKE = """
import ctypes, fcntl, mmap, os, random, struct, sys, time
kind, victim, node, name = sys.argv[1:5]
device = os.open(node, os.O_RDONLY)
if name:
    ctypes.CDLL(None).prctl(15, name.encode("latin-1"), 0, 0, 0)
size = 4096 + 64 * (1024 + 3 * 8192)
fd = os.memfd_create("ttalloc-programs", os.MFD_CLOEXEC | 2)
os.truncate(fd, size if kind != "short" else 1 << 18)
area = mmap.mmap(fd, os.fstat(fd).st_size)
pid = int(victim) if kind == "foreign" else os.getpid()
start = 0
header = struct.pack("=QIIIIQQQ", 0x31474f5250415454, 1, 4096, 25600, 64, pid, start, 1)
if kind == "random":
    random.seed(7)
    area[:] = random.randbytes(len(area))
area[:len(header)] = header
if kind != "random":
    area[128:144] = struct.pack("=QQ", 1, (1 << 64) - 1)
    for chip in range(64):
        at = 4096 + chip * 25600
        if at + 400 < len(area):
            # Every word of the stream as large as it can be.
            area[at:at + 8] = struct.pack("=Q", 5)
            area[at + 64:at + 64 + 288] = struct.pack("=36Q", *[(1 << 64) - 1] * 36)
if kind == "foreign":  # all of it plausible
    for copy in range(4):
        area[4160 + 72 * copy:4160 + 72 * copy + 72] = struct.pack("=9Q", 3, 9, 8, 0, *[time.monotonic_ns()] * 2, 0, 0, 0)
if kind != "open":
    fcntl.fcntl(fd, 1033, 0x0001 | 0x0002 | 0x0004 | 0x0010)
print("ready", flush=True)
while True:
    time.sleep(100)
"""


def test_hostile_tables_alter_no_figure_of_others(directory):
    """Tables that claim another process, are garbage, too short or not sealed, of processes with strange names."""
    os.chmod(directory, 0o777)
    with start("v76", directory + "/truth", "open 0", "queues 0") as player:
        player.do("background play 0 rate=500 duty=50 for=120")
        first(player, is_exact)
        names = ["", "a b\tc", "\n0 x 0 0 5", "\x1b[31m", "-", "%s%n"]
        for number, kind in enumerate(["foreign", "random", "short", "open", "huge", "random"]):
            fake = subprocess.Popen([*NOBODY, sys.executable, "-c", FAKE, kind, str(player.pid), NODES[0],
                                     names[number]], stdout=subprocess.PIPE, text=True)
            try:
                assert fake.stdout.readline() == "ready\n"
                first(player, is_exact)
                own = Look(fake.pid)
                assert own.device and own.share is None, (kind, own.device)
                subprocess.run([TT_SMI], check=True, stdout=subprocess.DEVNULL, timeout=60)
            finally:
                fake.kill()
                fake.communicate()


def test_a_measured_program_says_and_does_the_same(_):
    """Its output, the counts of its library, and its exit status are the same as without tt_smi run."""
    for variant in DISPATCHING:
        assert tell(variant) == tell(variant, RUN), variant


run_tests(sys.modules[__name__])
