"""The watching tracer: new holders, nodes that appear and disappear, upgrades, take-over, and its end."""

import os
import shutil
import signal
import subprocess
import sys
import time

import staged
from metal import Program, library, run_tests
from odd import FOLDER, LIBRARY, Copies, Odd
from staged import PINS, TICK, TRACER, Tracing, allocations, tracer
from watcher import Watcher, eventually

staged.enter()


def said():
    return tracer("status").stdout


def test_a_new_holder_is_found_and_the_library_kept(_):
    with Watcher() as watcher:
        with Odd("b0") as odd:
            eventually(lambda: odd.pid in allocations())
            assert f"watcher     process {watcher.process.pid}\n" in said()
            eventually(lambda: LIBRARY in said())  # the tracer writes its report after it has attached
        assert odd.pid not in allocations()
        # A process that starts after the attach is counted from its first instruction.
        with Odd("b0", "b2") as odd:
            assert allocations()[odd.pid][0] == "exact"
        assert watcher.end() == 0
        assert "watcher     none" in said() and LIBRARY in said()


def test_nodes_come_and_go(_):
    def holders():
        with open(PINS + "/holders", encoding="utf-8") as file:
            rows = [line.split() for line in file.read().splitlines()[2:]]
        return [row[2] for row in rows if row[0] == str(odd.pid)]

    with Watcher(), Odd() as odd:
        eventually(lambda: holders() == ["8"])
        os.rename("/dev/tenstorrent/8", "/dev/tenstorrent/12")
        eventually(lambda: holders() == ["12"])
        os.rename("/dev/tenstorrent/12", "/dev/away")
        eventually(lambda: holders() == [])
        os.rename("/dev/away", "/dev/tenstorrent/8")


def test_an_upgraded_library_is_attached_to_before_it_runs(directory):
    for name in ("odd", "libodd.so"):
        shutil.copy(f"{FOLDER}/{name}", directory)
    path = directory + "/libodd.so"
    environment = {**os.environ, "LD_LIBRARY_PATH": directory}

    def attached():
        return said().count("library     " + path)

    with Watcher():
        with Odd("b0", program=directory + "/odd", env=environment) as old:
            eventually(lambda: old.pid in allocations() and attached() == 1)
            shutil.copy(LIBRARY, path + ".new")
            os.rename(path + ".new", path)
            eventually(lambda: attached() == 2)
            with Odd("b0", "b1", program=directory + "/odd", env=environment) as new:
                assert allocations()[new.pid][0] == "exact"
        eventually(lambda: attached() == 1)  # no process maps the old one any more
        os.unlink(path)
        eventually(lambda: attached() == 0)


def test_a_file_whose_time_changes_is_followed_without_a_gap(directory):
    for name in ("odd", "libodd.so"):
        shutil.copy(f"{FOLDER}/{name}", directory)
    path = directory + "/libodd.so"
    with Watcher():
        tracer("start", path)
        time.sleep(2 * TICK)
        with Odd("b0", program=directory + "/odd", env={**os.environ, "LD_LIBRARY_PATH": directory}) as odd:
            eventually(lambda: odd.pid in allocations())
            os.utime(path, (1, 1))
            tracer("start", path)
            assert said().count("library     " + path) == 1
            assert allocations()[odd.pid][0] == "exact"


def test_a_watcher_that_ignores_signals_is_ended_too(_):
    with Watcher() as watcher:
        watcher.process.send_signal(signal.SIGSTOP)
        tracer("stop")
        assert watcher.end() == -signal.SIGKILL
        assert "not loaded" in tracer("status", check=False).stdout


def test_others_may_read_whatever_the_umask(directory):
    os.umask(0o077)
    try:
        with Tracing():
            assert [os.stat(PINS + "/.." * up).st_mode & 0o755 for up in (0, 1)] == [0o755, 0o755]
            assert os.stat("/run/tt-smi/trace.report").st_mode & 0o444 == 0o444
    finally:
        os.umask(0o022)


def test_one_watches_and_the_next_takes_its_turn(_):
    with Watcher() as first:
        second = subprocess.Popen([TRACER, "start", "--watch"], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        assert f"(pid {first.process.pid}) runs with --watch already" in second.stderr.readline()
        with Odd("b0") as odd:
            eventually(lambda: odd.pid in allocations())
            assert first.end(signal.SIGKILL) == -9
            eventually(lambda: f"watcher     process {second.pid}\n" in said())
            assert odd.pid in allocations()
        # A file can be named while another tracer watches.
        tracer("start", library("v66"))
        assert library("v66") in said()
        tracer("stop")
        assert second.wait(60) == 0
        second.stdout.close()
        second.stderr.close()
        assert tracer("status", check=False).returncode == 1


def test_a_second_copy_that_is_attached_to_late(directory):
    copies = [f"{directory}/{name}.so" for name in ("first", "second")]
    for path in copies:
        shutil.copy(LIBRARY, path)
    with Tracing(*copies), Copies(*copies) as both:
        both.do("1 b0")
        both.do("2 b1")
        assert (allocations()[both.pid][0], allocations()[both.pid][1][0]["dram"]) == ("exact", 3000)
    with Tracing(copies[0]), Copies(*copies) as both:
        both.do("1 b0")
        both.do("2 b1")  # not counted by any probe
        assert (allocations()[both.pid][0], allocations()[both.pid][1][0]["dram"]) == ("exact", 1000)
        time.sleep(2 * TICK)
        tracer("start", copies[1])
        both.do("2 b0")
        assert (allocations()[both.pid][0], allocations()[both.pid][1][0]["dram"]) == ("since-attach", 2000)


def test_starts_and_stops_at_the_same_time(_):
    program = Program("v66")
    program.do("hold /dev/tenstorrent/8", "open 0")
    for number in range(4):
        jobs = [subprocess.Popen([TRACER, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                for words in (["start"], ["stop"], ["start", library("v77")], ["stop"], ["start"])]
        if number % 2:
            time.sleep(0.05)
            jobs[0].kill()
        for job in jobs:
            error = job.communicate(timeout=60)[1]
            assert job.returncode in (0, -9), error
        program.do("random 1 200 2", "alloc x 0 dram 64G")
    assert program.end() == 0
    tracer("start")
    assert said().startswith("loaded")
    tracer("stop")


def test_a_child_is_not_given_what_its_parent_had(_):
    program = Program("v66")
    program.do("hold /dev/tenstorrent/8", "alloc a 0 dram 5000")
    child = int(program.do("fork", "alloc b 0 dram 7", "kill 19", "end", "sleep 200").split()[1])
    with Tracing():
        os.kill(child, signal.SIGCONT)
        program.do("alloc c 0 dram 11")
        tracer("start")
        state, chips = allocations()[program.pid]
        assert (state, chips[0]["dram"]) == ("since-attach", 5011), (state, chips)
        assert allocations().get(child, ("since-attach",))[0] == "since-attach"
        program.do("reap")
    assert program.end() == 0


def test_an_earlier_process_is_recognised_by_its_start_even_without_memory(_):
    program = Program("v66")
    program.do("alloc a 0 dram 5000")
    with Tracing(library("v66")):
        program.do("alloc b 0 dram 7")
        state, chips = allocations()[program.pid]
        assert (state, chips[0]["dram"]) == ("since-attach", 7), (state, chips)
        tracer("start")
        state, chips = allocations()[program.pid]
        assert (state, chips[0]["dram"]) == ("since-attach", 5007), (state, chips)
    assert program.end() == 0


run_tests(sys.modules[__name__])
