"""Attacks of one user on another through the server; at full size with FULL=1.

Each has a victim with another uid, all of whose requests must be answered."""

import select
import sys
import threading

from allocd import *
import blocking

FULL = bool(os.environ.get("FULL"))
ATTACKER, VICTIM = NOBODY, 1234
PATIENCE = LIMIT  # seconds to wait for an answer on a busy machine


class Attack:
    """A process of another user that runs until the end of the block."""

    def __init__(self, function, user=ATTACKER):
        self.ready, told = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
                function(lambda: os.write(told, b"x"))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        os.close(told)

    def __enter__(self):
        assert os.read(self.ready, 1) == b"x", "the attack did not begin"
        return self

    def __exit__(self, *_):
        ended = os.waitpid(self.pid, os.WNOHANG)[0]
        if not ended:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.ready)
        assert _[0] or not ended, "the attack ended by itself"


def asking(server):
    """Starts an attacker that sends requests as often as the server permits."""

    def attack(begun):
        m = Monitor(server)
        begun()
        while True:
            try:
                m.ask()
            except Refused as e:
                time.sleep(e.retry_ms / 1000)

    return attack


def victim_asks(server, seconds=1.0, flags=0):
    """Sends requests repeatedly, each on a new connection, like tt_smi. Returns the longest wait."""
    def ask():
        end, slowest = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            began = time.monotonic()
            m = Monitor(server)
            m.sock.settimeout(PATIENCE)
            m.ask(flags)
            m.close()
            slowest = max(slowest, time.monotonic() - began)
            time.sleep(0.02)
        print(f"# the victim waited {slowest * 1000:.0f} ms at most")
        sys.stdout.flush()

    in_child(ask, VICTIM)


@root
@options("--limit", "handshake=2000")
def test_many_connections_that_ask_for_many_allocations(server):
    """An earlier server skipped new connections, which timed out although they had sent a message."""
    p = Program(server, user=ATTACKER)
    p.do("many", DRAM, 8, 200000)
    wait(lambda: server.ask().living, "the program")

    def ask(begun):
        monitors = [Monitor(server) for _ in range(20)]
        for m in monitors:
            m.question(ALLOCATIONS)
        begun()
        poll = {m.sock.fileno(): m for m in monitors}
        while True:
            for fd in select.select(list(poll), [], [])[0]:
                try:
                    poll[fd].answer()
                except Refused as e:
                    assert e.code == errno.EAGAIN and e.retry_ms > 0, e
                poll[fd].question(ALLOCATIONS)

    with Attack(ask):
        victim_asks(server, 10 if FULL else 2)
        victim_asks(server, 1, ALLOCATIONS)
    p.end()


@root
@options("--limit", "handshake=1000")
def test_a_message_that_was_sent_counts_however_late_the_server_is(server):
    """Even if the server is stopped for longer than it waits for a first message."""
    socks = [Monitor(server) for _ in range(30)]
    os.kill(server.child.pid, signal.SIGSTOP)
    more = [Monitor(server) for _ in range(30)]
    for m in socks + more:
        m.question()
    time.sleep(1.2)
    os.kill(server.child.pid, signal.SIGCONT)
    for m in socks + more:
        m.image()
        m.close()
    assert "no message within" not in server.log()


def memory_cgroup(directory, limit):
    """A control group, v2 or v1, with this limit of bytes; None if it cannot be created here."""
    for base, name in (("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/unified", "memory.max"),
                       ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")):
        group = f"{base}/tt-allocd-test-{os.getpid()}"
        try:
            os.mkdir(group)
        except OSError:
            continue
        if os.path.exists(f"{group}/{name}"):
            with open(f"{group}/{name}", "w") as f:
                f.write(str(limit))
            return group
        os.rmdir(group)
    return None


def peak(group):
    for name in ("memory.peak", "memory.max_usage_in_bytes", "memory.current"):
        try:
            with open(f"{group}/{name}") as f:
                return int(f.read())
        except OSError:
            continue
    return 0


@bare
@root
def test_answers_that_are_not_read_stay_within_the_bound(directory):
    """An earlier server was killed by MemoryMax= when a user kept 60 to 70 snapshots.

    The limit here is for all users: 256 MiB of pending answers, 64 MiB for waiting requests, and the server itself."""
    limit = 400 << 20
    group = memory_cgroup(directory, limit)
    if not group:
        raise Skip("needs a memory cgroup")
    try:
        server = Server(directory, "--limit", "cpu=1000", "--limit", "user-cpu=1000", prefix=("sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"))
        p = Program(server, user=ATTACKER)
        p.do("many", DRAM, 8, 300000)
        wait(lambda: server.ask().living, "the program")

        def keep(begun):
            kept, told, count = [], False, 400 if FULL else 100
            while True:
                if len(kept) < count:
                    m = Monitor(server)
                    m.question(ALLOCATIONS)
                    try:
                        kind, body, _ = receive(m.sock)
                        kept.append(m)
                        continue  # the rest of it is not read
                    except Refused as e:
                        assert e.code == errno.EAGAIN, e
                        assert "do not read" in e.text or "is used up" in e.text, e
                if not told and len(kept) > 3:
                    begun()
                    told = True
                time.sleep(0.05)

        with Attack(keep):
            victim_asks(server, 5 if FULL else 1)
            victim_asks(server, 0.5, ALLOCATIONS)
        server.wait_for("do not read")
        most = peak(group)
        print(f"# at most {most >> 20} MiB in {os.path.basename(os.path.dirname(group)) or 'cgroup'}")
        assert server.is_alive() and most < limit, most
        p.end()
        assert server.stop() == 0
    finally:
        for child in children:
            if child.poll() is None:
                child.kill()
                child.wait()
        wait(lambda: not open(f"{group}/cgroup.procs").read(), "the group's end")
        os.rmdir(group)


@root
def test_refusals_that_are_not_read_are_bounded(server):
    """Unread data in a socket is memory of the server, even after the server has closed it."""
    def keep(begun):
        socks = []
        for _ in range(300):
            sock = server.connect()
            sock.send(b"nonsense")
            socks.append(sock)
            time.sleep(0.001)
        for sock in socks:  # the server has refused it, or hung up
            assert select.select([sock], [], [], LIMIT)[0]
        begun()
        told = 0
        for sock in socks:
            try:
                receive(sock)
            except Refused:
                told += 1
            except (EOFError, ConnectionError):
                pass
        assert 0 < told <= 64, told
        signal.pause()

    with Attack(keep):
        victim_asks(server, 0.3)


@root
def test_equal_requests_share_one_answer(server):
    p = Program(server)
    p.do("many", DRAM, 8, 200000)
    wait(lambda: server.ask().living, "the program")
    monitors = [Monitor(server) for _ in range(16)]
    monitors[0].question(ALLOCATIONS)
    monitors[0].answer()
    os.kill(server.child.pid, signal.SIGSTOP)
    for m in monitors:
        m.question(ALLOCATIONS)
    os.kill(server.child.pid, signal.SIGCONT)
    images = []
    for m in monitors:
        images.append(struct.unpack_from("=Q", m.answer(), 24)[0])  # the time of the snapshot
        m.close()
    # The server may have begun to answer some requests before it has read the others; without sharing
    # there would be as many snapshots as requests.
    assert len(set(images)) <= len(images) / 3, images
    p.alloc(0xABCDEF0, 1)
    fresh = server.ask(ALLOCATIONS)  # a snapshot is never older than the request
    assert fresh.of(p.pid).now() == 200000 * 8 + 1
    p.end()


class Silent:
    """A process of the attacker whose /proc files block, and a child that uses its sockets."""

    def __init__(self, server, mount, speak):
        go, self.go = os.pipe()
        speak_now, self.speak = os.pipe()
        self.spoken, told = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setgroups([])
                os.setresgid(ATTACKER, ATTACKER, ATTACKER)
                os.setresuid(ATTACKER, ATTACKER, ATTACKER)
                blocking.libc.prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: /proc/self/mem is its own again
                own, legacy = server.connect(), Legacy(server)
                fd, _ = table()
                if os.fork() == 0:
                    os.read(speak_now, 1)
                    speak(own, legacy, fd)
                    os.write(told, b"x")
                    signal.pause()
                blocking.fall_silent(mount.path, go)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        for pipe in (go, speak_now, told):
            os.close(pipe)

    def begin(self):
        """Returns False if reads of its /proc files do not block on this kernel."""
        wait(lambda: blocking.is_reading(self.pid), "the read that never ends")
        os.write(self.go, b"x")
        wait(lambda: blocking.is_changing_memory(self.pid), "a thread that waits for the read")
        is_silent = not blocking.answers(self.pid)
        os.write(self.speak, b"x")
        assert os.read(self.spoken, 1) == b"x"
        for pipe in (self.go, self.speak, self.spoken):
            os.close(pipe)
        return is_silent


def victim_reports(server):
    """Asserts that programs of the victim can report by both protocols, and are shown."""
    def report():
        began = time.monotonic()
        c = Legacy(server)
        c.sock.settimeout(PATIENCE)
        c.alloc(1, 77)
        assert c.query()[DRAM] >= 77
        fd, m = table()
        put_pool(m, 0, DRAM, 88, 88, 1, 0)
        sock = server.connect()
        sock.settimeout(PATIENCE)
        socket.send_fds(sock, [hello()], [fd])
        assert receive(sock)[0] == WELCOME
        print(f"# the victim's programs waited {(time.monotonic() - began) * 1000:.0f} ms")
        sys.stdout.flush()

    in_child(report, VICTIM)


@bare
@root
def test_clients_whose_files_block(directory):
    """An earlier server blocked in a read of /proc/PID/environ for as long as the attacker wanted."""
    try:
        mount = blocking.Mount(directory)
    except OSError as e:
        raise Skip(f"needs FUSE: {e}") from None
    # The leak checker would wait for ever for a thread that hangs.
    server = Server(directory, root=with_real_proc(directory), environment={"ASAN_OPTIONS": "detect_leaks=0"})
    silent = []

    def speak(own, legacy, fd):
        socket.send_fds(own, [hello()], [fd])
        legacy.alloc(1, 1 << 20)
        legacy.send(QUERY)

    try:
        for _ in range(10 if FULL else 6):
            silent.append(Silent(server, mount, speak))
            if not silent[-1].begin():
                raise Skip("the kernel answers for processes whose memory is locked")
            victim_asks(server, 0.2)
            victim_reports(server)
        for file in ("environ", "cmdline", "maps"):
            print(f"# /proc/PID/{file} {'answers' if blocking.answers(silent[0].pid, file) else 'hangs'}")
        # The processes are shown, without what could not be read.
        wait(lambda: {s.pid for s in silent} <= {p.pid for p in server.ask().living}, "all of them")
        for p in server.ask().living:
            assert p.pid not in {s.pid for s in silent} or p.name, "its name is known all the same"
        wait(server.rests, "a server that does not turn in circles")
        # A server that executes itself again, or is restarted, does not wait for them either.
        server.child.send_signal(signal.SIGHUP)
        wait(lambda: server.log().count("listening on") == 2, "the new server")
        victim_asks(server, 0.2)
        victim_reports(server)
        server.stop()
        server.start()
        victim_asks(server, 0.2)
        server.stop()
    finally:
        mount.end()
        for s in silent:
            with open(f"/proc/{s.pid}/task/{s.pid}/children", encoding="ascii") as children:
                for child in children.read().split():
                    os.kill(int(child), signal.SIGKILL)
            os.kill(s.pid, signal.SIGKILL)
            os.waitpid(s.pid, 0)


PROCESS_FILES = ("stat", "status", "environ", "cmdline", "maps", "fd")


def hang_file(server, mount, pid, file):
    """Makes reads of this file or directory in /proc/PID block, in the server's mount namespace."""
    enter = ["nsenter", "-m", "-t", str(server.child.pid)]
    what = mount.path if file == "fd" else mount.path + "/file"
    subprocess.run([*enter, "mount", "--bind", what, f"/proc/{pid}/{file}"], check=True)
    look = ["ls", "-U"] if file == "fd" else ["cat"]
    seen = subprocess.run([*enter, "timeout", "-s", "KILL", "0.3", *look, f"/proc/{pid}/{file}"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    assert seen.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL), "the file answers"


@bare
@root
def test_each_file_of_a_client_that_blocks(directory):
    """For each file of /proc/PID, a client for which it blocks, and which reports and asks by both protocols."""
    try:
        mount = blocking.Mount(directory)
    except OSError as e:
        raise Skip(f"needs FUSE: {e}") from None
    clients = []
    try:
        server = Server(directory, root=with_real_proc(directory),
                        environment={"ASAN_OPTIONS": "detect_leaks=0"},
                        prefix=("unshare", "--mount", "--propagation", "private"))
        for file in PROCESS_FILES:
            go, gone = os.pipe()

            def speak(begun):
                os.read(go, 1)
                fd, m = table()
                put_pool(m, 0, DRAM, 5, 5, 1, 0)
                own, legacy = server.connect(), Legacy(server)
                socket.send_fds(own, [hello()], [fd])
                legacy.alloc(1, 1 << 20)
                legacy.send(QUERY)
                begun()
                signal.pause()

            client = Attack(speak)
            clients.append(client)
            hang_file(server, mount, client.pid, file)
            os.write(gone, b"x")
            client.__enter__()
            victim_asks(server, 0.2)
            victim_reports(server)
            wait(lambda: client.pid in {p.pid for p in server.ask().living}, f"the client without {file}")
            os.close(go)
            os.close(gone)
        # A server that executes itself again searches all processes for tables.
        server.child.send_signal(signal.SIGHUP)
        wait(lambda: server.log().count("listening on") == 2, "the new server")
        victim_asks(server, 0.2)
        victim_reports(server)
        wait(server.rests, "a server that does not turn in circles")
        mount.end()  # first: the server, blocked in a read of a FUSE directory, could not be killed
        assert server.stop() == 0
    finally:
        mount.end()
        for client in clients:
            os.kill(client.pid, signal.SIGKILL)
            os.waitpid(client.pid, 0)


def lingering_socket():
    """A socket whose last close waits for a peer that reads nothing. Returns (socket, listener)."""
    listener = socket.create_server(("127.0.0.1", 0))
    sock = socket.socket()
    sock.connect(listener.getsockname())
    sock.setblocking(False)
    try:
        while True:
            sock.send(bytes(65536))
    except BlockingIOError:
        pass
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 2 * LIMIT))
    return sock, listener


def send_descriptors(server, fds):
    """Sends descriptors in every way that the server receives them. The connections stay open."""
    question = packet(SNAPSHOT, struct.pack("=II", STREAM, 0))
    ways = [(hello(),), (question,), (b"nonsense",), (b"nonsense", hello()), (hello(), hello())]
    socks = []
    for messages in ways:
        sock = server.connect()
        for message in messages:
            try:
                socket.send_fds(sock, [message], fds)
            except OSError as e:
                assert e.errno in (errno.EPIPE, errno.ECONNRESET), e
        try:
            receive(sock)  # the server closes a connection when its refusal was read, with all unread descriptors
        except (Refused, EOFError, ConnectionError):
            pass
        socks.append(sock)
    legacy = Legacy(server)
    socket.send_fds(legacy.sock, [record(QUERY)], fds)
    return socks + [legacy]


def attack_with_descriptors(server, make, afterwards, release=lambda: None):
    """Sends the descriptors that make() returns, many times. release() allows the attacker's process to end."""
    def send(begun):
        kept = []
        for i in range(60 if FULL else 3):
            for count in (1, 253):
                fd, keep = make()
                kept.append((keep, send_descriptors(server, [fd] * count)))
                if keep:  # closed here first, so that the server normally has the last copies
                    threading.Thread(target=os.close, args=(fd,), daemon=True).start()
            if i == 0:
                begun()
        signal.pause()

    with Attack(send):
        try:
            victim_asks(server, 5 if FULL else 1)
            victim_reports(server)
            wait(server.rests, "a server that does not turn in circles")
            afterwards()
            victim_asks(server, 0.2)
        finally:
            release()


@root
def test_sockets_whose_close_waits_for_their_peer(server):
    """The owner of a TCP socket with SO_LINGER determines how long its last close takes."""
    def make():
        sock, listener = lingering_socket()
        return sock.detach(), listener

    def afterwards():
        # Signals interrupt such a close, so the server can execute itself again at once.
        server.child.send_signal(signal.SIGHUP)
        wait(lambda: server.log().count("listening on") == 2, "the new server")

    attack_with_descriptors(server, make, afterwards)


@bare
@root
def test_files_whose_close_blocks_for_ever(directory):
    """Closing a FUSE file waits for an answer of its file system, and no signal interrupts that."""
    try:
        mount = blocking.OpenMount(directory)
    except OSError as e:
        raise Skip(f"needs FUSE: {e}") from None
    try:
        server = Server(directory, environment={"ASAN_OPTIONS": "detect_leaks=0"})

        def afterwards():
            assert "cannot be closed" in server.log()
            # execve() would wait for them too.
            server.child.send_signal(signal.SIGHUP)
            server.wait_for("cannot restart on SIGHUP: descriptors")

        attack_with_descriptors(server, lambda: (os.open(mount.path + "/file", os.O_RDONLY), None),
                                afterwards, mount.end)
        victim_asks(server, 0.2)
        assert server.stop() == 0
    finally:
        mount.end()


@bare
@root
def test_long_lists_of_visible_devices(directory):
    """An earlier server parsed TT_VISIBLE_DEVICES, here with 500 entries, for each device and card."""
    root = machine(directory, "--static", "--no-workloads", "-b", "32xn150")
    server = Server(directory, root=root)
    entries = ",".join(f"0000:{i % 256:02x}:00.0" for i in range(500))

    code = f"""
import sys, time
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
from allocd import *
class S: legacy = {server.legacy!r}
os.setresuid({ATTACKER}, {ATTACKER}, {ATTACKER})
clients = [Legacy(S) for _ in range(20)]
for c in clients:
    for device in range(64):
        c.alloc(device, 1, DRAM, device)
    c.query()
print("ready", flush=True)
time.sleep(600)
"""
    child = spawn([sys.executable, "-c", code], stdout=subprocess.PIPE,
                  env=dict(os.environ, TT_VISIBLE_DEVICES=entries))
    assert child.stdout.readline() == b"ready\n"

    with Attack(asking(server)):
        victim_asks(server, 3 if FULL else 1)
    server.stop()


@bare
@root
def test_planted_files_in_shared_memory(directory):
    """With 100,000 files that look like TT-Metal's counters, an earlier server needed 22 s for one answer."""
    root = machine(directory, "--static", "--no-workloads", "-b", "n150")
    os.makedirs(root + "/dev/shm", exist_ok=True)
    for i in range(100000 if FULL else 5000):
        fd = os.open(f"{root}/dev/shm/tt_device_{10 ** 12 + i}_memory", os.O_CREAT | os.O_WRONLY, 0o644)
        os.fchown(fd, ATTACKER, ATTACKER)
        os.close(fd)
    server = Server(directory, root=root)

    with Attack(asking(server)):
        victim_asks(server, 5 if FULL else 1)
    wait(server.rests, "rest without requests")
    server.stop()


if __name__ == "__main__":
    run(sys.modules[__name__])
