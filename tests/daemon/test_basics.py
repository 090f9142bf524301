"""Clients with tables, and monitors: the ordinary course of things."""

import sys

from allocd import *


def test_a_program_is_seen_with_what_it_holds(server):
    p = Program(server)
    p.alloc(1, 1000)
    p.alloc(2, 500, L1)
    wait(lambda: server.ask().living, "the program")
    seen = server.ask().of(p.pid, TABLE)
    assert (seen.now(DRAM), seen.now(L1)) == (1000, 500)
    p.free(1)
    seen = server.ask().of(p.pid)
    assert (seen.now(DRAM), seen.peak(DRAM)) == (0, 1000)
    assert seen.uid == os.getuid() and seen.start_ticks == self_start_ticks(p.pid)
    assert abs(seen.start_ns / 1e9 - time.time()) < 60
    p.end()


def test_a_killed_program_is_gone_and_accounted_for(server):
    p = Program(server)
    p.alloc(1, 4096)
    wait(lambda: server.ask().living, "the program")
    p.kill()
    began = time.monotonic()
    wait(lambda: not server.ask().living, "its end")
    took = time.monotonic() - began
    assert took < 0.1 * SLOW, f"{took:.3f} s"
    wait(lambda: server.ask(WANT_FINISHED).finished[0].flags & EXIT_KNOWN, "its exit status")
    last = server.ask(WANT_FINISHED).finished[0]
    assert (last.pid, last.peak(), last.uid) == (p.pid, 4096, os.getuid())
    assert last.exit_status == signal.SIGKILL


def test_a_legacy_client_is_seen(server):
    for length in SIZES:
        c = Legacy(server, length)
        c.alloc(1, 100)
        c.alloc(2, 50, L1)
        totals = c.query()
        assert (totals[DRAM], totals[L1]) == (100, 50), totals
        c.close()
        wait(lambda: not server.ask().living, "its end")


if __name__ == "__main__":
    run(sys.modules[__name__])
