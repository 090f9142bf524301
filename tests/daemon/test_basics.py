"""Clients with tables, and monitors: ordinary use."""

import select
import shutil
import signal
import subprocess
import sys

from allocd import *


def seen(server, program):
    wait(lambda: any(p.pid == program.pid for p in server.ask().living), "the program")
    return server.ask().of(program.pid, TABLE)


def test_an_empty_server_answers(server):
    began = time.time_ns(), time.monotonic_ns()
    image = server.ask(ALLOCATIONS | WANT_FINISHED)
    assert image.all == [] and image.server_pid == server.child.pid
    assert began[0] <= image.realtime <= time.time_ns()
    assert began[1] <= image.monotonic <= time.monotonic_ns()


def test_a_program_is_seen_with_what_it_holds(server):
    p = Program(server)
    p.alloc(1, 1000)
    p.alloc(2, 500, L1)
    found = seen(server, p)
    assert (found.now(DRAM), found.now(L1)) == (1000, 500)
    p.free(1)
    found = server.ask().of(p.pid)
    assert (found.now(DRAM), found.peak(DRAM)) == (0, 1000)
    assert found.uid == os.getuid() and found.start_ticks == self_start_ticks(p.pid)
    assert abs(found.start_ns / 1e9 - time.time()) < 60
    assert found.name == "daemon_program"
    p.do("name", "llama trainer")
    assert server.ask().of(p.pid).name == "llama trainer"
    p.end()


@bare
def test_no_system_call_while_no_monitor_asks(directory):
    """While a program reports and nobody asks, all threads of the server sleep for a second.

    (The PCIe counters are read every two seconds.)
    """
    if not shutil.which("strace") or "thread" in os.environ.get("TT_SANITIZE", ""):
        raise Skip("no strace here, or a sanitizer with a thread of its own")
    root = machine(directory, "--static", "--no-workloads", "-b", "n150,p150a")
    server = Server(directory, root=root)
    p = Program(server)
    p.alloc(1, 1000)
    seen(server, p)
    calls = directory + "/calls"

    def rests():
        tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", calls, "-p", str(server.child.pid)])
        time.sleep(1)
        p.alloc(time.monotonic_ns(), 1)
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        with open(calls) as f:
            lines = f.readlines()
        if not lines:
            raise Skip("the server may not be traced here")
        return all("detached" in line or "unfinished" in line for line in lines)

    wait(rests, "a second without a system call")
    p.end()
    server.stop()


def test_single_allocations_are_listed_when_asked_for(server):
    p = Program(server)
    p.alloc(0x1000, 64)
    p.alloc(0x2000, 32, L1, 3)
    assert seen(server, p).allocations == []
    assert server.ask().of(p.pid).flags & HIDDEN
    listed = server.ask(ALLOCATIONS).of(p.pid)
    assert not listed.flags & (HIDDEN | CUT)
    assert sorted((a[0], a[1], a[3], a[4]) for a in listed.allocations) == [
        (0x1000, 64, 0, DRAM), (0x2000, 32, 3, L1)]
    other = Program(server)
    other.alloc(1, 1)
    seen(server, other)
    image = server.ask(ALLOCATIONS, p.pid)
    assert len(image.of(p.pid).allocations) == 2
    assert image.of(other.pid).allocations == [] and image.of(other.pid).flags & HIDDEN
    p.end(), other.end()


def test_a_monitor_sends_several_requests(server):
    p = Program(server)
    m = Monitor(server)
    p.alloc(1, 1)
    seen(server, p)
    for size in (10, 20, 30):
        p.alloc(size, size)
        assert m.ask().of(p.pid).usage()["allocs"] == size // 10 + 1
    p.end()


def test_an_unknown_process_is_no_such_process(server):
    refused(errno.ESRCH, server.ask, ALLOCATIONS, os.getpid())
    m = Monitor(server)
    refused(errno.ESRCH, m.ask, 0, 1)
    assert m.ask().all == []  # the connection is still open


def test_a_killed_program_has_an_account(server):
    p = Program(server)
    p.alloc(1, 4096)
    seen(server, p)
    m = Monitor(server)
    p.kill()
    wait(lambda: not m.ask().living, "its end")
    wait(lambda: server.ask(WANT_FINISHED).finished[0].flags & EXIT_KNOWN, "its exit status")
    last = server.ask(WANT_FINISHED).finished[0]
    assert (last.pid, last.peak(), last.uid) == (p.pid, 4096, os.getuid())
    assert last.exit_status == signal.SIGKILL
    assert last.start_ns <= last.ended_ns


def test_the_exit_status_is_that_of_waitpid(server):
    p = Program(server)
    p.alloc(1, 1)
    seen(server, p)
    p.child.stdin.write("exit 3\n")
    p.child.stdin.flush()
    p.child.wait()
    wait(lambda: server.ask(WANT_FINISHED).finished, "its account")
    wait(lambda: server.ask(WANT_FINISHED).finished[0].flags & EXIT_KNOWN, "its exit status")
    assert os.waitstatus_to_exitcode(server.ask(WANT_FINISHED).finished[0].exit_status) == 3


def test_a_program_that_ends_at_once_has_an_account(server):
    """Fault of the original server: messages sent during teardown never arrive."""
    os.kill(server.child.pid, signal.SIGSTOP)  # it continues when the program has exited
    p = Program(server)
    p.alloc(1, 12345)
    p.kill()
    os.kill(server.child.pid, signal.SIGCONT)
    wait(lambda: server.ask(WANT_FINISHED).finished, "its account")
    last = server.ask(WANT_FINISHED).finished[0]
    assert (last.pid, last.peak()) == (p.pid, 12345) and server.ask().living == []


def test_a_forked_child_is_another_process(server):
    p = Program(server)
    p.alloc(1, 100)
    seen(server, p)
    child = p.do("fork")
    p.alloc(1, 7)
    wait(lambda: len(server.ask().living) == 2, "both")
    assert (server.ask().of(p.pid).now(), server.ask().of(child).now()) == (100, 7)
    p.end()
    wait(lambda: not server.ask().living, "their end")


def test_exec_ends_the_table(server):
    p = Program(server)
    p.alloc(1, 100)
    seen(server, p)
    p.child.stdin.write("exec\n")
    p.child.stdin.flush()
    wait(lambda: not server.ask().living, "the end of its table")
    assert p.child.poll() is None
    p.end()


def test_several_tables_of_one_process_add_up(server):
    ends = []
    for size in (10, 20):
        fd, m = table()
        put_pool(m, 0, DRAM, size, size, 1, 0)
        ends.append(hand_over(server, fd))
        os.close(fd)
    assert [p.now() for p in server.ask().living] == [10, 20]
    assert {p.pid for p in server.ask().living} == {os.getpid()}
    ends[0].close()
    wait(lambda: server.ask().now() == 20, "the other one")


def test_the_same_table_twice_is_taken_once(server):
    fd, m = table()
    put_pool(m, 0, DRAM, 5, 5, 1, 0)
    sock = hand_over(server, fd)
    refused(errno.EALREADY, hand_over, server, fd)
    assert server.ask().now() == 5
    sock.close(), os.close(fd)


def test_a_stopped_program_delays_no_client(server):
    p = Program(server)
    p.alloc(1, 77)
    seen(server, p)
    os.kill(p.pid, signal.SIGSTOP)
    assert server.ask(ALLOCATIONS).of(p.pid).now() == 77
    os.kill(p.pid, signal.SIGCONT)
    p.end()


def test_a_stop_in_the_middle_of_an_update_shows_the_state_before_it(server):
    fd, m = table()
    put_pool(m, 0, DRAM, 100, 100, 1, 0, seq=4)
    # The writer fills the copy after the current one, 4 + 1, and is stopped in it.
    at = 4096 + 256 + 64 + 48 * 1
    m[at:at + 24] = struct.pack("=QQQ", 2**60, 1, 0)
    sock = hand_over(server, fd)
    p = server.ask().of(os.getpid())
    assert (p.now(), p.peak()) == (100, 100) and not p.flags & INCONSISTENT
    sock.close(), os.close(fd)


def test_a_dump_goes_to_the_client_and_the_log_gets_one_line(server):
    """Fault of the original server: a dump goes to the server's terminal, not to the client that asked."""
    p = Program(server)
    p.do("name", "evil\x1b[2Jname")
    p.alloc(0xABC0, 64)
    p.alloc(0xDEF0, 32, KERNEL)
    seen(server, p)
    other = Monitor(server)
    assert other.ask().of(p.pid)
    text = Monitor(server).dump()
    assert "DRAM: 64 bytes" in text and "0xabc0: 64 bytes" in text and f"pid {p.pid}" in text
    assert "\x1b" not in text and "evil" in text
    lines = [l for l in server.log().splitlines() if "dump" in l]
    assert lines == [f"tt_allocd: dump for pid {os.getpid()}, uid {os.getuid()}"], lines
    assert "0xabc0" not in server.log()  # its standard output and its standard error
    assert not select.select([other.sock], [], [], 0)[0]  # nor do other clients get it
    kernels = Monitor(server).dump(kernels=True)
    assert "KERNEL: 32 bytes" in kernels and "DRAM" not in kernels
    p.end()


def test_a_stopped_server_blocks_no_program_and_misses_nothing(server):
    """Fault of the original server: bursts of messages were dropped, or blocked the program."""
    p = Program(server)
    p.alloc(1, 1)
    seen(server, p)
    os.kill(server.child.pid, signal.SIGSTOP)
    p.do("many", L1, 8, 100000)
    for i in range(20):
        late = Program(server)  # a program that starts meanwhile is not blocked either
        assert late.alloc(1, 1) == 0
    os.kill(server.child.pid, signal.SIGCONT)
    wait(lambda: len(server.ask().living) == 21, "all of them")
    assert server.ask().of(p.pid).now(L1) == 800000


@bare
def test_the_end_of_the_server_ends_no_program(directory):
    """Fault of the original server: its end killed programs by SIGPIPE, and all figures were lost."""
    server = Server(directory)
    p = Program(server)
    p.alloc(1, 1)
    seen(server, p)
    server.kill()
    for i in range(2, 13):
        assert p.alloc(i, 1) == 0
        time.sleep(0.1)
    server.start()
    wait(lambda: p.do("poll") == 0 and server.ask().living, "its return")
    assert server.ask().of(p.pid).now() == 12
    p.end()
    server.stop()


# ---- tables that are found ----


@bare
def test_a_server_that_starts_later_finds_programs_that_are_idle(directory):
    """Fault of the original server: it had to start first, and a restart lost all figures."""
    server = Server(directory, root=with_real_proc(directory))
    p = Program(server)
    p.alloc(1, 1111)
    seen(server, p)
    for _ in range(2):
        server.kill()
        server.start()
        seen(server, p)  # before the program does anything; the first search may take long
        assert server.ask().of(p.pid).now() == 1111
    wait(lambda: p.do("poll") == 0 and p.do("state") == 3 and
         "table of daemon_program, pid %d" % p.pid in server.log(), "its return")
    time.sleep(1.1)
    p.do("poll")
    assert server.ask().of(p.pid).now() == 1111  # not counted twice
    p.kill()
    wait(lambda: all(q.pid != p.pid for q in server.ask().living), "its end")
    server.stop()


@bare
def test_a_program_that_was_found_and_executes_another_is_gone(directory):
    server = Server(directory, root=with_real_proc(directory))
    p = Program(server)
    p.alloc(1, 1111)
    seen(server, p)
    server.kill()
    server.start()
    seen(server, p)
    assert server.ask().of(p.pid).now() == 1111
    p.child.stdin.write("exec\n")
    p.child.stdin.flush()
    wait(lambda: all(q.pid != p.pid for q in server.ask().living), "the end of its table")
    p.end()
    server.stop()


@bare
def test_a_file_with_the_name_of_a_table_is_not_opened(directory):
    # A link's text can be chosen freely: by a file of that name, here a pipe that would block.
    name = directory + "/memfd:ttalloc (deleted)"
    os.mkfifo(name)
    fd = os.open(name, os.O_RDWR)
    other, m = table(pid=1)  # a table whose header names another process
    unsealed, n = table(seals=0)
    server = Server(directory, root=with_real_proc(directory))
    assert all(p.pid != os.getpid() for p in server.ask().living)
    for f in (fd, other, unsealed):
        os.close(f)
    server.stop()


if __name__ == "__main__":
    run(sys.modules[__name__])
