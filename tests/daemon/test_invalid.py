"""Clients and monitors that violate the protocol: only they are affected."""

import sys

from allocd import *


def still_serves(server):
    fd, m = table()
    put_pool(m, 0, DRAM, 42, 42, 1, 0)
    sock = hand_over(server, fd)
    assert server.ask().of(os.getpid()).now() == 42
    sock.close(), os.close(fd)
    wait(lambda: not server.ask().living, "its end")


def exchange(server, message, fds=()):
    """Sends one packet and returns the server's answer."""
    sock = server.connect()
    try:
        socket.send_fds(sock, [message], list(fds)) if fds else sock.send(message)
        return receive(sock)
    finally:
        sock.close()


# ---- packets ----


def test_an_invalid_message_ends_the_connection(server):
    """Fault of the original server: it had to guess whether data of a client was malformed."""
    ask = struct.pack("=II", 0, 0)
    for message in (
            b"x", b"\0" * 16, packet(SNAPSHOT, ask, magic=1), packet(SNAPSHOT, ask, length=16),
            packet(SNAPSHOT, ask, length=2**32 - 1), packet(SNAPSHOT, ask[:4]), packet(SNAPSHOT, b""),
            packet(SNAPSHOT, ask + b"more"), packet(SNAPSHOT, ask, zero=1), packet(99, ask),
            packet(0, ask), packet(65535, ask), packet(WELCOME, ask), packet(SNAPSHOT_REPLY, ask),
            packet(DUMP_REPLY, ask), packet(ERROR, b"\1" + b"\0" * 111), packet(SNAPSHOT, b"\x08" + ask[1:]),
            packet(SNAPSHOT, struct.pack("=II", 0, 2**31)), packet(DUMP, struct.pack("=II", 4, 0)),
            packet(DUMP, struct.pack("=II", 0, 1)), b"\xff" * 200, b"\xff" * 100000):
        refused(errno.EBADMSG, exchange, server, message)
    refused(errno.EPROTONOSUPPORT, exchange, server, packet(SNAPSHOT, ask, version=2))
    assert server.log().count("not a message") == 22
    still_serves(server)


def test_every_truncated_message_is_refused(server):
    """Every prefix of a message is refused."""
    whole = packet(SNAPSHOT, struct.pack("=II", 0, 0))
    for length in range(1, len(whole)):
        refused(errno.EBADMSG, exchange, server, whole[:length])
    still_serves(server)


def test_descriptors_must_be_those_of_the_message(server):
    before = server.descriptors()
    fd, m = table()
    ask = packet(SNAPSHOT, struct.pack("=II", 0, 0))
    refused(errno.EBADMSG, exchange, server, hello())
    refused(errno.EBADMSG, exchange, server, hello(), [fd, fd])
    refused(errno.EBADMSG, exchange, server, hello(), [fd] * 40)
    refused(errno.EBADMSG, exchange, server, ask, [fd])
    refused(errno.EBADMSG, exchange, server, hello(flags=1), [fd])
    refused(errno.EPROTONOSUPPORT, exchange, server, hello(table_version=2), [fd])
    os.close(fd)
    wait(lambda: server.descriptors() == before, f"{before} descriptors, not {server.descriptors()}")
    still_serves(server)


def test_a_client_that_sends_more_than_hello_loses_its_table(server):
    fd, m = table()
    sock = hand_over(server, fd)
    assert len(server.ask().living) == 1
    sock.send(packet(SNAPSHOT, struct.pack("=II", 0, 0)))
    refused(errno.EBADMSG, receive, sock)
    assert server.ask().living == []
    os.close(fd)


def test_a_monitor_cannot_become_a_client(server):
    fd, m = table()
    monitor = Monitor(server)
    monitor.ask()
    socket.send_fds(monitor.sock, [hello()], [fd])
    refused(errno.EBADMSG, receive, monitor.sock)
    os.close(fd)


# ---- tables ----


def test_a_table_that_could_shrink_or_grow_is_refused(server):
    for seals in (0, SEAL_SHRINK, SEAL_GROW, SEAL_SEAL, SEAL_GROW | SEAL_FUTURE_WRITE):
        fd, m = table(seals=seals)
        refused(errno.EPERM, hand_over, server, fd)
        os.ftruncate(fd, 0) if not seals & SEAL_SHRINK else None
        os.close(fd)
    still_serves(server)


def test_only_a_sealed_memfd_is_accepted(server):
    read, write = os.pipe()
    directory = os.open("/", os.O_RDONLY)
    plain = os.open(server.directory + "/file", os.O_RDWR | os.O_CREAT)
    os.ftruncate(plain, SLOT_OFFSET)
    null = os.open("/dev/null", os.O_RDWR)
    path = os.open("/", os.O_PATH)
    sock = socket.socket(socket.AF_UNIX)
    descriptors = [read, write, directory, plain, null, path, sock.fileno()]
    try:
        huge = os.memfd_create("ttalloc", os.MFD_HUGETLB | os.MFD_ALLOW_SEALING)
        os.ftruncate(huge, 2 << 20)
        fcntl.fcntl(huge, F_ADD_SEALS, SEAL_SHRINK | SEAL_GROW)
        descriptors.append(huge)
    except OSError:
        pass

    def refusal(fd):
        try:
            hand_over(server, fd)
            raise AssertionError("was taken")
        except Refused as e:
            return e.code

    for fd in descriptors:
        codes = []  # repeated: a busy server may not have closed earlier connections yet
        wait(lambda: codes.append(refusal(fd)) or codes[-1] != errno.EMFILE, "a thread to close it")
        assert codes[-1] in (errno.EPERM, errno.EBADF), codes
    sock.close()
    for fd in descriptors[:6] + descriptors[7:]:
        os.close(fd)
    still_serves(server)


def test_an_invalid_table_is_refused(server):
    for options in (dict(magic=b"NOTATABL"), dict(magic=b"\0" * 8), dict(size=0), dict(size=4096),
                    dict(size=SLOT_OFFSET - 8), dict(capacity=2**20 + 1, size=SLOT_OFFSET),
                    dict(capacity=2**63, size=SLOT_OFFSET)):
        fd, m = table(**options)
        refused(errno.EPROTO, hand_over, server, fd)
        os.close(fd)
    fd, m = table(version=2)
    refused(errno.EPROTONOSUPPORT, hand_over, server, fd)
    os.close(fd)
    empty = os.memfd_create("ttalloc", os.MFD_ALLOW_SEALING)  # a sparse file, which is not read
    os.ftruncate(empty, 2**40)
    fcntl.fcntl(empty, F_ADD_SEALS, SEAL_SHRINK | SEAL_GROW)
    refused(errno.EPROTO, hand_over, server, empty)
    assert os.fstat(empty).st_blocks == 0
    os.close(empty)
    still_serves(server)


def test_the_table_of_another_process_is_refused(server):
    """Fault of the original server: a client could claim to be any pid."""
    for options in (dict(pid=1), dict(pid=0), dict(pid=2**40), dict(start=1), dict(pid=os.getppid())):
        fd, m = table(**options)
        refused(errno.EPROTO, hand_over, server, fd)
        os.close(fd)
    p = Program(server)
    p.alloc(1, 1)
    name = next(n for n in os.listdir(f"/proc/{p.pid}/fd")
                if "memfd:ttalloc" in os.readlink(f"/proc/{p.pid}/fd/{n}"))
    fd = os.open(f"/proc/{p.pid}/fd/{name}", os.O_RDONLY)
    refused(errno.EPROTO, hand_over, server, fd)
    os.close(fd)
    p.end()


def test_huge_counts_are_ignored(server):
    fd, m = table(devices=2**64 - 1, slots_used=2**64 - 1, cells=False)
    m[144:152] = struct.pack("=Q", 2**64 - 1)
    m[192:320] = b"\xff" * 128
    sock = hand_over(server, fd)
    blocks = os.fstat(fd).st_blocks
    for flags in (0, ALLOCATIONS, ALLOCATIONS | WANT_FINISHED):
        p = server.ask(flags).of(os.getpid())
        assert (p.usages, p.allocations[:3], p.flags & INCONSISTENT) == ([], [], INCONSISTENT), vars(p)
    assert p.flags & CUT
    assert os.fstat(fd).st_blocks == blocks  # reading did not allocate pages
    sock.close(), os.close(fd)
    still_serves(server)


def test_inconsistent_figures_are_omitted(server):
    fd, m = table()
    sock = hand_over(server, fd)
    for now, peak, allocs, frees in ((2, 1, 1, 0), (1, 2**51, 1, 0), (1, 1, 0, 1), (1, 1, 1, 1),
                                     (1, 5, 5, 0), (2**64 - 1, 2**64 - 1, 1, 0)):
        put_pool(m, 0, DRAM, now, peak, allocs, frees)
        put_pool(m, 0, L1, 10, 10, 1, 0)
        p = server.ask().of(os.getpid())
        assert p.usage(0, DRAM) is None and p.now(L1) == 10 and p.flags & INCONSISTENT
    sock.close(), os.close(fd)


def test_torn_and_invalid_slots_are_omitted(server):
    fd, m = table(capacity=64, slots_used=8)
    put_slot(m, 0, size=11)
    put_slot(m, 1, size=12, generation=2)  # free
    put_slot(m, 2, size=0)
    put_slot(m, 3, size=2**60)
    put_slot(m, 4, device=64)
    put_slot(m, 5, pool=7)
    put_slot(m, 6, top=1)
    put_slot(m, 7, size=13)
    sock = hand_over(server, fd)
    p = server.ask(ALLOCATIONS).of(os.getpid())
    assert [a[1] for a in p.allocations] == [11, 13] and p.flags & CUT
    sock.close(), os.close(fd)


def test_a_table_that_changes_all_the_time_is_read(server):
    fd, m = table(capacity=1024, slots_used=1024)
    pid = os.fork()
    if pid == 0:
        n = 0
        while True:  # changes the table as fast as possible, always to a valid state
            n += 1
            put_pool(m, 0, DRAM, n % 1000 + 1, 1000, 1, 0, seq=n)
            put_slot(m, n % 1024, size=n % 1000 + 1, generation=n % 2**32)
    try:
        sock = hand_over(server, fd)
        for _ in range(200):
            server.ask(ALLOCATIONS)
        sock.close()
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(fd)


def test_names_cannot_break_a_terminal(server):
    fd, m = table(name=b"a\x1b]0;gotcha\x07\n\xff\xfe")
    put_pool(m, 0, DRAM, 1, 1, 1, 0)
    sock = hand_over(server, fd)
    Monitor(server).dump()
    sock.close(), os.close(fd)
    wait(lambda: "ended" in server.log(), "its end")
    with open(server.log_path, "rb") as f:
        log = f.read()
    assert b"\x1b" not in log and b"\x07" not in log and b"gotcha" in log
    log.decode()


# ---- behaviour ----


def test_a_monitor_that_does_not_read_gets_no_second_answer(server):
    monitor = Monitor(server)
    monitor.ask()
    before = server.descriptors()
    for _ in range(50):
        monitor.question()
    wait(server.rests, "rest: it waits by turning in circles")
    assert server.descriptors() <= before
    for _ in range(50):
        monitor.image()  # every question is answered, one by one
    monitor.close()


def test_a_request_for_a_memfd_is_refused_with_a_hint(server):
    for question in (packet(SNAPSHOT, struct.pack("=II", 0, 0)), packet(DUMP, struct.pack("=II", 0, 0))):
        sock = server.connect()
        sock.send(question)
        e = refused(errno.EPROTONOSUPPORT, receive, sock)
        assert "too old for tt_allocd" in e.text and "install both of one version" in e.text
        sock.close()
    still_serves(server)


def test_a_half_closed_connection_is_an_end(server):
    fd, m = table()
    sock = hand_over(server, fd)
    sock.shutdown(socket.SHUT_WR)
    wait(lambda: not server.ask().living, "its end")
    sock.close(), os.close(fd)


def test_closed_connections_cost_nothing(server):
    """5,000 connections; 100,000 with FULL=1."""
    before = server.descriptors()
    for i in range(100000 if os.environ.get("FULL") else 5000):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        sock.setblocking(False)
        try:
            sock.connect(server.path)
            if i % 3 == 0:
                sock.send(b"nonsense")
        except (BlockingIOError, BrokenPipeError):
            pass
        sock.close()
    wait(lambda: server.descriptors() <= before, "descriptors to be closed")
    assert server.log(True).count("\n") < 1000, "a flood of lines"
    still_serves(server)


@options("--limit", "handshake=2000")
def test_a_thousand_silent_connections_do_not_exclude_others(server):
    """Fault of the original server: the number of clients was not limited."""
    idle = []
    for _ in range(1000):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        sock.setblocking(False)
        try:
            sock.connect(server.path)
            idle.append(sock)
        except BlockingIOError:
            sock.close()
    wait(lambda: server.descriptors() < 256 + 256 + 64, "new ones, refused ones, its own")
    # Refused connections get an error, the others time out; clients with a table stay connected all the time.
    wait(server.can_be_asked, "room for a monitor")
    for sock in idle:
        sock.close()
    still_serves(server)


if __name__ == "__main__":
    run(sys.modules[__name__])
