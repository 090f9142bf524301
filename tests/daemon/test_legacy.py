"""The protocol of the original allocation server, without the faults that this server had."""

import json
import sys

from allocd import *


def now(server, pid=None):
    return server.ask().of(pid or os.getpid(), LEGACY)


def settle(server, condition, what="the report"):
    wait(lambda: any(p.origin == LEGACY and condition(p) for p in server.ask().living), what)
    return now(server)


def gone(server):
    wait(lambda: not server.ask().living, "its end")


# ---- records ----


def test_answers_have_the_size_of_the_requests(server):
    """Fault of the original server: the size of records changed without a version number."""
    for length in SIZES:
        c = Legacy(server, length)
        first = c.query()  # the server cannot tell the size by a second record yet
        assert first[DRAM] == 0
        c.alloc(1, 1000)
        c.send(CB_ALLOC, 0, 10, 0, 2)
        c.send(KERNEL_LOAD, 0, 20, 1, 3)
        totals = c.query()
        assert totals[DRAM] == 1000
        if length >= 128:
            assert (totals[CB], totals[KERNEL]) == (10, 20)
        c.sock.settimeout(0.1)
        try:
            assert not c.sock.recv(1), "more bytes than the question had"
            raise AssertionError("closed")
        except TimeoutError:
            pass
        c.close()
        gone(server)


def test_all_sizes_on_one_server_at_once(server):
    clients = [Legacy(server, length) for length in SIZES]
    for i, c in enumerate(clients):
        c.alloc(i, 10**i)
    for i, c in enumerate(clients):
        wait(lambda c=c: c.query()[DRAM] == 1111, "the sum")
    for c in clients:
        c.close()
    gone(server)


def test_a_stream_cut_at_every_byte_is_the_same_stream(server):
    for length in SIZES:
        stream = b"".join((record(ALLOC, 0, 100, DRAM, 0, 1, length), record(ALLOC, 0, 50, L1, 0, 2, length),
                           record(FREE, 0, 0, 0, 0, 1, length), record(QUERY, 0, length=length)))
        for cut in range(1, len(stream), 1 if length == 72 else 5):
            c = Legacy(server, length)
            c.sock.sendall(stream[:cut])
            c.sock.sendall(stream[cut:])
            answer = c.receive()
            assert struct.unpack_from("<2Q", answer, 40) == (0, 50), (length, cut, answer)
            c.close()
            gone(server)


def test_a_stream_that_ends_at_any_byte_leaves_nothing(server):
    stream = record(ALLOC, 0, 100, DRAM, 0, 1) + record(ALLOC, 0, 50, L1, 0, 2)
    for cut in range(1, len(stream)):
        c = Legacy(server)
        c.sock.sendall(stream[:cut])
        c.close()
    Legacy(server).query()  # when this is answered, all earlier data has been processed
    wait(lambda: server.descriptors() < 32 and not server.ask().living, "the end of all")


def test_one_byte_at_a_time(server):
    c = Legacy(server, 128)
    for byte in record(ALLOC, 0, 100, DRAM, 0, 1, 128) + record(QUERY, length=128):
        c.sock.sendall(bytes([byte]))
        time.sleep(0.0005)
    assert struct.unpack_from("<Q", c.receive(), 40) == (100,)
    c.close()


def test_a_request_in_two_pieces_is_waited_for(server):
    for length in SIZES[1:]:
        c = Legacy(server, length)
        question = record(QUERY, length=length)
        c.sock.sendall(question[:100])
        time.sleep(0.06)  # longer than the server waits for more of it
        c.sock.sendall(question[100:])
        assert c.receive()[0] == RESPONSE
        c.close()


def test_only_bytes_that_cannot_be_framed_close_the_connection(server):
    """Fault of the original server: when records were misaligned, it took any bytes for records."""
    frames = (b"\0" * 72, record(13), record(255), record(134), b"GET / HTTP/1.1\r\n" * 10,
              record(ALLOC, 0, 1) + b"\0" * 200,  # zeros, where the next record should begin
              record(ALLOC, 0, 1)[:72] + b"\0" * 8 + record(ALLOC, 0, 1),  # 80 bytes: no such size
              record(ALLOC, 0, 1) * 2 + record(0))
    for bad in frames:
        c = Legacy(server)
        c.sock.sendall(bad)
        assert c.is_closed(), bad
        c.close()
    assert server.log().count("closed: its bytes are not records of the legacy protocol") == len(frames)
    gone(server)


GIB = 1 << 30

# Records that can be framed, but have impossible values: (type, device, size, buffer type or class).
# LOST: memory was allocated, but where or how much is unknown.
LOST = [(ALLOC, 64, 1, DRAM), (ALLOC, -1, 1, DRAM), (ALLOC, 77, 100 * GIB, L1), (ALLOC, 2**31 - 1, 1, 0),
        (ALLOC, -2**31, 1, 0), (ALLOC, 0, 1, 5), (ALLOC, 0, 1, 255), (KERNEL_LOAD, 0, 1, 3),
        (KERNEL_LOAD, 64, 1, 0), (CB_ALLOC, -1, 1, 0), (CB_ALLOC, 64, 1, 0)]
NOTHING = [(ALLOC, 0, 0, DRAM), (ALLOC, 0, 100 * GIB + 1, DRAM), (ALLOC, 0, 2**64 - 1, DRAM),
           (CB_ALLOC, 0, 0, 0), (KERNEL_LOAD, 0, 0, 0), (CB_ALLOC, 0, 2**63, 0), (ALLOC, 77, 0, 0),
           (KERNEL_LOAD, 0, 2**40, 0), (FREE, 64, 0, 0), (FREE, -1, 0, 0), (CB_FREE, 99, 0, 0),
           (KERNEL_UNLOAD, -7, 0, 0), (RESPONSE, 0, 0, 0), (INFO_RESPONSE, 0, 0, 0)]


def original_client(function):
    """Runs a function in a process that dies of SIGPIPE, like programs with the original client library."""
    def run():
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        function()

    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            run()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    assert not os.WIFSIGNALED(status), signal.Signals(os.WTERMSIG(status)).name
    assert status == 0


def test_an_invalid_record_is_ignored_and_the_client_continues(server):
    """Fault of the original server: bad ids wrote outside of arrays. Real clients send such records, and die if the
    connection is closed."""
    for length in SIZES:
        for odd in LOST + NOTHING:
            def program():
                c = Legacy(server, length)
                kind, device, size, pool = odd
                c.send(kind, device, size, pool, 1)  # as the first record
                c.alloc(1, 1000)
                c.send(kind, device, size, pool, 2)  # and in the middle
                c.alloc(2, 200, L1)
                assert (lambda t: (t[DRAM], t[L1]))(c.query()) == (1000, 200), odd
                me = now(server)
                assert me.ignored == 2, (odd, me.ignored)
                assert bool(me.flags & LOW) == (odd in LOST), odd
                assert (me.now(DRAM), me.now(L1), me.now()) == (1000, 200, 1200), odd
                c.free(1)
                assert c.query()[DRAM] == 0

            original_client(program)
    gone(server)


@bare
def test_every_output_marks_what_was_ignored(directory):
    root = machine(directory, "--static", "--no-workloads", "-b", "n150")
    server = Server(directory, root=root)

    def smi(*words):
        done = subprocess.run([BUILD + "/tt_smi", "--root", root, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env=dict(os.environ, TT_ALLOCD_SOCKET=server.path), check=True)
        return done.stdout

    def check(inexact, gib):
        document = json.loads(smi("--json"))
        memory, used = document["devices"][0]["memory"], document["processes"][0]["devices"][0]
        assert (memory["used"], used["dram"]) == (gib * GIB, gib * GIB)
        assert (memory["complete"], used["exact"]) == (not inexact, not inexact)
        shown = "%s%s/12.0GB" % ("≥" * inexact, "3.0GB" if gib else "0B")
        assert " " + shown in smi(), shown
        assert (" ≥" in smi("-q", "-d", "MEMORY,PIDS")) == inexact
        complete = smi("--query-gpu=memory.complete", "--format=csv,noheader").strip()
        exact = smi("--query-compute-apps=memory.exact", "--format=csv,noheader").strip()
        assert (complete, exact) == (("yes", "no")[inexact],) * 2

    c = Legacy(server)
    for kind, device, size, pool in NOTHING:
        c.send(kind, device, size, pool)
    c.alloc(1, 3 * GIB), c.query()
    eventually(check, False, 3)
    c.alloc(2, 1, DRAM, 77), c.query()
    eventually(check, True, 3)
    c.close()
    gone(server)
    c = Legacy(server)
    c.alloc(1, 1, 9), c.query()  # its only report: it has memory there, of unknown size
    eventually(check, True, 0)
    c.close()
    server.stop()


def test_odd_records_are_logged_once_per_connection_and_counted(server):
    c, d = Legacy(server), Legacy(server)
    for i in range(500):
        c.alloc(i, 0)
        c.alloc(i, 1, 77)
    c.query()
    d.alloc(1, 0), d.query()
    assert server.log().count("record ignored") == 2
    assert now(server).ignored == 1001
    assert f"pid {os.getpid()}, uid {os.getuid()}: record ignored: size 0 (type 1, device 0, size 0" in server.log()
    text = Monitor(server).dump()
    assert re.search(r"^pid %d \S+ uid %d: 1001 records ignored$" % (os.getpid(), os.getuid()), text, re.M), text
    c.close(), d.close()


def test_queries_for_invalid_devices_are_answered(server):
    """The original answered them with zeros; a client that gets no answer waits for ever."""
    c = Legacy(server, 144)
    c.alloc(1, 100)
    for device in (64, -1, -2, 4096, 2**31 - 1, -2**31):
        assert set(c.query(device).values()) == {0}, device
    for device in (-2, 64, 2**31 - 1, -2**31):
        assert set(c.info(device).values()) == {0}, device
    assert c.query()[DRAM] == 100
    assert "ignored" not in server.log()
    c.close()


def test_a_forked_child_that_uses_its_parents_connection_harms_neither(server):
    def parent():
        c = Legacy(server)
        c.alloc(1, 100), c.query()
        child = os.fork()
        if child == 0:
            try:
                c.pid = os.getpid()
                c.alloc(2, 30)  # memory of the child, reported with its own pid
                c.free(1)  # the child's destructors free what it has copied from its parent
                c.query()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        assert status == 0, status
        c.alloc(3, 5)
        assert c.query()[DRAM] == 105
        me = now(server)
        assert (me.ignored, me.now(), bool(me.flags & LOW)) == (2, 105, True)
        assert server.log().count("claims to be another process") == 1

    original_client(parent)
    gone(server)


def test_a_child_outlives_the_parent_that_connected(server):
    """A program that connects and then becomes a daemon: the connection ends when the last process closes it."""
    ready, done = os.pipe(), os.pipe()

    def program():
        c = Legacy(server)
        c.alloc(1, 100), c.query()
        if os.fork() == 0:
            try:
                c.pid = os.getpid()
                os.read(ready[0], 1)  # waits until the server has noticed the end of the parent
                for i in range(100):
                    c.alloc(i, 10)
                    c.query()
                os.write(done[1], b"alive")
            finally:
                os._exit(0)

    original_client(program)
    os.close(done[1])
    gone(server)
    before = server.descriptors()
    os.write(ready[1], b"x")
    assert os.read(done[0], 5) == b"alive"
    assert server.ask().living == [] and server.log().count("record ignored") == 1
    wait(lambda: server.descriptors() < before, "the end of the connection")


def test_the_count_of_ignored_records_survives_sighup(server):
    c = Legacy(server)
    c.alloc(1, 100), c.alloc(2, 50, 77), c.alloc(3, 0), c.query()
    seen = server.log().count("listening on")
    server.child.send_signal(signal.SIGHUP)
    wait(lambda: server.log().count("listening on") > seen, "the new server")
    me = now(server)
    assert (me.ignored, me.now(), bool(me.flags & LOW)) == (2, 100, True)
    c.close()


def test_a_record_of_32_bytes_is_rejected(server):
    c = Legacy(server)
    c.sock.sendall(struct.pack("<B3xiQQi4x", CB_ALLOC, 0, 64, 1, os.getpid()) * 5)
    assert c.is_closed()
    gone(server)


def test_a_client_that_never_reads_delays_no_other(server):
    c = Legacy(server)
    c.sock.setblocking(False)
    sent = 0
    try:
        while sent < 20000:
            c.sock.send(record(QUERY) * 20)
            sent += 20
    except BlockingIOError:
        pass
    assert sent < 20000, "the server takes questions without end"
    d = Legacy(server)
    d.alloc(1, 1)
    assert d.query()[DRAM] == 1
    wait(server.rests, "rest")
    c.close(), d.close()


# ---- accounts ----


def test_both_numberings_of_buffer_types_add_up(server):
    """Two numberings exist: L1_SMALL is 2 in the Python client, 3 in TT-Metal. The original server counted both as L1_SMALL."""
    c = Legacy(server, 144)
    for kind in range(5):
        c.alloc(kind, 10**kind, kind)
    totals = c.query()
    assert totals == {DRAM: 1, L1: 10, L1_SMALL: 1100, TRACE: 10000, CB: 0, KERNEL: 0}
    p = now(server)
    assert [p.now(pool) for pool in range(5)] == [1, 10, 0, 1100, 10000]
    other = Program(server)  # libttalloc uses TT-Metal's number for host memory
    other.alloc(1, 7, SYSTEM)
    wait(lambda: any(q.now(SYSTEM) == 7 for q in server.ask().living), "the host memory")
    c.free(2)
    assert c.query()[L1_SMALL] == 1000
    c.free(3)
    assert c.query()[L1_SMALL] == 0
    c.close(), other.end()


def test_circular_buffers_and_kernels_give_back_what_was_stored(server):
    """Fault of the original clients: CB_FREE and KERNEL_UNLOAD have size 0."""
    c = Legacy(server, 144)
    c.send(CB_ALLOC, 0, 500, 0, 1)
    c.send(KERNEL_LOAD, 0, 600, 2, 1)
    assert (lambda t: (t[CB], t[KERNEL]))(c.query()) == (500, 600)
    c.send(CB_FREE, 0, 0, 0, 1)
    c.send(KERNEL_UNLOAD, 0, 10**9, 0, 1)
    assert (lambda t: (t[CB], t[KERNEL]))(c.query()) == (0, 0)
    c.close()


def test_a_run_leaves_nothing_for_the_next(server):
    """Fault of the original server: buffers that were never freed accumulated over runs of a program."""
    for _ in range(5):
        c = Legacy(server)
        for i in range(100):
            c.alloc(i, 1 << 20)
        assert c.query()[DRAM] == 100 << 20
        c.close()
        gone(server)


def test_unknown_frees_are_counted_and_change_nothing(server):
    """Fault of the original server: it ignored frees of unknown buffers."""
    c = Legacy(server)
    c.alloc(1, 100)
    for _ in range(3):
        c.free(999)
    assert c.query()[DRAM] == 100
    assert now(server).misuse[UNKNOWN_FREE] == 3
    c.close()


def test_the_same_buffer_twice_counts_once_and_is_freed_twice(server):
    """Fault of the original clients: they report some buffers twice (cached binaries and their view)."""
    c = Legacy(server)
    c.alloc(7, 100), c.alloc(7, 100)
    assert c.query()[DRAM] == 100
    c.free(7)
    assert c.query()[DRAM] == 100
    c.free(7)
    assert c.query()[DRAM] == 0
    c.close()


def test_two_processes_at_one_address_do_not_collide(server):
    """Fault of the original server: of two processes with a buffer at the same address, only the first was counted."""
    c = Legacy(server)
    c.alloc(7, 100)

    def other():
        d = Legacy(server)
        d.alloc(7, 30)
        assert d.query()[DRAM] == 130
        d.free(7)
        assert d.query()[DRAM] == 100
        d.alloc(7, 5)
        assert d.query()[DRAM] == 105

    c.query()
    in_child(other)
    wait(lambda: c.query()[DRAM] == 100, "the other's end")
    c.close()


def test_a_changed_size_is_honoured(server):
    """Fault of the original server: it ignored a new size at a reused address."""
    c = Legacy(server)
    c.alloc(7, 100), c.alloc(7, 250)
    assert c.query()[DRAM] == 250
    c.alloc(7, 50)
    assert c.query()[DRAM] == 50
    for _ in range(3):
        c.free(7)
    assert c.query()[DRAM] == 0
    assert now(server).usage()["peak"] == 250
    c.close()


def test_frees_on_the_wrong_device_do_not_touch_the_right_one(server):
    """Fault of the original clients: in a mesh, they report frees for device 0 only."""
    c = Legacy(server)
    for device in (0, 1):
        c.alloc(7, 100, device=device)
    c.free(7), c.free(7)
    assert (c.query(0)[DRAM], c.query(1)[DRAM]) == (0, 100)
    assert now(server).misuse[UNKNOWN_FREE] == 1  # the wrong free is counted
    c.close()


def test_every_device_has_its_circular_buffers(server):
    """Faults of the original server: circular buffers of the first device only, and at most 8 devices."""
    c = Legacy(server, 144)
    for device in range(64):
        c.send(CB_ALLOC, device, 10 + device, 0, 1)
    assert [c.query(device)[CB] for device in range(64)] == [10 + d for d in range(64)]
    c.close()


def test_the_same_address_as_circular_buffer_and_as_l1_is_kept_apart(server):
    """Fault of the original server: it counted circular buffers both as CB and as L1."""
    c = Legacy(server, 144)
    c.send(CB_ALLOC, 0, 100, 0, 0x1000)
    c.alloc(0x1000, 40, L1)
    totals = c.query()
    assert (totals[CB], totals[L1]) == (100, 40)
    c.free(0x1000)
    totals = c.query()
    assert (totals[CB], totals[L1]) == (100, 0)
    c.close()


def test_totals_cannot_wrap(server):
    """Fault of the original server: its unsigned totals could wrap below zero."""
    c = Legacy(server, 144)
    c.alloc(1, 10)
    for kind in (FREE, CB_FREE, KERNEL_UNLOAD):
        for _ in range(5):
            c.send(kind, 0, 2**40, 0, 1)
    assert set(c.query().values()) == {0}
    for i in range(12000):  # 100 GiB each: more than a pool can have
        c.alloc(i, 100 << 30)
    assert c.query()[DRAM] <= 2**50
    p = now(server)
    assert p.flags & LOW and p.misuse[OVERFLOW] > 0
    c.close()


def test_address_0_is_an_address(server):
    """Fault of the original clients: allocations during graph capture have address 0."""
    c = Legacy(server)
    c.alloc(0, 10), c.alloc(2**64 - 1, 5)
    assert c.query()[DRAM] == 15
    c.free(0)
    assert c.query()[DRAM] == 5
    c.close()


def test_a_process_has_its_totals_peak_and_counts(server):
    """Fault of the original server: it showed neither memory per process nor users."""
    c = Legacy(server)
    c.alloc(1, 100), c.alloc(2, 50), c.free(1), c.query()
    p = now(server)
    u = p.usage()
    assert (u["now"], u["peak"], u["allocs"], u["frees"]) == (50, 150, 2, 1)
    assert p.uid == os.getuid() and p.name.startswith("python")
    listed = server.ask(ALLOCATIONS).of(os.getpid())
    assert [(a[0], a[1]) for a in listed.allocations] == [(2, 50)]
    c.close()


# ---- processes ----


def test_two_connections_of_one_process_share_its_account(server):
    c, d = Legacy(server), Legacy(server)
    c.alloc(1, 100)
    c.query()
    d.free(1)
    assert d.query()[DRAM] == 0
    c.alloc(2, 30), c.query()
    d.alloc(3, 4), d.query()
    assert len(server.ask().living) == 1
    c.close()
    wait(lambda: d.query()[DRAM] == 4, "the end of the first")
    d.close()
    gone(server)


def test_a_killed_client_leaves_no_kernel_nor_circular_buffer(server):
    """Fault of the original server: circular buffers and kernels of dead processes stayed counted, for seconds or for ever."""
    def victim():
        c = Legacy(server, 144)
        c.send(CB_ALLOC, 0, 500, 0, 1)
        c.send(KERNEL_LOAD, 0, 600, 0, 2)
        c.query()
        os.kill(os.getpid(), signal.SIGKILL)

    m = Monitor(server)
    in_child(victim)
    wait(lambda: not m.ask().living, "its end")
    last = server.ask(WANT_FINISHED).finished[-1]
    assert (last.peak(CB), last.peak(KERNEL), last.origin) == (500, 600, LEGACY)


def test_a_disconnected_client_holds_nothing(server):
    c = Legacy(server)
    c.alloc(1, 100), c.query()
    c.close()
    gone(server)


def test_a_stream_that_a_child_inherited_ends_with_its_process(server):
    hold, release = os.pipe()
    parent = os.fork()
    if parent == 0:
        try:
            os.close(release)
            c = Legacy(server)
            c.alloc(1, 100), c.query()
            if os.fork() == 0:
                os.read(hold, 1)  # keeps the socket open until the test is over
        finally:
            os._exit(0)
    os.close(hold)
    os.waitpid(parent, 0)
    gone(server)
    os.close(release)


def test_a_client_cannot_report_for_another_process(server):
    """Fault of the original server: a client could report as any pid, and free any buffer."""
    c = Legacy(server)
    c.alloc(1, 100), c.query()
    for claim in (1, os.getppid(), -1, 2**31 - 1):
        d = Legacy(server, pid=claim)
        d.free(1)
        assert d.query()[DRAM] == 100  # its requests are answered nevertheless
        d.close()
    assert server.log().count("claims to be another process") == 4
    assert now(server).ignored == 4 and not now(server).flags & LOW
    demo = Legacy(server, pid=0)  # the original demo sends FREE without a pid
    demo.free(1)
    demo.query()
    assert c.query()[DRAM] == 0
    c.close(), demo.close()


def test_a_process_that_only_queries_is_no_client(server):
    """Fault of the original server: monitors, and the server itself, appeared as processes."""
    c = Legacy(server)
    c.query(), c.info()
    assert server.ask().living == []
    c.close()
    time.sleep(0.05)
    assert server.ask(WANT_FINISHED).finished == []


def test_a_process_with_a_table_is_not_counted_twice(server):
    c = Legacy(server)
    c.alloc(1, 100)
    assert c.query()[DRAM] == 100
    fd, m = table()
    put_pool(m, 0, DRAM, 40, 40, 1, 0)
    sock = hand_over(server, fd)
    wait(lambda: c.query()[DRAM] == 40, "the table to be believed")
    assert sorted((p.origin, p.now()) for p in server.ask().living) == [(TABLE, 40), (LEGACY, 100)]
    sock.close(), os.close(fd)
    wait(lambda: c.query()[DRAM] == 100, "the end of the table")
    c.close()


def test_the_preloaded_library_yields_to_the_processs_own_table(server):
    asker = Legacy(server)  # a client that only queries reports nothing
    total = lambda: asker.query()[DRAM]
    preloaded, m = table()
    m[72:80] = struct.pack("=Q", 1)  # flags: written by the preloaded library
    put_pool(m, 0, DRAM, 1000, 1000, 1, 0)
    kept = hand_over(server, preloaded)
    wait(lambda: total() == 1000, "what the library counts if no other source does")
    own, m = table()
    put_pool(m, 0, DRAM, 40, 40, 1, 0)
    sock = hand_over(server, own)
    wait(lambda: total() == 40, "its own table alone")
    sock.close(), os.close(own)
    wait(lambda: total() == 1000, "the library again")
    reporter = Legacy(server)
    reporter.alloc(1, 7)
    wait(lambda: total() == 7, "its own messages alone")
    reporter.free(1)
    wait(lambda: total() == 0, "nothing, by its own word")
    reporter.close()
    wait(lambda: total() == 1000, "the library once more")
    # Reports of another process are separate.
    other = Program(server)
    other.alloc(1, 5)
    wait(lambda: total() == 1005, "both")
    other.kill()
    kept.close(), os.close(preloaded), asker.close()


@options("--limit", "clients=20")
def test_an_answer_that_is_not_read_keeps_its_connection_counted(server):
    """Unread data in a socket is memory of the server, even after the server has closed it."""
    kept = []
    for i in range(20):
        c = Legacy(server)
        c.alloc(1, 1)
        c.send(QUERY)
        assert c.sock.recv(1, socket.MSG_PEEK)  # the answer is there, and stays unread
        c.sock.sendall(b"\xff" * 112)
        kept.append(c)
    wait(lambda: server.log().count("its bytes are not records of the legacy protocol") == 20, "the refusals")
    refused(errno.EUSERS, server.ask)
    kept[0].receive()
    assert kept[0].is_closed()
    wait(lambda: server.can_be_asked(), "room")
    for c in kept[1:]:
        c.close()
    wait(lambda: not server.ask().living, "their end")


def test_a_dump_that_cannot_be_sent_is_one_line_of_the_log(server):
    """Fault of the original server: it printed dumps on its terminal instead of sending them to the client."""
    c = Legacy(server, 72)
    c.alloc(0xBEE0, 100)
    c.query()
    c.send(DUMP_REMAINING)
    server.wait_for(f"pid {os.getpid()}, uid {os.getuid()}: shown by tt_smi mem --dump")
    c.send(DUMP_KERNELS)
    server.wait_for("dump of kernels requested by")
    assert "0xbee0: 100 bytes, logical" not in server.log()
    assert "0xbee0: 100 bytes, logical" in Monitor(server).dump()
    c.close()


def test_the_original_demo_three_times_is_three_times_one(server):
    """Fault of the original demo: ids of three copies, as its README suggests, collided."""
    MIB = 1 << 20
    demos = []

    def demo():
        c = Legacy(server, 72, pid=os.getpid())
        for i in range(1, 5):
            c.alloc(i, MIB, L1)
        for i in range(5, 9):
            c.alloc(i, 25 * MIB)
        for i in range(9, 17):
            c.alloc(i, MIB, L1)
        c.query()
        time.sleep(600)

    for _ in range(3):
        pid = os.fork()
        if pid == 0:
            try:
                demo()
            finally:
                os._exit(0)
        demos.append(pid)
    c = Legacy(server)
    wait(lambda: c.query() == {DRAM: 300 * MIB, L1: 36 * MIB, L1_SMALL: 0, TRACE: 0}, "the sum")
    for pid in demos:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    wait(lambda: c.query()[DRAM] == 0, "their end")
    c.close()


if __name__ == "__main__":
    run(sys.modules[__name__])
