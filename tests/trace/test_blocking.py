"""Reads of other users' files and memory may block: only the process that has them is affected."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys

import staged
from metal import Program, Skip, library, run_tests, without
from odd import FOLDER, LIBRARY, Odd
from staged import BUILD, HOLD, TRACER, TT_SMI, Tracing, allocations, tracer
from watcher import Watcher, eventually

staged.enter()

HELD = 8  # BLOCKED_MAX of src/trace/library_search.c
FUTEX = {"x86_64": "202"}.get(os.uname().machine, "98")


class Served:
    """with Served(folder) as path: serves its files by FUSE; after stop() all accesses block."""

    def __init__(self, folder, name=""):
        self.at = folder + "-served"
        self.file = f"{self.at}/{name}"
        os.mkdir(self.at)
        self.process = subprocess.Popen([FOLDER + "/served", folder, self.at], stderr=subprocess.PIPE, text=True)
        eventually(lambda: os.path.ismount(self.at) or self.process.poll() is not None)
        if self.process.poll() is not None:
            raise Skip("no FUSE here: " + self.process.stderr.read().strip())

    def stop(self):
        os.kill(self.process.pid, signal.SIGSTOP)

    def go_on(self):
        os.kill(self.process.pid, signal.SIGCONT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.go_on()
        subprocess.check_call(["umount", "-l", self.at])
        self.process.terminate()  # it does not end with the unmount, since a probe keeps the file system
        self.process.wait(60)
        self.process.stderr.close()
        os.rmdir(self.at)


class Late(Odd):
    """A process of another user that maps a file as code, and opens a device on request."""

    def __init__(self, path, uid=0):
        self.begin([sys.executable, "-c", """
import mmap, os, sys
with open(sys.argv[1], "rb") as file:
    memory = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC)
os.setresuid(*[int(sys.argv[2])] * 3)
print("ready", flush=True)
while sys.stdin.readline() == "open\\n":
    node = os.open("/dev/tenstorrent/8", os.O_RDONLY)
    print("ready", flush=True)
""", path, str(uid)])


def waiting(pid):
    """The number of threads that are blocked in a system call other than futex()."""
    count = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/syscall", encoding="utf-8") as file:
            count += file.read().split()[0] not in ("running", FUTEX)
    return count


def state(program):
    return allocations().get(program.pid, (None,))[0]


def said(program):
    return [line for line in tracer("status").stdout.splitlines() if f" {program.pid} " in line[:24]]


def plain(folder):
    """Copies a library that is not TT-Metal into the folder, and returns its name."""
    shutil.copy(BUILD + "/src/alloc/libttalloc.so", folder)
    return "libttalloc.so"


def test_a_file_that_blocks_affects_only_its_holder(directory):
    name = plain(directory)
    with Served(directory) as served:
        preload = {**os.environ, "LD_PRELOAD": f"{served.at}/{name}"}
        with Odd("b0", env=preload) as held, Odd("b0", env=preload) as another:
            served.stop()
            with Watcher() as watcher:
                with Odd("b0", "b1") as free:
                    eventually(lambda: state(free) in ("exact", "since-attach"))
                    eventually(lambda: state(held) == state(another) == "unreliable:no-answer")
                    assert [line.partition(":")[2] for line in said(held)] == [" reads of its files do not return"], said(held)
                    held.do("b2")
                    served.go_on()
                    eventually(lambda: state(held) == state(another) == "since-attach")
                    held.do("f2")
                    assert allocations()[held.pid][1][3]["dram"] == 0
                    assert not said(held)[1:]
                assert watcher.end() == 0


def test_unread_files_are_not_taken_into_account(directory):
    name = plain(directory)
    with Served(directory) as served:
        path = f"{served.at}/{name}"
        with Late(path) as held, Late(path) as late:
            held.do("open")
            served.stop()
            with Watcher() as watcher:
                eventually(lambda: state(held) == "unreliable:no-answer")
                late.do("open")  # its files are on a file system that blocks: they are not read
                eventually(lambda: state(late) == "unreliable:no-answer")
                watcher.process.send_signal(signal.SIGTERM)
                told = watcher.process.communicate(timeout=60)[0]
                mine = [line for line in told.splitlines() if f" {late.pid} " in line]
                assert mine and not any("no TT-Metal" in line for line in mine), told
            served.go_on()


def test_the_blocked_threads_of_one_user_are_limited(directory):
    with contextlib.ExitStack() as stack:
        systems = []
        for number in range(HELD + 4):
            folder = f"{directory}/{number}"
            os.mkdir(folder)
            systems.append(stack.enter_context(Served(folder, plain(folder))))
        users = [stack.enter_context(Late(system.file, 65534)) for system in systems]
        for user in users[:HELD]:
            user.do("open")
        for system in systems:
            system.stop()
        stack.callback(lambda: [system.go_on() for system in systems])
        with Watcher() as watcher:
            eventually(lambda: {state(user) for user in users[:HELD]} == {"unreliable:no-answer"})
            for user in users[HELD:]:
                user.do("open")
            eventually(lambda: {state(user) for user in users} == {"unreliable:no-answer"})
            eventually(lambda: waiting(watcher.process.pid) <= HELD + 1)  # 1: the main thread
            with Odd("b0") as free:
                eventually(lambda: state(free) in ("exact", "since-attach"))


def diagnosis(program):
    """The doctor's finding about the program; None if it timed out, as on a busy machine."""
    done = subprocess.run([TT_SMI, "doctor"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done
    return next((line for line in done.stdout.splitlines() if f" {program.pid} " in line), None)


def test_doctor_does_not_wait_for_files(directory):
    name = plain(directory)
    with Served(directory) as served, Late(f"{served.at}/{name}") as held:
        held.do("open")
        served.stop()
        lines = []
        eventually(lambda: lines.append(diagnosis(held)) or lines[-1])
        assert lines[-1].endswith("memory unknown: reads of its files do not return"), lines[-1]
        served.go_on()


def test_a_blocked_tracer_can_be_ended(directory):
    name = plain(directory)
    with Served(directory) as served:
        with Odd("b0", env={**os.environ, "LD_PRELOAD": f"{served.at}/{name}"}) as held:
            served.stop()
            with Watcher() as watcher:
                eventually(lambda: state(held) == "unreliable:no-answer")
                assert watcher.end() == 0


def test_a_library_on_fuse_is_attached_to_only_if_named(directory):
    shutil.copy(LIBRARY, directory)
    with Tracing(), Served(directory) as served, Odd("b0", env={**os.environ, "LD_LIBRARY_PATH": served.at}) as odd:
        path = f"{served.at}/libodd.so"
        tracer("start")
        assert "a program serves this file" in said(odd)[0] and path in said(odd)[0], said(odd)
        assert state(odd) is None
        assert path in tracer("start", path).stdout
        odd.do("b1")
        assert state(odd) == "since-attach"
        served.stop()
        done = subprocess.run([TRACER, "start", path], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2 and f"{path}: Connection timed out" in done.stderr, done
        assert state(odd) == "unreliable:no-answer"


def test_a_second_copy_that_is_not_attached_to_makes_lower_bounds(directory):
    """The program maps a second copy, which has no probes, beside the one that it uses."""
    shutil.copy(LIBRARY, directory)
    maps = "import mmap, runpy, sys\n" \
           "file = open(sys.argv.pop(1), 'rb')\n" \
           "copy = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)\n" \
           "del sys.argv[:2]\n" \
           "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    with Tracing(library("v66")), Served(directory) as served:
        for path in (f"{served.at}/libodd.so", library("v62")):
            program = Program("v66", host="python", before=[sys.executable, "-c", maps, path])
            program.do(*HOLD, "alloc a 0 dram 5000")
            assert state(program) == "exact"
            tracer("start")
            assert (state(program), without(allocations()[program.pid][1])) == (
                "since-attach", without(program.totals())), path
            assert bool(said(program)) == path.startswith(served.at), said(program)
            assert all(line.startswith("incomplete ") and path in line for line in said(program)), said(program)
            assert program.end() == 0


def test_memory_that_blocks_affects_only_its_process(_):
    with Odd() as held:
        try:
            held.do("hide")
        except AssertionError as error:
            raise Skip("no userfaultfd here") from error
        program = Program("v66")
        program.do(*HOLD, "alloc a 0 dram 5000", "open 1")
        with Watcher():
            eventually(lambda: state(held) == "since-attach")
            held.do("b0")
            eventually(lambda: state(program) is not None)
            program.do("alloc b 0 dram 7")
            # All of it was read back.
            eventually(lambda: without(allocations()[program.pid][1]) == without(program.totals()))
            tracer("start")  # it does not wait for the blocked process either
            assert state(held) == "since-attach"
            with Odd("b0") as new:
                eventually(lambda: new.pid in allocations())
        assert program.end() == 0


run_tests(sys.modules[__name__])
