"""Every limit of the server is reached and logged."""

import sys

from allocd import *


def tables(server, count):
    """Hands over tables of this process, each on a connection of its own."""
    for _ in range(count):
        fd, m = table()
        put_pool(m, 0, DRAM, 1, 1, 1, 0)
        try:
            yield hand_over(server, fd)
        finally:
            os.close(fd)


@options("--limit", "clients=10")
def test_clients_in_total(server):
    """Faults of the original server: the number of clients was not limited, and its table of slots could fill."""
    kept = list(tables(server, 10))
    e = refused(errno.EUSERS, list, tables(server, 1))
    assert "too many clients" in e.text
    refused(errno.EUSERS, server.ask)  # monitors count too
    server.wait_for("too many clients")
    c = Legacy(server)
    assert c.is_closed()
    server.wait_for("too many connections")
    kept.pop().close()
    wait(server.can_be_asked, "room")
    assert len(server.ask().living) == 9
    for sock in kept:
        sock.close()


@root
@options("--limit", "user-clients=3")
def test_clients_of_one_user(server):
    def ordinary():
        kept = list(tables(server, 3))
        refused(errno.EUSERS, list, tables(server, 1))
        assert Legacy(server).is_closed()
        return kept

    root = list(tables(server, 5))  # the limit does not apply to root
    in_child(ordinary, NOBODY)
    in_child(ordinary, 1234)
    wait(lambda: len(server.ask().living) == 5, "the end of the others")
    for sock in root:
        sock.close()


@options("--limit", "new=5", "--limit", "handshake=60000")
def test_connections_without_a_message(server):
    silent = [server.connect() for _ in range(5)]
    e = refused(errno.EUSERS, receive, server.connect())
    assert e.retry_ms > 0
    server.wait_for("too many connections without a message")
    silent.pop().close()
    wait(server.can_be_asked, "room")
    for sock in silent:
        sock.close()


@root
@options("--limit", "user-new=2", "--limit", "handshake=60000")
def test_connections_of_one_user_without_a_message(server):
    silent = []

    def ordinary():
        silent.extend(server.connect() for _ in range(2))
        refused(errno.EUSERS, receive, server.connect())

    in_child(ordinary, NOBODY)
    in_child(ordinary, 1234)


@options("--limit", "handshake=500")
def test_time_for_the_first_message(server):
    sock = server.connect()
    began = time.monotonic()
    e = refused(errno.ETIMEDOUT, receive, sock)
    took = time.monotonic() - began
    assert took > 0.05, took
    assert sock.recv(1) == b""
    server.wait_for("no message within the handshake time")
    m = Monitor(server)
    m.ask()
    time.sleep(0.6)
    m.ask()  # after its first message a client may be silent


@options("--limit", "slots=100")
def test_allocations_listed_of_one_client(server):
    p = Program(server)
    p.do("many", DRAM, 8, 250)
    wait(lambda: server.ask().living, "the program")
    found = server.ask(ALLOCATIONS).of(p.pid)
    assert len(found.allocations) == 100 and found.flags & CUT
    assert found.now() == 250 * 8 and found.usage()["allocs"] == 250
    p.end()


@options("--limit", "slots=100")
def test_allocations_kept_of_one_legacy_client(server):
    c = Legacy(server)
    for i in range(150):
        c.alloc(i, 10)
    assert c.query()[DRAM] == 1000
    found = server.ask(ALLOCATIONS).of(os.getpid())
    assert len(found.allocations) == 100 and found.misuse[LOST] == 50 and found.flags & LOW
    assert server.log().count("exceeds its limit") == 1  # logged once
    c.close()


@options("--limit", "held=100")
def test_allocations_kept_of_all_legacy_clients(server):
    def client():
        c = Legacy(server)
        for i in range(80):
            c.alloc(i, 1)
        return c

    c = client()
    assert c.query()[DRAM] == 80
    in_child(lambda: equal(client().query()[DRAM], 100))
    wait(lambda: c.query()[DRAM] == 80, "the end of the other")
    for i in range(200, 220):
        c.alloc(i, 1)
    assert c.query()[DRAM] == 100
    server.wait_for("exceeds its limit")
    c.close()
    gone = lambda: not server.ask().living
    wait(gone, "its end")
    c = client()
    assert c.query()[DRAM] == 80  # after frees, new allocations are counted again
    c.close()


def equal(a, b):
    assert a == b, (a, b)


def ask_until_refused(ask):
    for _ in range(5000):
        try:
            ask()
        except Refused as e:
            assert e.code == errno.EAGAIN, e
            return e
    raise AssertionError("never refused")


@root
@options("--limit", "user-cpu=1")
def test_time_of_one_user(server):
    """CPU time for answers is limited per user, and a refusal says when to retry."""
    def ordinary():
        ask_until_refused(server.ask)  # a new connection for each request
        m = Monitor(server)
        e = ask_until_refused(m.ask)
        assert 0 < e.retry_ms <= 5000, e.retry_ms
        assert "1 ms a second, is used up" in e.text, e
        e = ask_until_refused(m.dump)
        time.sleep(e.retry_ms / 1000 + 0.01)
        m.ask()  # the connection is still open
        ask_until_refused(server.ask)

    in_child(ordinary, NOBODY)
    server.wait_for("is used up")
    in_child(server.ask, 1234)
    for _ in range(100):
        server.ask()  # root is not limited


@options("--limit", "finished=8")
def test_finished_processes_remembered(server):
    pids = []
    for _ in range(12):
        fd, m = table()
        pid = os.fork()
        if pid == 0:
            try:
                fd, m = table()
                put_pool(m, 0, DRAM, 1, 1, 1, 0)
                hand_over(server, fd)
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        os.close(fd)
        pids.append(pid)
        wait(lambda: server.ask().finished_total == len(pids), "its account")
    image = server.ask(WANT_FINISHED)
    assert [p.pid for p in image.finished] == pids[-8:]  # oldest first
    assert image.finished_total == 12 and image.living == []
    assert server.ask().finished == []  # sent only on request


@bare
def test_descriptors(directory):
    """Without free descriptors, connections are refused, and the server neither ends nor busy-loops."""
    import resource
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (560, 560))
            server = Server(directory, "--limit", "new=2000", "--limit", "handshake=60000",
                            "--limit", "clients=8192")
            resource.setrlimit(resource.RLIMIT_NOFILE, (560, 560))
            server.wait_for("RLIMIT_NOFILE permits no more descriptors")
            socks = []
            for _ in range(540):
                sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                sock.setblocking(False)
                try:
                    sock.connect(server.path)
                except BlockingIOError:
                    time.sleep(0.01)
                socks.append(sock)
            pid2 = os.fork()
            if pid2 == 0:
                for sock in socks:
                    pass
                more = [server.connect() for _ in range(5)]
                time.sleep(0.2)
                os._exit(0)
            os.waitpid(pid2, 0)
            wait(server.rests, "rest")
            for sock in socks:
                sock.close()
            wait(lambda: server.descriptors() < 40, "descriptors")
            server.ask()
            assert server.stop() == 0
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    assert status == 0


def test_log_lines(server):
    """A client cannot fill the disk with refusals."""
    began = time.monotonic()
    for _ in range(4):  # 150 at once: 100 lines a second are permitted
        os.kill(server.child.pid, signal.SIGSTOP)
        socks = [server.connect() for _ in range(150)]
        for sock in socks:
            sock.send(b"nonsense")
        os.kill(server.child.pid, signal.SIGCONT)
        for sock in socks:
            refused(errno.EBADMSG, receive, sock)
            sock.close()
    assert server.log().count("not a message") <= 100 * (2 + time.monotonic() - began)
    server.wait_for("lines left out: refusals")


@root
@options("--limit", "user-log=3")
def test_log_lines_of_one_user_and_kind(server):
    """The limit suppresses neither lines about other users nor lines of other kinds."""
    def nonsense():
        for _ in range(20):
            sock = server.connect()
            sock.send(b"nonsense")
            refused(errno.EBADMSG, receive, sock)
        Monitor(server).dump()

    in_child(nonsense, NOBODY)
    in_child(nonsense, 1234)
    for uid in (NOBODY, 1234):
        server.wait_for(f"lines left out: refusals of uid {uid}")
        lines = [l for l in server.log().splitlines() if f"uid {uid}: not a message" in l]
        left = [int(l.split()[1]) for l in server.log().splitlines()
                if f"lines left out: refusals of uid {uid}" in l]
        assert len(lines) + sum(left) == 20 and len(lines) < 20, (lines, left)
        assert re.search(f"dump for pid \\d+, uid {uid}", server.log())


@bare
def test_dumps_in_a_loop(directory):
    """A dump is sent to the client that asked; one rate-limited line is logged, and none with --quiet."""
    for quiet in (False, True):
        server = Server(directory, *(["--quiet"] if quiet else []), wait=False)
        wait(lambda: server.child.poll() is not None or can_connect(server), "the server")
        fd, m = table()
        put_pool(m, 0, DRAM, 7, 7, 1, 0)
        kept, before = hand_over(server, fd), len(server.log())
        asker, legacy = Monitor(server), Legacy(server)
        for _ in range(2000 if os.environ.get("FULL") else 300):
            assert "7 bytes" in asker.dump()
            legacy.send(DUMP_REMAINING)
        legacy.query()
        log = server.log()[before:]
        assert "7 bytes" not in log, log
        if quiet:
            assert "dump" not in log, log
        else:
            assert 0 < log.count("dump") and len(log) < 100000, len(log)
        kept.close()
        assert server.stop() == 0


def can_connect(server):
    try:
        server.connect().close()
        return True
    except OSError:
        return False


@root
@options("--limit", "held=1000", "--limit", "user-held=600")
def test_allocations_kept_of_one_user(server):
    """One user fills its share; another's memory is still counted."""
    def greedy():
        c = Legacy(server)
        for i in range(900):
            c.alloc(i, 1)
        signal.pause()

    pid = os.fork()
    if pid == 0:
        try:
            os.setresuid(NOBODY, NOBODY, NOBODY)
            greedy()
        finally:
            os._exit(0)
    # Half of what is not reserved for root: less than the share of a user.
    wait(lambda: server.ask().now(DRAM) == 438, "the greedy one")

    def modest():
        c = Legacy(server)
        c.alloc(1, 1 << 30)
        equal(c.query()[DRAM], (1 << 30) + 438)

    in_child(modest, 1234)
    wait(lambda: server.ask().now(DRAM) == 438, "its end")
    in_child(modest)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


@root
@options("--limit", "finished=64", "--limit", "user-finished=32")
def test_finished_processes_of_one_user(server):
    """A user with many short processes evicts only its own accounts."""
    def short():
        fd, m = table()
        put_pool(m, 0, DRAM, 1, 1, 1, 0)
        hand_over(server, fd)

    for user in (None, 1234):
        in_child(short, user)
    for _ in range(310 if os.environ.get("FULL") else 80):
        in_child(short, NOBODY)
    wait(lambda: server.ask().finished_total >= 82, "the accounts")
    uids = [p.uid for p in server.ask(WANT_FINISHED).finished]
    assert uids.count(0) == 1 and uids.count(1234) == 1 and uids.count(NOBODY) == 32, uids


@bare
@root
def test_subordinate_uids_count_as_their_owner(directory):
    """With a user namespace, a user cannot get the shares of several users."""
    with open(directory + "/subuid", "w") as f:
        f.write("nobody:200000:65536\n4321:400000:1000\n")
    probe = subprocess.run(["unshare", "-m", "sh", "-c", "mount --bind /etc/passwd /etc/passwd"],
                           capture_output=True, check=False)
    if probe.returncode or not os.path.exists("/etc/subuid"):
        print("# SKIP needs a mount namespace and /etc/subuid")
        return
    server = Server(directory, "--limit", "user-clients=3",
                    prefix=("unshare", "-m", "sh", "-c",
                            f'mount --bind {directory}/subuid /etc/subuid && exec "$@"', "sh"))
    kept = []

    def one():
        m = Monitor(server)
        m.ask()
        kept.append(m)

    def with_others(users, last):
        """Each of these users holds a connection while the last one tries to connect."""
        ready, told = os.pipe()
        held = []
        for user in users:
            pid = os.fork()
            if pid == 0:
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
                one()
                os.write(told, b"x")
                signal.pause()
            held.append(pid)
        for _ in users:
            os.read(ready, 1)
        try:
            in_child(last[1], last[0])
        finally:
            for pid in held:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            os.close(ready), os.close(told)

    with_others((NOBODY, 200000, 200001), (265535, lambda: refused(errno.EUSERS, one)))
    with_others((NOBODY, 200000, 200001), (400000, one))
    with_others((400000, 400001, 4321), (400999, lambda: refused(errno.EUSERS, one)))
    with_others((400000, 400001, 4321), (401000, one))
    assert server.stop() == 0


if __name__ == "__main__":
    run(sys.modules[__name__])
