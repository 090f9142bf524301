"""Tests the schedules of the test double: rings that another process reads agree with the truth file, and lost records
are counted."""

import glob
import os
import re
import signal
import stat
import struct
import subprocess
import sys
import time

from metal import DISPATCHING, PROFILING, library, release, run, run_tests
from schedule import SYNC_MARKER, Player, RingReader, Truth, busy_ns, programs

PROBED = re.compile(r"14get_next_event|24set_last_completed|15set_bypass|CommandQueue(21|15|13)enqueue_|EmitMeshWorkload"
                    r"|D2HSocket(4read|15pages)|13publish_pages|18trigger_sync|NotifyProgram|InvokeProgram")
NEAR = 3  # ns: rounding error to ticks at each end


def ring_of(truth, chip=0, pid=None):
    return next(ring for ring in Truth(truth).rings if ring.chip == chip and pid in (None, ring.pid))


def read_ring(truth, chip=0, pid=None):
    """The records that are in a ring, and the anchor of its chip."""
    reader = RingReader(ring_of(truth, chip, pid))
    found = reader.records(), reader.anchor()
    reader.close()
    return found


def times(records, anchor):
    ticks, host, frequency = anchor
    return [((record.start - ticks) / frequency + host, (record.end - ticks) / frequency + host)
            for record in records]


def expect_times(records, anchor, intervals, *where):
    """Asserts that the times of the records are these intervals."""
    have = times(records, anchor)
    assert len(have) == len(intervals), (*where, len(have), len(intervals))
    for mine, true in zip(have, intervals):
        assert all(abs(a - b) <= NEAR for a, b in zip(mine, true)), (*where, mine, true)


def wait_for(condition, what):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError(f"in vain: {what}")


def wait_for_programs(player, count, place="0"):
    wait_for(lambda: all(counts.programs >= count for counts in player.counts(place).values()), f"{count} programs")


def test_records_have_the_times_of_the_schedule(directory):
    for variant in PROFILING:
        for number, (rate, duty, count) in enumerate([(100, 25, 20), (1000, 85, 60), (50, 100, 10)]):
            truth = f"{directory}/{variant}-{number}"
            with Player(variant, truth, "mesh m 0 1", "queues m clock=1.35") as player:
                player.do(f"play m rate={rate} duty={duty} count={count}")
                for chip in 0, 1:
                    records, anchor = read_ring(truth, chip)
                    told = Truth(truth)
                    since, until = told.span(chip=chip)
                    intervals = told.intervals(since, until, chip=chip)
                    late = 0 if release(variant) >= 75 else 1  # the last record is sent with the next program
                    expect_times(programs(records), anchor, intervals[:count - late], variant, rate, chip)
                    assert [record.id for record in programs(records)] == list(range(1, count + 1 - late)), variant
                    assert player.counts("m")[chip][:3] == (count, count - late, 0), variant


def test_many_programs_per_second(directory):
    for variant in "v76", "main":
        truth = f"{directory}/{variant}"
        with Player(variant, truth, "queues 0 clock=0.8") as player:
            player.do("play 0 rate=50000 duty=40 count=30000")
            records, anchor = read_ring(truth)
            told = Truth(truth)
            since, until = told.span()
            expect_times(programs(records), anchor, told.intervals(since, until), variant)
            true = told.share(since, until) * (until - since)
            assert abs(busy_ns(records, anchor) - true) < 1e-5 * true, (variant, true)
            assert told.ended(since, until) == 30000


def test_rings_and_ids_wrap_around(directory):
    for variant, count in ("v76", 70000), ("v71", 300):
        truth = f"{directory}/{variant}"
        with Player(variant, truth, "queues 0") as player:
            player.do(f"play 0 rate=20000 duty=50 count={count} ids=65500")
            # A small ring may be full for a while.
            wait_for(lambda: player.counts("0")[0].records >= count - 2, variant)
            reader = RingReader(ring_of(truth))
            records = programs(reader.records())
            counts = player.counts("0")[0]
            assert reader.missed > 0 and len(records) <= reader.ring.fifo_size // 64, variant
            last = 65500 + count - 1 - (release(variant) < 75)
            expected = [id % 65536 for id in range(last - len(records), last + 1) if id % 65536]
            assert [record.id for record in records] == expected[-len(records):], variant
            assert counts.unnumbered == len([id for id in range(65500, 65500 + count) if id % 65536 == 0]), counts
            # Since v0.76 the chip itself drops a record without an id.
            dropped = counts.unnumbered if release(variant) >= 76 else 0
            assert counts.records == count - dropped - (release(variant) < 75), (variant, counts)
            reader.close()


def test_programs_without_ids_are_seen_by_old_releases_only(directory):
    for variant in PROFILING:
        truth = f"{directory}/{variant}"
        with Player(variant, truth, "queues 0") as player:
            player.do("play 0 count=20 duty=50 ids=none", "play 0 count=1")
            records, _ = read_ring(truth)
            records = [record for record in records if record.header != SYNC_MARKER]
            assert len([record for record in records if not record.id]) == (0 if release(variant) >= 76 else 20), variant
            assert player.counts("0")[0].unnumbered == 20
            assert not any(run.covered for run in Truth(truth).runs[:-1])


def test_lost_records_and_markers_are_counted(directory):
    truth = directory + "/truth"
    with Player("v77", truth, "queues 0") as player:
        player.do("play 0 count=100 duty=50 lose=5 mark=10", "marker 0", "play 0 count=1")
        records, anchor = read_ring(truth)
        ids = [record.id for record in programs(records)]
        assert ids == [id for id in range(1, 102) if id % 5 or id > 100], ids
        counts = player.counts("0")[0]
        assert (counts.programs, counts.records, counts.lost, counts.markers) == (101, 81, 20, 11), counts
        assert len(records) - len(ids) == 4 + counts.markers  # the clock was synchronised with four
        told = Truth(truth)
        since, until = told.span()
        assert busy_ns(records, anchor) < told.share(since, until) * (until - since)


def test_the_last_record_waits_for_the_next_program(directory):
    truth = directory + "/truth"
    with Player("v77", truth, "queues 0") as player:
        player.do("play 0 count=3 duty=50 nofinish")
        wait_for_programs(player, 3)
        assert len(programs(read_ring(truth)[0])) == 2
        player.do("play 0 count=1 duty=50")
        assert len(programs(read_ring(truth)[0])) == 4


def test_a_program_that_still_runs_has_no_record(directory):
    truth = directory + "/truth"
    with Player("v76", truth, "queues 0") as player:
        player.do("play 0 count=1", "play 0 busy=60000 count=1 nofinish", "sleep 50")
        assert len(programs(read_ring(truth)[0])) == 1
        now = time.monotonic_ns()
        told = Truth(truth)
        assert abs(told.span()[1] - told.runs[-1].start - 60e9) < 1
        assert told.share(now - 10**7, now) == 1.0 and told.ended(0, now) == 1


def test_clocks_that_change_move_the_times_but_not_the_truth(directory):
    truth = directory + "/truth"
    with Player("v76", truth, "queues 0 clock=1") as player:
        player.do("play 0 count=50 rate=500 duty=50", "clock 0 0 0.5", "play 0 count=50 rate=500 duty=50")
        records, anchor = read_ring(truth)
        told = Truth(truth)
        since, until = told.span()
        ticks = [record.end - record.start for record in programs(records)]
        assert anchor[2] == 1 and abs(told.share(since, until) * (until - since) - 100 * 10**6) < 100 * NEAR
        assert all(abs(n - 10**6) <= NEAR for n in ticks[:49]) and all(abs(n - 5 * 10**5) <= NEAR for n in ticks[50:])
        assert all(a.end <= b.start for a, b in zip(programs(records), programs(records)[1:]))


def test_anchors_may_be_missing_or_of_another_clock(directory):
    for anchor in "none", "tsc":
        truth = f"{directory}/{anchor}"
        with Player("v76", truth, f"queues 0 anchor={anchor}"):
            ticks, host, frequency = read_ring(truth)[1]
            if anchor == "none":
                assert (ticks, host, frequency) == (0, 0, 0)
            else:
                assert ticks and frequency == 1 and abs(host - time.monotonic_ns()) > 10**9


def test_a_second_queue_is_not_covered(directory):
    truth = directory + "/truth"
    with Player("v77", truth, "queues 0 queues=2") as player:
        player.do("background play 0 queue=1 count=50 duty=30 name=second", "play 0 count=50 duty=30", "join")
        told = Truth(truth)
        counts = player.counts("0")[0]
        assert (counts.programs, counts.records, counts.uncovered) == (100, 50, 50), counts
        assert {run.name for run in told.chosen(covered=False)} == {"second"}
        since, until = told.span()
        first, second = (told.share(since, until, covered=covered) for covered in (True, False))
        assert max(first, second) <= told.share(since, until) <= first + second


def test_sub_devices_lose_records(directory):
    truth = directory + "/truth"
    with Player("v77", truth, "queues 0") as player:
        player.do("background play 0 sub=1 count=30 rate=100 duty=90 name=other", "play 0 count=30 rate=90 duty=90",
                  "join")
        counts = player.counts("0")[0]
        assert counts.lost > 0 and counts.records + counts.lost == counts.programs == 60, counts


def test_traces_repeat_their_ids(directory):
    for variant in "v76", "v71":
        truth = f"{directory}/{variant}"
        with Player(variant, truth, "mesh m 0", "queues m") as player:
            player.do("play m trace=5 count=30 duty=50", "play m count=1")
            ids = [record.id for record in programs(read_ring(truth)[0])]
            expected = [1, 2, 3, 4, 5] * 6 + [6]
            assert ids == expected[:None if release(variant) >= 75 else -1], (variant, ids)


def test_chips_without_a_profiler(directory):
    truth = directory + "/truth"
    with Player("v77", truth, "mesh m 0 1", "queues m ethernet=1") as player:
        player.do("play m count=10")
        assert [ring.chip for ring in Truth(truth).rings] == [0]
        counts = player.counts("m")
        assert counts[0].records == 10 and counts[1].records == 0 and counts[1].uncovered == 10, counts
    for variant in DISPATCHING:
        slow = f"{directory}/{variant}"
        if variant == "v57":
            continue  # has no queue for slow dispatch
        with Player(variant, slow, "mesh m 0", "queues m slow") as player:
            player.do("play m rate=100 duty=50 count=5")
            wait_for_programs(player, 5, "m")
            told = Truth(slow)
            since, until = told.span()
            assert not told.rings and player.counts("m")[0].uncovered == 5, variant
            assert abs(told.share(since, until) * (until - since) - 25e6) < 1, variant


def test_huge_pages_are_stale_beyond_what_was_acknowledged(directory):
    for variant in PROFILING:
        truth = f"{directory}/{variant}"
        with Player(variant, truth, "queues 0 huge") as player:
            player.do("play 0 count=20 duty=50")
            reader = RingReader(ring_of(truth))
            expected = 20 if release(variant) >= 75 else 19  # the last record is sent with the next program
            wait_for(lambda: reader.socket_words()[2] == (4 + expected) * 64, variant)  # with four markers
            player.do("receiver 0 off", "play 0 count=20 duty=50")
            assert player.counts("0")[0].records == 20 + expected, variant
            assert len(programs(reader.records())) == expected, variant
            members = player.where("0", 0, "host_buffer", "bytes_sent_ptr", "huge_page")
            assert reader.bytes_at(members["host_buffer"][0], 8) == bytes(8), variant
            assert reader.bytes_at(members["huge_page"][0], 1) == b"\1", variant
            reader.close()


def test_fifos_are_where_the_release_has_them(directory):
    for variant in PROFILING:
        truth = f"{directory}/{variant}"
        with Player(variant, truth, "mesh m 0 1", "queues m") as player:
            files = glob.glob(f"/dev/shm/tt_d2h_{player.pid}_*")
            ring = ring_of(truth)
            reader = RingReader(ring)
            with open(f"/proc/{player.pid}/maps", encoding="ascii") as maps:
                line = next(line for line in maps if int(line.split("-")[0], 16) <= ring.fifo
                            < int(re.split("[- ]", line)[1], 16))
            assert ring.counter == ring.fifo + ring.fifo_size and reader.socket_words()[1] == 64, variant
            assert int.from_bytes(reader.bytes_at(ring.socket + 160, 8), "little") == ring.counter, variant
            if release(variant) >= 76:
                assert (files, ring.fifo_size) == ([], 2 << 20) and len(line.split()) == 5, (variant, line)
            else:
                assert len(files) == 2 and ring.fifo_size == 4096 and "/dev/shm/tt_d2h_" in line, (variant, line)
                assert all(stat.S_IMODE(os.stat(path).st_mode) == 0o600 for path in files)
            reader.close()
            player.do("close m")
            assert not glob.glob(f"/dev/shm/tt_d2h_{player.pid}_*"), variant


def test_ends(directory):
    """A process that exits leaves no file behind; a killed one does."""
    for variant in "v75", "v76":
        done = run(variant, f"truth {directory}/truth", "queues 0", "play 0 count=5")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
        pid = Truth(directory + "/truth").rings[-1].pid
        assert not glob.glob(f"/dev/shm/tt_d2h_{pid}_*")
    player = Player("v75", directory + "/killed", "queues 0", "play 0 count=5")
    player.process.send_signal(signal.SIGKILL)
    player.process.wait(60)
    assert len(glob.glob(f"/dev/shm/tt_d2h_{player.pid}_*")) == 1
    player.end()
    assert not glob.glob(f"/dev/shm/tt_d2h_{player.pid}_*")


def test_two_processes_on_one_chip_and_a_fork(directory):
    truth = directory + "/truth"
    with Player("v76", truth, "queues 0") as first, Player("v76", truth, "queues 0") as second:
        for player in first, second:
            player.do("background play 0 rate=100 duty=30 count=40")
        for player in first, second:
            player.do("join")
        told = Truth(truth)
        since, until = told.span()
        shares = [told.share(since, until, pid=player.pid) for player in (first, second)]
        assert max(shares) <= told.share(since, until) <= sum(shares) + 1e-9, shares
        for player in first, second:
            records, anchor = read_ring(truth, pid=player.pid)
            expect_times(programs(records), anchor, told.intervals(since, until, pid=player.pid))
        said = first.do("fork", f"truth {truth}", "queues 1", "play 1 count=7", "sleep 60000", "end")
        child = int(re.search(r"child (\d+)", said).group(1))
        wait_for(lambda: any(told.pid == child for told in Truth(truth).runs), "a child that plays")
        # The child has its own ring, and a copy of its parent's that does not change.
        ring = ring_of(truth, 1, child)
        assert RingReader(ring).bytes_at(ring_of(truth, 0, first.pid).fifo, 64)
        first.do("play 0 count=5")
        assert {run.pid for run in Truth(truth).chosen(chip=1)} == {child}
        os.kill(child, signal.SIGKILL)


def test_garbage_wrong_pages_and_corruption(directory):
    truth = directory + "/truth"
    with Player("v76", truth, "queues 0") as player:
        player.do("play 0 count=5", "garbage 0 0 100 7")
        wait_for(lambda: len(read_ring(truth)[0]) == 4 + 5 + 100, "garbage")
        player.do("corrupt 0 0 page_size 128", "corrupt 0 0 first_timestamp 77")
        reader = RingReader(ring_of(truth))
        assert reader.socket_words()[1] == 128 and reader.anchor()[0] == 77
        reader.close()
    with Player("main", directory + "/pages", "queues 0 page=128") as player:
        player.do("play 0 count=5")
        assert RingReader(ring_of(directory + "/pages")).socket_words()[:2] == (2 << 20, 128)


def test_functions_that_are_probed_are_called_through_the_plt(_):
    for variant in PROFILING:
        text = subprocess.check_output(["readelf", "-rW", library(variant)], text=True)
        called = ["13publish_pages"] if release(variant) >= 76 else ["38InvokeProgramRealtimeProfilerCallbacks"]
        for name in [*called, "9D2HSocket4read", "9D2HSocket15pages_available", "38NotifyProgramRealtimeProfiler",
                     "18trigger_sync_check", "14get_next_event", "24set_last_completed_event", "15set_bypass_mode",
                     "26EmitMeshWorkloadDebugEntry"]:
            assert name in text, (variant, name)


def test_functions_that_are_probed_begin_with_a_push_and_share_no_code(_):
    for variant in DISPATCHING:
        text = subprocess.check_output(["objdump", "-d", "--no-show-raw-insn", library(variant)], text=True)
        probed = {name: first for name, first in re.findall(r"<(_ZN2tt\w+)>:\n\s*\w+:\s+(\w+)", text) if PROBED.search(name)}
        assert len(probed) >= (5 if variant == "v57" else 7), (variant, probed)
        assert set(probed.values()) == {"push"}, (variant, probed)
        names = subprocess.check_output(["nm", "-D", "--defined-only", library(variant)], text=True)
        at = [line.split()[0] for line in names.splitlines() if PROBED.search(line)]
        assert len(at) == len(set(at)) == len(probed), (variant, probed)


def events(player, place, chip, variant, queues=2):
    """For each queue: (last event that was issued, last that was completed), from the SystemMemoryManager."""
    base = player.where(place, chip, "system_memory")["system_memory"][0]
    given, completed, device = (72, 96, 4 if release(variant) >= 68 else 0) if release(variant) >= 65 else (104, 128, 0)

    with open(f"/proc/{player.pid}/mem", "rb", buffering=0) as memory:
        def words(address, count):
            return struct.unpack(f"={count}I", os.pread(memory.fileno(), 4 * count, address))
        assert words(base + device, 1) == (chip,), variant
        return [words(struct.unpack("=Q", os.pread(memory.fileno(), 8, base + offset))[0], queues)
                for offset in (given, completed)]


def test_events_are_given_out_and_completed(directory):
    for variant in DISPATCHING:
        with Player(variant, f"{directory}/{variant}", "queues 3 queues=2") as player:
            player.do("play 3 count=4 rate=100 duty=50", "play 3 queue=1 sync count=2 rate=100 duty=50")
            # One after each program, and one at the end.
            assert events(player, "3", 3, variant) == [(5, 3), (5, 3)], variant
            player.do("play 3 busy=60000 count=1 nofinish", "sleep 20")
            assert events(player, "3", 3, variant) == [(6, 3), (5, 3)], variant


def test_every_release_plays_on_all_its_queues(directory):
    for variant in DISPATCHING:
        truth = f"{directory}/{variant}"
        with Player(variant, truth, "queues 0 queues=2", "mesh m 1 2", "queues m") as player:
            player.do("play 0 queue=1 count=5 rate=100 duty=50", "play 0 sync count=5 rate=100 duty=50",
                      "play m count=5 rate=100 duty=50 event=0")
            assert player.counts("0")[0].programs == 10 and player.counts("m")[2].programs == 5, variant
            told = Truth(truth)
            assert told.ended(0, time.monotonic_ns(), chip=0) == 10, variant
            assert told.ended(0, time.monotonic_ns(), chip=1) == 5, variant


run_tests(sys.modules[__name__])
