"""Processes that mislead the tracer's measurement of compute utilisation: only their own figures are affected."""

import json
import os
import subprocess
import sys

import staged
from metal import run_tests
from sampling import Case, Sampling, begun, busy, follow

staged.enter()

PLAY = "background play 0 for=3600 rate=200 duty=60"
ENDLESS = 10**12


def queues_of(pid):
    """The number of queues that the kernel has noted for a process."""
    text = subprocess.check_output(["/usr/sbin/bpftool", "-j", "map", "dump", "name", "queues"], text=True)
    return sum(entry["formatted"]["key"]["tgid"] == pid for entry in json.loads(text))


def test_false_queues_leave_room_for_other_processes(directory):
    """Without a queue there would be no upper bound."""
    flood = Case("false queues", "v60")
    with Sampling(["v60"], "--programs"), begun([flood], directory):
        flood.player.do("flood 0 10000")
        others = [Case("beside false queues", "v60", (PLAY + " sync", busy("upper")), ((), busy("upper"))) for _ in range(3)]
        with begun(others, directory):
            follow(others)
        assert not os.path.exists("/usr/sbin/bpftool") or queues_of(flood.pid) == 1


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
