"""Processes that mislead the tracer's measurement of compute utilisation: only their own figures are affected."""

import contextlib
import sys
import threading

import staged
from metal import run_tests
from sampling import (Case, Sampling, begun, busy, follow, full, keys_in_kernel, kept_by_kernel, lines_of, read_lines,
                      state)
from watcher import eventually

staged.enter()

PLAY = "background play 0 for=3600 rate=200 duty=60"
ENDLESS = 10**12
AS_USER = ("user 65534", f"hold {staged.NODES[0]}")
ENTRIES, USER_ENTRIES = 1024, 256  # of the kernel's map of processes: all, and those of one user
SAMPLED, LINES = 128, 1024         # processes of one user that are sampled, and that have a line
CHIPS = 64                         # of a process; a user has twice as many
MESH = (*AS_USER, "mesh m " + " ".join(map(str, range(CHIPS))), "queues m poll=100000")
RING = 2 << 20


def test_false_queues_leave_room_for_other_processes(directory):
    """Without a queue there would be no upper bound."""
    flood = Case("false queues", "v60")
    with Sampling(["v60"], "--programs"), begun([flood], directory):
        flood.player.do("flood 0 10000")
        others = [Case("beside false queues", "v60", (PLAY + " sync", busy("upper")), ((), busy("upper"))) for _ in range(3)]
        with begun(others, directory):
            follow(others)
        queues = keys_in_kernel("queues")
        assert queues is None or [key["tgid"] for key in queues].count(flood.pid) == 1


def test_one_user_cannot_take_the_entries_of_all_processes(directory):
    """More processes than the kernel's map has entries. They have no device open, and need none to run the hooks."""
    swarm = Case("a swarm", "v60", setup=("open 0", "queues 0"), nodes=())
    other = Case("beside a swarm", "v76", (PLAY + " sync", busy("exact")))
    own = Case("of the same user", "v76", ((), state("too-many")), setup=(*AS_USER, "open 0", "queues 0"), nodes=(), chip="-",
               never=lambda line: line["bound"] == "exact")  # what it launches without an entry is not counted
    with Sampling(["v60", "v76"], "--programs"), begun([swarm], directory):
        swarm.player.do(AS_USER[0], f"swarm 0 {ENTRIES + 100}")
        assert kept_by_kernel() is None or len(kept_by_kernel()) == USER_ENTRIES
        with begun([other, own], directory):
            follow([other, own])
            # Its entries are free when the swarm has ended.
            swarm.player.kill()
            eventually(lambda: not (kept_by_kernel() or set()) - {other.pid, own.pid})
            own.player.do(PLAY)
            own.steps, own.chip, own.seen = [((), full)], "0", []
            follow([own])


def test_one_user_has_a_share_of_the_sampled_processes_and_of_the_lines(directory):
    """Its other processes have the reason, or no line, and those of other users are measured."""
    swarm = Case("a swarm with a device", "v60", setup=(*AS_USER, "open 0", "queues 0"), nodes=())
    other = Case("beside a swarm with a device", "v60", (PLAY + " sync", busy("upper")), ((), busy("upper")))

    def counted():
        lines = [line for line in read_lines() if line["pid"] not in ("0", str(getattr(other, "pid", 0)))]
        late = {line["pid"] for line in lines if state("too-many")(line)}
        return len({line["pid"] for line in lines} - late), len(late)

    with Sampling(["v60"], "--programs"), begun([swarm], directory):
        swarm.player.do(f"swarm 0 {LINES + 100}")
        eventually(lambda: counted() == (SAMPLED, LINES - SAMPLED))
        # Each line is of one process, although the tracer replaces all of them four times a second.
        starts = {line["pid"]: line["start"] for line in read_lines()}
        for _ in range(300):
            wrong = [line for line in read_lines() if line["start"] != starts.get(line["pid"], line["start"])]
            assert not wrong, (wrong, [starts[line["pid"]] for line in wrong])
        with begun([other], directory):
            follow([other])
            assert counted() == (SAMPLED, LINES - SAMPLED)
            swarm.player.kill()
            eventually(lambda: counted() == (0, 0))


def test_one_user_cannot_have_more_rings_read_than_its_share(directory):
    """Those for which there is no room get a reason, and a place when another process has ended."""
    greedy = [Case(f"rings {i}", "v76", setup=MESH, nodes=()) for i in range(3)]
    other = Case("beside many rings", "v76", (PLAY, busy("lower")))

    def left_out():
        lines = read_lines()
        return [case for case in greedy if any(map(state("too-many"), lines_of(lines, case.pid, "-")))]

    def measured():
        lines = read_lines()
        return [case for case in greedy if sum(full(line) for line in lines if line["pid"] == str(case.pid)) == CHIPS]

    with Sampling(["v76"]), begun(greedy, directory):
        for case in greedy:
            case.player.do("background play m rate=5 duty=50 for=3600")
        eventually(lambda: len(measured()) == 2 and len(left_out()) == 1)
        late, = left_out()
        assert not any(line["chip"] != "-" for line in read_lines() if line["pid"] == str(late.pid))
        with begun([other], directory):
            follow([other])
            measured()[0].player.kill()
            eventually(lambda: late in measured())


@contextlib.contextmanager
def filled(player):
    """Meanwhile all rings of the process are always full: the counters of bytes go on by a whole ring."""
    end = threading.Event()

    def fill():
        sent = 0
        while not end.wait(0.05):
            sent = (sent + RING) % 2**32
            player.do(*[f"corrupt m {chip} {name} {sent}" for chip in range(CHIPS) for name in ("counter", "bytes_acked")])
    thread = threading.Thread(target=fill)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def test_full_rings_delay_only_processes_of_their_user(directory):
    """A sample may read as much of a user as a quarter of these rings."""
    greedy = Case("full rings", "v76", setup=MESH, nodes=())
    own = Case("beside full rings", "v76", (PLAY, busy("lower")), setup=(*AS_USER, "open 0", "queues 0"), nodes=())
    other = Case("of another user", "v76", (PLAY, busy("lower")))

    def has_rings():
        greedy.player.do("play m count=5 rate=100 duty=50")
        return len([line for line in read_lines() if line["pid"] == str(greedy.pid)]) > CHIPS

    with Sampling(["v76"]), begun([greedy], directory):
        eventually(has_rings)
        with begun([own, other], directory):
            follow([own, other])
            with filled(greedy.player):
                eventually(lambda: any(map(state("too-many"), lines_of(read_lines(), own.pid, "-"))))
                other.steps += [((), busy("lower"))] * 5
                follow([other])
            own.steps.append(((), busy("lower")))
            follow([own])


def test_a_flood_of_records_leaves_room_for_other_processes(directory):
    """The figure of the other process is exact, during the flood and after it."""
    flood = Case("false records", "v75")
    other = [Case("beside false records", "v75", (PLAY + " sync", busy("exact")))]
    with Sampling(["v75"], "--programs"), begun([flood], directory):
        flood.player.do(f"background flood 0 {ENDLESS}")
        with begun(other, directory):
            follow(other)
            flood.player.kill()
            other[0].steps.append(((), busy("exact")))
            follow(other)


def test_a_ring_whose_reads_do_not_return_delays_no_other(directory):
    held = Case("a ring that blocks", "v76", (PLAY, busy("exact")))
    other = Case("beside a ring that blocks", "v76", (PLAY, busy("exact")))
    with Sampling(["v76"], "--programs"), begun([held, other], directory):
        follow([held, other])
        held.player.do("hide 0 0")
        other.steps += [((), busy("exact"))] * 3
        follow([other])


run_tests(sys.modules[__name__])
