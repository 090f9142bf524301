"""tt_smi as the reader of foreign data: tables of processes, images of a server.

They are used only if they are sealed, complete and consistent. The processes are real, the machine is
simulated, and the server sends false data.
"""

import json
import sys
import threading

from allocd import *

HAS_NODE = 1
IMAGE_SEALS = SEAL_SEAL | SEAL_SHRINK | SEAL_GROW | SEAL_WRITE


class Smi:
    """tt_smi on a simulated machine with two cards, whose /proc contains this process."""

    def __init__(self, directory, boards="2xn150", *options):
        self.root = machine(directory, "--no-workloads", "-b", boards, *options)
        self.socket = directory + "/fake.sock"
        os.symlink(f"/proc/{os.getpid()}", f"{self.root}/proc/{os.getpid()}")

    def ask(self):
        """Returns the devices with their processes; sets .errors."""
        done = subprocess.run([BUILD + "/tt_smi", "mem", "--once", "--json"], capture_output=True, text=True,
                              timeout=LIMIT, env=dict(os.environ, TT_SMI_ROOT=self.root,
                                                      TT_ALLOCD_SOCKET=self.socket))
        assert done.returncode == 0, (done.returncode, done.stderr)
        document = json.loads(done.stdout)
        self.errors = "; ".join(f"{e['source']}: {e['message']}" for e in document["errors"])
        return document["devices"]

    def figures(self):
        """{(pid, device): bytes of DRAM} of tracked processes."""
        return {(p["pid"], d["id"]): p["dram"] for d in self.ask() for p in d["processes"]
                if p["dram"] is not None}


# ---- tables of processes ----


def put_device(m, device, node):
    """Writes the identity of the card, in all four copies."""
    at = 4096 + 2048 * device
    m[at:at + 8] = struct.pack("=Q", 4)
    m[at + 128:at + 256] = struct.pack("=4Q", HAS_NODE, node, 0, 0) * 4


def own_table(**options):
    fd, m = table(**options)
    if m and len(m) > SLOT_OFFSET:
        put_device(m, 0, 1)
        put_pool(m, 0, DRAM, 1000, 1000, 1, 0)
    return fd


@bare
def test_a_table_is_read_only_if_its_size_is_sealed(directory):
    smi = Smi(directory)
    for seals in (SEAL_SHRINK | SEAL_GROW, SEAL_SHRINK | SEAL_GROW | SEAL_FUTURE_WRITE | SEAL_SEAL):
        fd = own_table(seals=seals)
        assert smi.figures() == {(os.getpid(), 1): 1000}, seals
        assert "sealed" not in smi.errors
        os.close(fd)
    for seals in (0, SEAL_SHRINK, SEAL_GROW, SEAL_SEAL, SEAL_FUTURE_WRITE | SEAL_SHRINK,
                  SEAL_FUTURE_WRITE | SEAL_GROW):
        fd = own_table(seals=seals)
        assert smi.figures() == {}, seals
        assert f"process {os.getpid()}, descriptor {fd}: not sealed, so not read" in smi.errors, smi.errors
        os.close(fd)


@bare
def test_a_table_that_is_too_short_is_not_mapped(directory):
    smi = Smi(directory)
    for size in (0, 4096, SLOT_OFFSET - 4096, SLOT_OFFSET - 8):
        fd = own_table(size=size)
        assert smi.figures() == {}, size
        assert f"descriptor {fd}: Bad message" in smi.errors, smi.errors
        os.close(fd)


@bare
def test_a_table_of_another_process_is_not_this_ones(directory):
    smi = Smi(directory)
    for options in (dict(pid=1), dict(pid=os.getpid() + 1), dict(start=1), dict(pid=2**32 + os.getpid())):
        fd = own_table(**options)
        assert smi.figures() == {}, options
        os.close(fd)
    fd = own_table(start=0)  # it could not read its own start time
    assert smi.figures() == {(os.getpid(), 1): 1000}
    os.close(fd)


# ---- images of a server ----


def usage(device, node, dram=0, pool=DRAM, peak=None, allocs=1, frees=0):
    return struct.pack("=IIIIQQQQQQQQ", device, pool, HAS_NODE, node, 0, 0, dram,
                       dram if peak is None else peak, allocs, frees, 0, 0)


def allocation(device=0, pool=DRAM, size=1, identity=1):
    return struct.pack("=QQQII", identity, size, 0, device, pool)


LIST_HIDDEN, LIST_CUT, TOTALS_LOW = 1 << 2, 1 << 3, 1 << 4


def image(*processes, cut=0, flags=0, origin=LEGACY):
    """An image of a server. processes: (pid, usages, allocations)."""
    records, usages, allocations = b"", [], []
    for pid, its_usages, its_allocations in processes:
        records += struct.pack("=IIQQQIIiIIIII9QQ64sQQ", pid, os.getuid(), 0, 0, 0, origin, flags, 0, len(usages),
                               len(its_usages), len(allocations), len(its_allocations), 0, *(0,) * 9, 0,
                               b"fake", 0, 0)
        usages += its_usages
        allocations += its_allocations
    at = 128 + len(records)
    allocations_at = at + 80 * len(usages)
    length = allocations_at + 32 * len(allocations)
    head = struct.pack("=8sIIQQQQIIQQQIIII4Q", b"TTIMAGE1", 1, 128, length, 1, 1, 1, os.getpid(), 0, 128, at,
                       allocations_at, len(processes), len(usages), len(allocations), 0, 0, 0, 0, 0)
    return (head + records + b"".join(usages) + b"".join(allocations))[:length - cut]


def sealed(data, seals=IMAGE_SEALS):
    fd = os.memfd_create("tt-snapshot", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(fd, data)
    if seals:
        fcntl.fcntl(fd, F_ADD_SEALS, seals)
    return fd


def reply(length, kind=SNAPSHOT_REPLY):
    return packet(kind, struct.pack("=Q", length))


class Fake:
    """A server that answers every request with one packet and the given descriptors."""

    def __init__(self, smi, message, descriptors=()):
        if os.path.exists(smi.socket):
            os.unlink(smi.socket)
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.bind(smi.socket)
        self.sock.listen()
        self.message, self.descriptors, self.asked = message, descriptors, 0
        self.thread = threading.Thread(target=self.serve)

    def serve(self):
        try:
            while True:
                client, _ = self.sock.accept()
                with client:
                    while client.recv(4096):
                        self.asked += 1
                        messages = self.message if isinstance(self.message, list) else [self.message]
                        socket.send_fds(client, [messages[0]], list(self.descriptors))
                        for message in messages[1:]:
                            client.send(message)
        except OSError:
            pass

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.sock.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.sock.close()
        for fd in self.descriptors:
            os.close(fd)
        assert self.asked or _[0]


GOOD = image((os.getpid(), [usage(0, 0, 100), usage(1, 1, 20)], []))
BELIEVED = {(os.getpid(), 0): 100, (os.getpid(), 1): 20}


def answer(data=GOOD, seals=IMAGE_SEALS, length=None):
    return reply(len(data) if length is None else length), [sealed(data, seals)]


@bare
def test_an_image_is_read_only_if_it_is_sealed(directory):
    smi = Smi(directory)
    for seals in (IMAGE_SEALS, SEAL_SHRINK | SEAL_WRITE):
        with Fake(smi, *answer(seals=seals)):
            assert smi.figures() == BELIEVED, seals
    for seals in (0, SEAL_SHRINK, SEAL_WRITE, SEAL_GROW | SEAL_SHRINK, SEAL_GROW | SEAL_WRITE,
                  SEAL_FUTURE_WRITE | SEAL_SHRINK, SEAL_SEAL):
        with Fake(smi, *answer(seals=seals)):
            assert smi.figures() == {}, seals
            assert "daemon: Operation not permitted" in smi.errors, smi.errors


@bare
def test_an_image_that_is_not_a_memfd_is_not_read(directory):
    smi = Smi(directory)
    with open(directory + "/file", "wb") as f:
        f.write(GOOD)
    with Fake(smi, reply(len(GOOD)), [os.open(directory + "/file", os.O_RDONLY)]):
        assert smi.figures() == {}
    read, write = os.pipe()
    with Fake(smi, reply(len(GOOD)), [read]):
        assert smi.figures() == {}
    os.close(write)


@bare
def test_an_image_has_the_length_of_its_header(directory):
    smi = Smi(directory)
    for data, length in ((GOOD, 0), (GOOD, len(GOOD) + 1), (GOOD, len(GOOD) + 2**20), (GOOD, 2**40),
                         (GOOD, len(GOOD) - 1), (GOOD[:-1], len(GOOD)), (GOOD[:-8], len(GOOD) - 8),
                         (b"x", 1), (GOOD[:127], 127), (b"", 4096)):
        with Fake(smi, *answer(data, length=length)):
            assert smi.figures() == {}, (len(data), length)
            assert "daemon: " in smi.errors, smi.errors
    with Fake(smi, *answer(GOOD + b"\0" * 4096, length=len(GOOD))):
        assert smi.figures() == BELIEVED


@bare
def test_an_answer_has_the_right_type_and_one_descriptor(directory):
    smi = Smi(directory)
    good = len(GOOD)
    for message, count in ((reply(good), 0), (reply(good), 2), (reply(good), 3), (reply(good, DUMP_REPLY), 1),
                           (reply(2**63), 1), (packet(WELCOME, b"\0" * 8), 0), (packet(77, b"\0" * 8), 1),
                           (packet(ERROR, struct.pack("=II104s", 0, 0, b"")), 0),
                           (packet(ERROR, struct.pack("=II104s", 4096, 0, b"")), 0),
                           (packet(ERROR, struct.pack("=II104s", 5, 0, b"x" * 104)), 0),
                           (reply(good)[:20], 1), (reply(good) + b"\0", 1), (b"x", 0), (b"x" * 500, 1),
                           (packet(SNAPSHOT_REPLY, struct.pack("=Q", good), version=2), 1)):
        with Fake(smi, message, [sealed(GOOD) for _ in range(count)]):
            assert smi.figures() == {}, (message, count)
            assert "daemon: " in smi.errors, (message, count, smi.errors)


def stream(data=GOOD, step=100, length=None):
    """The packets of a streamed answer."""
    return [packet(ANSWER, struct.pack("=Q", len(data) if length is None else length)),
            *(packet(DATA, data[i:i + step]) for i in range(0, len(data), step))]


@bare
def test_an_answer_in_pieces(directory):
    smi = Smi(directory)
    for step in (1, 7, 100, 65520):
        with Fake(smi, stream(step=step)):
            assert smi.figures() == BELIEVED, step
    good = stream()
    for bad in (stream(length=0), stream(length=len(GOOD) - 1), stream(length=2**40), stream(length=2**63),
                [good[0], *good[2:], good[1]], [*good[:2], good[0], *good[2:]], good[1:],
                [good[0], packet(DATA, b""), *good[1:]], [good[0], packet(DATA, GOOD, version=2)],
                [good[0], packet(DATA, GOOD, length=17)], [good[0], packet(DATA, GOOD + b"x")],
                [good[0], packet(ERROR, struct.pack("=II104s", 5, 0, b"no"))]):
        with Fake(smi, bad):
            assert smi.figures() == {}, bad[:2]
            assert "daemon: " in smi.errors, (bad[:2], smi.errors)


@bare
def test_a_request_is_retried_after_the_time_given_by_the_server(directory):
    smi = Smi(directory)

    class Busy(Fake):
        def serve(self):
            good, later = self.message, packet(ERROR, struct.pack("=II104s", errno.EAGAIN, 20, b"is used up"))
            client, _ = self.sock.accept()
            with client:
                while client.recv(4096):
                    self.asked += 1
                    for message in good if self.asked == 3 else [later]:
                        client.send(message)

    with Busy(smi, stream()) as busy:
        assert smi.figures() == BELIEVED
        assert busy.asked == 3
    with Fake(smi, packet(ERROR, struct.pack("=II104s", errno.EAGAIN, 60000, b"share \x1b is used up"))) as fake:
        assert smi.figures() == {} and fake.asked == 1
        assert "the allocation server: share" in smi.errors and "\x1b" not in smi.errors, smi.errors


@bare
def test_doctor_distinguishes_a_refusal_from_a_dead_server(directory):
    smi = Smi(directory)
    old = b"this program is too old for tt_allocd 9.0.0: install both of one version"
    with Fake(smi, packet(ERROR, struct.pack("=II104s", errno.EPROTONOSUPPORT, 0, old))):
        done = subprocess.run([BUILD + "/tt_smi", "doctor", "--json"], capture_output=True, text=True, timeout=LIMIT,
                              env=dict(os.environ, TT_SMI_ROOT=smi.root, TT_ALLOCD_SOCKET=smi.socket))
    found = [f for f in json.loads(done.stdout)["findings"] if f["section"] == "Allocation server"]
    assert [(f["level"], f["fixes"]) for f in found] == [("warn", [])], found
    assert found[0]["text"] == f"{smi.socket}: the allocation server: {old.decode()}", found


@bare
def test_a_server_without_streaming(directory):
    """An older server refuses the flag and closes the connection; then tt_smi requests a memfd."""
    smi = Smi(directory)

    class Old(Fake):
        def serve(self):
            try:
                while True:
                    client, _ = self.sock.accept()
                    with client:
                        while question := client.recv(4096):
                            self.asked += 1
                            if struct.unpack_from("=I", question, 16)[0] & STREAM:
                                client.send(packet(ERROR, struct.pack("=II104s", errno.EBADMSG, 0, b"not a message")))
                                break
                            socket.send_fds(client, [self.message], list(self.descriptors))
            except OSError:
                pass

    with Old(smi, *answer()):
        assert smi.figures() == BELIEVED


@bare
def test_flags_of_totals_and_lists(directory):
    smi = Smi(directory)

    def shown(flags, usages=None, allocations=(allocation(),), origin=LEGACY):
        with Fake(smi, stream(image((os.getpid(), usages or [usage(0, 0, 100, allocs=5, frees=2)], list(allocations)),
                                    flags=flags, origin=origin))):
            device, = [d for d in smi.ask() if d["processes"]]
            return device["processes"][0]

    plain = shown(0)
    assert (plain["allocations"], plain["allocations_made"], plain["allocations_freed"]) == (3, 5, 2), plain
    assert plain["exact"] and plain["list_complete"] and len(plain["list"]) == 1, plain
    assert shown(0, allocations=(), origin=TRACED)["allocations"] == 3
    assert not shown(TOTALS_LOW)["exact"]
    assert shown(LIST_CUT)["list_complete"] is False
    assert shown(LIST_HIDDEN, allocations=())["list_unavailable"] == "permission_denied"
    # Memory on a device that this machine does not have makes the other figures lower bounds.
    assert not shown(0, [usage(0, 0, 100), usage(1, 7, 20)])["exact"]
    assert "matches no device of this machine" in smi.errors, smi.errors


@bare
def test_devices_and_pools_outside_of_the_arrays_are_refused(directory):
    smi = Smi(directory)
    me = os.getpid()
    for bad in (image((me, [usage(64, 0, 1)], [])), image((me, [usage(2**32 - 1, 0, 1)], [])),
                image((me, [usage(0, 0, 1, pool=7)], [])), image((me, [usage(0, 0, 5, peak=4)], [])),
                image((me, [usage(0, 0, 2**50 + 1)], [])), image((me, [usage(0, 0, 1)], [allocation(64)])),
                image((me, [usage(0, 0, 1)], [allocation(2**31)])),
                image((me, [usage(0, 0, 1)], [allocation(0, pool=7)])),
                image((me, [usage(0, 0, 1)], [allocation(0, size=0)])), image((0, [usage(0, 0, 1)], [])),
                image((2**31, [usage(0, 0, 1)], []))):
        with Fake(smi, *answer(bad)):
            assert smi.figures() == {}
            assert "daemon: Bad message" in smi.errors, smi.errors


@bare
def test_each_process_has_its_own_figures_and_allocations(directory):
    smi = Smi(directory)
    others = [spawn(["sleep", "600"]).pid for _ in range(2)]
    first, second = os.getpid(), others[0]
    # The figures of two processes on the same device follow each other.
    data = image((first, [usage(0, 0, 100), usage(0, 0, 7, L1)], [allocation(0, DRAM, 100, 11)]),
                 (second, [usage(0, 0, 5)], [allocation(0, DRAM, 5, 22)]),
                 (others[1], [usage(63, 0, 9), usage(63, 0, 3, L1)], [allocation(63, DRAM, 9, 33)]))
    with Fake(smi, *answer(data)):
        card, _ = smi.ask()
    found = {p["pid"]: (p["dram"], p["l1"], [(a["id"], a["size"]) for a in p["list"]])
             for p in card["processes"]}
    assert found == {first: (100, 7, [(11, 100)]), second: (5, 0, [(22, 5)]), others[1]: (9, 3, [(33, 9)])}, found


@bare
def test_more_groups_of_figures_than_there_can_be_devices(directory):
    """Only a malicious server sends this many: figures beyond the limit are omitted, with an error."""
    smi = Smi(directory)
    me = os.getpid()
    for groups in (64, 65, 66, 5000):
        with Fake(smi, *answer(image((me, [usage(i % 2, i % 2, 1) for i in range(groups)], [])))):
            shown = [(d["processes"][0]["dram"], d["processes"][0]["exact"]) for d in smi.ask()]
        assert shown == [(32, groups == 64)] * 2, (groups, shown)


# ---- the device of a logical number ----


class Holder(Smi):
    """tt_smi with a driver without lists and a real server; this process has some devices open."""

    def __init__(self, directory, boards, *held):
        super().__init__(directory, boards, "--driver", "2.4.0")
        self.held = [os.open(f"{self.root}/dev/tenstorrent/{n}", os.O_RDWR) for n in held]
        self.server = Server(directory, root=self.root)
        self.socket = self.server.path

    def legacy(self, *figures):
        client = Legacy(self.server)
        for identity, (device, size) in enumerate(figures):
            client.alloc(identity + 1, size, DRAM, device)
        client.query(0)  # when this is answered, all reports have arrived
        return client

    def table(self, *figures):
        fd, m = table()
        for device, size in figures:
            put_pool(m, device, DRAM, size, size, 1, 0)
        m[128:136] = struct.pack("=Q", sum(1 << device for device, _ in figures))
        return fd

    def check(self, want, complete=True):
        """Checks {device: bytes} of this process, from the server and from its table."""
        devices = self.ask()
        have = {d["id"]: p["dram"] for d in devices for p in d["processes"]
                if p["pid"] == os.getpid() and p["dram"] is not None}
        assert have == want, (have, want, self.errors)
        told = {d["id"]: d["memory"]["complete"] for d in devices if d["id"] in want}
        assert set(told.values()) <= {complete}, told

    def done(self):
        for fd in self.held:
            os.close(fd)
        self.server.stop()


def check_numbers(directory, boards, held, figures, want, complete=True):
    for name in ("legacy", "table"):
        place = f"{directory}/{name}"
        os.makedirs(place)
        smi = Holder(place, boards, *held)
        kept = getattr(smi, name)(*figures)
        smi.check(want, complete)
        os.close(kept) if isinstance(kept, int) else kept.sock.close()
        smi.done()


@bare
def test_the_second_chip_of_an_n300_has_a_number_too(directory):
    """TT-Metal numbers chips with PCIe first: number 2 is the chip behind the n300, not an unknown card."""
    check_numbers(directory + "/one", "n300", [0], [(0, 1000), (1, 3000)], {0: 1000, "0R": 3000})
    check_numbers(directory + "/two", "n300,n150", [0, 1], [(0, 10), (1, 20), (2, 30)], {0: 10, 1: 20, "0R": 30})


@bare
def test_a_process_reports_about_the_card_that_it_holds(directory):
    """In a container with one of two cards, that card has number 0: it must not be taken for the other card."""
    check_numbers(directory, "2xn150", [1], [(0, 1000)], {1: 1000})


@bare
def test_memory_on_an_unknown_device_makes_the_rest_a_lower_bound(directory):
    check_numbers(directory, "2xn150", [0, 1], [(0, 1000), (9, 3000)], {0: 1000}, complete=False)


if __name__ == "__main__":
    run(sys.modules[__name__])
