"""Many clients at once: a thousand programs, kills at any instruction, a server that is killed under load."""

import sys

from allocd import *

CROWD = 1000
FULL = bool(os.environ.get("FULL"))  # at full size


def found(server, pids):
    """The processes of the crowd in a snapshot of the server, which may also have others of this machine."""
    return [p for p in server.ask().living if p.pid in pids]


def test_a_thousand_programs(server):
    """Faults of the original server: the last writer overwrote totals, and concurrent clients were lost."""
    crowd = Crowd(server)
    crowd.do("start", CROWD)
    pids = crowd.pids()
    wait(lambda: len(found(server, pids)) == CROWD, "all of them")
    held = int(crowd.do("pause"))
    assert server.ask().now() == held > 0
    m = Monitor(server)
    began, used = time.monotonic(), server.cpu_seconds()
    for _ in range(50):
        m.question()
        m.answer()
    took, cpu = time.monotonic() - began, server.cpu_seconds() - used
    print(f"# snapshot of {CROWD} programs: {took * 20:.2f} ms, {cpu * 20:.2f} ms of CPU")
    crowd.do("resume")
    wait(server.rests, "rest while they report, without requests")
    m = Monitor(server)
    began = time.monotonic()
    killed = int(crowd.do("kill"))
    wait(lambda: not m.ask().living, "their end")
    print(f"# {killed} programs killed and forgotten in {time.monotonic() - began:.2f} s")
    assert server.ask().now() == 0
    image = server.ask(WANT_FINISHED)
    assert image.finished_total == CROWD and {p.pid for p in image.finished} == pids
    crowd.end()


def test_programs_killed_at_any_instruction_leave_nothing(server):
    """Fault of the original server: memory of dead processes stayed counted. 10,000 with FULL=1."""
    crowd = Crowd(server)
    number = int(crowd.do("churn", 10000 if FULL else 2000))
    wait(lambda: not server.ask().living, "the end of the last")
    image = server.ask(WANT_FINISHED)
    assert image.now() == 0
    print(f"# {number} killed, {image.finished_total} had come to the server")
    assert image.finished_total > number / 10
    for p in image.finished:
        for u in p.usages:
            assert u["now"] <= u["peak"] and u["frees"] <= u["allocs"]
    assert server.descriptors() < 1100  # a few wait for exit statuses
    crowd.end()


@bare
def test_a_server_killed_and_restarted_under_load(directory):
    """Fault of the original server: it had to start first, and its end lost everything. 100 times with FULL=1."""
    server = Server(directory, root=with_real_proc(directory))
    crowd = Crowd(server)
    crowd.do("start", 100)
    pids = crowd.pids()
    wait(lambda: len(found(server, pids)) == 100, "all of them")
    for _ in range(100 if FULL else 10):
        server.kill()
        time.sleep(0.02)
        server.start()
        held = int(crowd.do("pause"))
        seen = found(server, pids)
        assert len(seen) == 100 and sum(p.now() for p in seen) == held
        crowd.do("resume")
    time.sleep(1.2)  # by then the programs have connected again; they must not be counted twice
    held = int(crowd.do("pause"))
    seen = found(server, pids)
    assert len(seen) == 100 and sum(p.now() for p in seen) == held
    crowd.end()
    wait(lambda: not found(server, pids), "their end")
    server.stop()


@bare
def test_a_server_executed_again_under_load(directory):
    server = Server(directory)
    crowd = Crowd(server)
    crowd.do("start", 100)
    pids = crowd.pids()
    wait(lambda: len(found(server, pids)) == 100, "all of them")
    for _ in range(10):
        server.child.send_signal(signal.SIGHUP)
        held = int(crowd.do("pause"))
        seen = found(server, pids)
        assert len(seen) == 100 and sum(p.now() for p in seen) == held
        crowd.do("resume")
    crowd.do("kill")
    wait(lambda: not found(server, pids), "their end")
    assert server.ask().finished_total == 100
    crowd.end()
    server.stop()


def test_a_million_allocations_of_one_program(server):
    p = Program(server)
    p.do("many", DRAM, 8, 1000000)
    wait(lambda: server.ask().living, "the program")
    m = Monitor(server)
    began = time.monotonic()
    m.question(ALLOCATIONS, p.pid)
    data = m.answer()
    took = time.monotonic() - began
    print(f"# a million allocations: {len(data) >> 20} MiB in {took * 1000:.0f} ms")
    listed = Image(data).of(p.pid)
    assert len(listed.allocations) == 1000000 and not listed.flags & CUT
    assert listed.now() == 8000000 == sum(a[1] for a in listed.allocations)
    p.end()


def test_the_end_of_a_program_is_noticed_despite_many_requests(server):
    crowd = Crowd(server)
    crowd.do("start", CROWD)
    wait(lambda: len(server.ask().living) == CROWD, "all of them")
    askers = []
    for _ in range(4):
        pid = os.fork()
        if pid == 0:
            try:
                monitors = [Monitor(server) for _ in range(50)]
                while True:  # many more requests than can be answered
                    for m in monitors:
                        m.question()
                    for m in monitors:
                        try:
                            m.answer()
                        except Refused:
                            pass
            finally:
                os._exit(0)
        askers.append(pid)
    time.sleep(0.5)
    killed = {}
    for pid in list(crowd.pids())[:10]:
        killed[pid] = time.time()
        os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)
    time.sleep(0.5)
    for pid in askers:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    wait(lambda: len(server.ask(WANT_FINISHED).finished) >= 10, "ten ends")
    took = sorted(p.ended_ns / 1e9 - killed[p.pid] for p in server.ask(WANT_FINISHED).finished)
    print(f"# noticed after {took[0] * 1000:.0f} to {took[-1] * 1000:.0f} ms, under load")
    assert len(took) == 10
    crowd.end()


def test_a_hundred_legacy_clients_at_once(server):
    children = []
    for n in range(100):
        pid = os.fork()
        if pid == 0:
            try:
                c = Legacy(server, SIZES[n % 4])
                for i in range(200):
                    c.alloc(i, n + 1)
                for i in range(100):
                    c.free(i)
                c.query()
                time.sleep(600)
            finally:
                os._exit(0)
        children.append(pid)
    c = Legacy(server)
    wait(lambda: c.query()[DRAM] == 100 * 5050, "all of them")
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    for pid in children:
        os.waitpid(pid, 0)
    wait(lambda: c.query()[DRAM] == 0, "their end")
    c.close()


def test_an_idle_server_uses_no_cpu(server):
    c = Legacy(server)
    c.alloc(1, 1), c.query()
    m = Monitor(server)
    m.ask()
    silent = server.connect()
    wait(server.rests, "rest")
    silent.close()


if __name__ == "__main__":
    run(sys.modules[__name__])
