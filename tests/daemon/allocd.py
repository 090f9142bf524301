"""Runs the server as a real process, with its clients: raw sockets, programs with libttalloc.

A test is a function named test_*; run() runs those of a module and prints TAP.
Each gets a directory of its own with a fresh server unless it says otherwise.
"""

import contextlib
import errno
import fcntl
import glob
import mmap
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

BUILD = os.environ["BUILD"]
ALLOCD = os.environ.get("ALLOCD", BUILD + "/tt_allocd")
HELPERS = os.environ["HELPERS"]  # where daemon_program and daemon_crowd are
LIMIT = 300  # seconds, on a busy machine; ends a test that hangs

DRAM, L1, SYSTEM, L1_SMALL, TRACE, CB, KERNEL = range(7)
TABLE, LEGACY, TRACED, METAL = range(1, 5)
FINISHED, EXIT_KNOWN, HIDDEN, CUT, LOW, INCONSISTENT = (1 << i for i in range(6))
DOUBLE_FREE, UNKNOWN_FREE, DUPLICATE, ZERO_SIZE, OVERFLOW, _, _, UNLISTED, LOST = range(9)

NOBODY = 65534

# ---- wire ----

HELLO, WELCOME, ERROR = 1, 2, 3
SNAPSHOT, SNAPSHOT_REPLY, DUMP, DUMP_REPLY, ANSWER, DATA = range(16, 22)
ALLOCATIONS, WANT_FINISHED, STREAM = 1, 2, 4
DUMP_STREAM = 2
MAGIC = 0x44415454


def packet(kind, body, version=1, magic=MAGIC, length=None, zero=0):
    length = 16 + len(body) if length is None else length
    return struct.pack("=IHHII", magic, version, kind, length, zero) + body


def hello(table_version=1, flags=0):
    return packet(HELLO, struct.pack("=II", table_version, flags))


class Refused(Exception):
    def __init__(self, code, retry_ms, text):
        super().__init__(f"{os.strerror(code)}: {text}")
        self.code, self.retry_ms, self.text = code, retry_ms, text


class Process:
    """A process in a snapshot of the server, with its usages and allocations."""

    def __init__(self, fields, usages, allocations):
        (self.pid, self.uid, self.start_ticks, self.start_ns, self.ended_ns, self.origin, self.flags,
         self.exit_status) = fields[:8]
        self.doubt = fields[12]
        self.misuse = fields[13:22]
        self.unlisted = fields[22]
        self.name = fields[23].split(b"\0")[0].decode(errors="replace")
        self.ignored = fields[24]
        self.usages, self.allocations = usages, allocations

    def usage(self, device=0, pool=DRAM):
        for u in self.usages:
            if (u["device"], u["pool"]) == (device, pool):
                return u
        return None

    def now(self, pool=None, device=None):
        return sum(u["now"] for u in self.usages
                   if pool in (None, u["pool"]) and device in (None, u["device"]))

    def peak(self, pool=DRAM):
        return sum(u["peak"] for u in self.usages if u["pool"] == pool)


USAGE = ("device", "pool", "known", "node", "bdf", "asic", "now", "peak", "allocs", "frees",
         "failures", "changed")


class Image:
    def __init__(self, data):
        head = struct.unpack_from("=8sIIQQQQIIQQQIIII", data)
        (magic, version, size, length, self.monotonic, self.realtime, self.server_start, self.server_pid,
         flags, at, usage_at, allocation_at, n, n_usages, n_allocations, self.finished_total) = head
        assert magic == b"TTIMAGE1" and version == 1 and size == 128 and length == len(data), head
        usages = [dict(zip(USAGE, u)) for u in
                  struct.iter_unpack("=IIIIQQQQQQQQ", data[usage_at:usage_at + 80 * n_usages])]
        allocations = list(struct.iter_unpack(
            "=QQQII", data[allocation_at:allocation_at + 32 * n_allocations]))
        self.all = []
        for i in range(n):
            f = struct.unpack_from("=IIQQQIIiIIIII9QQ64sQ", data, at + 224 * i)
            self.all.append(Process(f, usages[f[8]:f[8] + f[9]], allocations[f[10]:f[10] + f[11]]))
        self.living = [p for p in self.all if not p.flags & FINISHED]
        self.finished = [p for p in self.all if p.flags & FINISHED]

    def now(self, pool=None):
        return sum(p.now(pool) for p in self.living)

    def of(self, pid, origin=None):
        found = [p for p in self.living if p.pid == pid and origin in (None, p.origin)]
        assert len(found) == 1, f"{len(found)} records of {pid}"
        return found[0]


def receive(sock):
    data, fds, _, _ = socket.recv_fds(sock, 4096, 8)
    if not data:
        raise EOFError("the server hung up")
    magic, version, kind, length, zero = struct.unpack_from("=IHHII", data)
    assert (magic, version, length, zero) == (MAGIC, 1, len(data), 0), data
    if kind == ERROR:
        code, retry, text = struct.unpack_from("=II104s", data, 16)
        raise Refused(code, retry, text.split(b"\0")[0].decode())
    return kind, data[16:], fds


F_GET_SEALS, F_ADD_SEALS = 1034, 1033
SEAL_SEAL, SEAL_SHRINK, SEAL_GROW, SEAL_WRITE, SEAL_FUTURE_WRITE = 1, 2, 4, 8, 16


class Monitor:
    """A connection that sends requests."""

    def __init__(self, server):
        self.sock = server.connect()

    def ask(self, flags=0, pid=0):
        self.question(flags, pid)
        return self.image()

    def question(self, flags=0, pid=0):
        self.sock.send(packet(SNAPSHOT, struct.pack("=II", flags | STREAM, pid)))

    def image(self):
        return Image(self.answer())

    def dump(self, kernels=False):
        self.sock.send(packet(DUMP, struct.pack("=II", kernels | DUMP_STREAM, 0)))
        return self.answer().decode()

    def answer(self):
        kind, body, fds = receive(self.sock)
        assert kind == ANSWER and not fds
        length, = struct.unpack("=Q", body)
        data = []
        while length > 0:
            part = self.sock.recv(65537)
            if not part:
                raise EOFError("the server hung up within an answer")
            head = struct.unpack_from("=IHHII", part)
            assert head == (MAGIC, 1, DATA, len(part), 0) and 16 < len(part) <= 65536, head
            data.append(part[16:])
            length -= len(part) - 16
        assert length == 0
        return b"".join(data)

    def close(self):
        self.sock.close()


# ---- tables ----

SLOT_OFFSET = 135168


def self_start_ticks(pid="self"):
    with open(f"/proc/{pid}/stat") as f:
        return int(f.read().rsplit(")", 1)[1].split()[19])


def table(pid=None, start=None, magic=b"TTALLOC1", version=1, capacity=1024, size=None, seals=None,
          devices=1, slots_used=0, cells=True, name=b""):
    """A table like that of libttalloc, or with the given deviations. Returns (descriptor, writable mapping)."""
    fd = os.memfd_create("ttalloc", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    size = SLOT_OFFSET + 32 * capacity if size is None else size
    os.ftruncate(fd, size)
    header = struct.pack("=8sIIIIIIQQQQQ", magic, version, 4096, 2048, 64, 7, 32, SLOT_OFFSET, capacity,
                         os.getpid() if pid is None else pid,
                         self_start_ticks() if start is None else start, 1)
    m = None
    if size >= 4096:
        m = mmap.mmap(fd, min(size, 2**40) if size < 2**31 else 4096)
        m[0:len(header)] = header
        m[128:144] = struct.pack("=QQ", devices, slots_used)
        m[384:384 + len(name)] = name
        if cells and size >= SLOT_OFFSET:
            for device in range(64):
                if devices >> device & 1:
                    put_pool(m, device, DRAM, 0, 0, 0, 0)
    if seals is None:
        seals = SEAL_SHRINK | SEAL_GROW | SEAL_FUTURE_WRITE | SEAL_SEAL
    if seals:
        fcntl.fcntl(fd, F_ADD_SEALS, seals)
    return fd, m


def put_pool(m, device, pool, now, peak, allocs, frees, seq=4):
    """Writes the figures of a pool, in all four copies."""
    at = 4096 + 2048 * device + 256 + 256 * pool
    m[at:at + 8] = struct.pack("=Q", seq)
    m[at + 64:at + 64 + 192] = struct.pack("=6Q", now, peak, allocs, frees, 0, 1) * 4


def put_slot(m, index, device=0, pool=DRAM, identity=1, size=1, generation=1, top=0):
    at = SLOT_OFFSET + 32 * index
    meta = generation | device << 32 | pool << 48 | top << 56
    m[at:at + 32] = struct.pack("=QQQQ", meta, identity, size, 1)


def hand_over(server, fd, message=None, fds=None):
    """Sends HELLO; returns the connection after WELCOME, raises Refused."""
    sock = server.connect()
    socket.send_fds(sock, [hello() if message is None else message], [fd] if fds is None else fds)
    kind, body, _ = receive(sock)
    assert kind == WELCOME
    return sock


# ---- the legacy protocol ----

SIZES = (72, 112, 128, 144)
(ALLOC, FREE, QUERY, RESPONSE, DUMP_REMAINING, INFO_QUERY, INFO_RESPONSE, CB_ALLOC, CB_FREE, KERNEL_LOAD,
 KERNEL_UNLOAD, DUMP_KERNELS) = range(1, 13)


def record(kind, device=0, size=0, pool=0, pid=0, identity=0, length=112):
    head = struct.pack("<B3xiQB3xiQQ", kind, device, size, pool, pid, identity, 0)
    return head.ljust(length, b"\0")


class Legacy:
    """A client of the original allocation server."""

    def __init__(self, server, length=112, pid=None):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(LIMIT)
        self.sock.connect(server.legacy)
        self.length = length
        self.pid = os.getpid() if pid is None else pid

    def send(self, kind, device=0, size=0, pool=0, identity=0):
        self.sock.sendall(record(kind, device, size, pool, self.pid, identity, self.length))

    def alloc(self, identity, size, pool=DRAM, device=0):
        self.send(ALLOC, device, size, pool, identity)

    def free(self, identity, device=0):
        self.send(FREE, device, 0, 0, identity)

    def receive(self):
        data = b""
        while len(data) < self.length:
            more = self.sock.recv(self.length - len(data))
            if not more:
                raise EOFError("the server hung up")
            data += more
        return data

    def query(self, device=0):
        """Bytes by pool; with CB and KERNEL if records of this size have them."""
        self.send(QUERY, device)
        data = self.receive()
        kind, got = struct.unpack_from("<B3xi", data)
        assert (kind, got) == (RESPONSE, device), data
        totals = dict(zip((DRAM, L1, L1_SMALL, TRACE), struct.unpack_from("<4Q", data, 40)))
        if self.length >= 128:
            totals.update(zip((CB, KERNEL), struct.unpack_from("<2Q", data, 72)))
        return totals

    def info(self, device=-1):
        self.send(INFO_QUERY, device)
        data = self.receive()
        assert data[0] == INFO_RESPONSE
        at = 88 if self.length >= 128 else 72
        names = ("dram", "l1", "arch", "channels", "channel", "l1_core", "available", "devices")
        return dict(zip(names, struct.unpack_from("<QQ6I", data, at)))

    def is_closed(self):
        try:
            return self.sock.recv(1) == b""
        except ConnectionResetError:
            return True

    def close(self):
        self.sock.close()


# ---- the server ----

children = []


def spawn(command, **options):
    """Starts a process that is ended with the test."""
    child = subprocess.Popen(command, **options)
    children.append(child)
    return child


def readable(program, directory):
    """A copy of a program that other users can execute, even if they cannot enter the build directory."""
    copy = directory + "/" + os.path.basename(program)
    if not os.path.exists(copy):
        shutil.copy(program, copy)
        os.chmod(copy, 0o755)
    return copy


def with_real_proc(directory):
    """A tree whose /proc has the processes of this machine, like that of a running simulated machine."""
    root = directory + "/root"
    os.makedirs(root)
    os.symlink("/proc", root + "/proc")
    open(root + "/simulated", "w").close()
    return root


class Server:
    def __init__(self, directory, *options, root=None, user=None, wait=True, environment=None,
                 prefix=()):
        self.prefix = prefix
        self.directory = directory
        self.path = directory + "/allocd.sock"
        self.legacy = directory + "/legacy.sock"
        self.log_path = directory + "/log"
        self.options = options
        self.root = root
        self.user = user
        self.environment = environment or {}
        self.child = None
        if not root:
            self.root = directory + "/root"
            os.makedirs(self.root, exist_ok=True)
        self.start(wait)

    def command(self):
        program = ALLOCD if self.user is None else readable(ALLOCD, self.directory)
        level = [] if "--quiet" in self.options else ["--verbose"]
        return [*self.prefix, program, *level, "--socket", self.path, "--legacy-socket", self.legacy, "--root",
                self.root, "--limit", f"handshake={LIMIT * 1000}", *self.options]

    def start(self, wait=True):
        environment = {k: v for k, v in os.environ.items()
                       if k not in ("TT_ALLOCD_SOCKET", "NOTIFY_SOCKET")}
        environment.update(self.environment)
        with open(self.log_path, "ab") as log:
            self.log_from = log.tell()
            self.child = spawn(self.command(), stdout=log, stderr=log,
                               env=environment, user=self.user)
        if wait:
            self.wait_for("listening on")

    def log(self, all_of_it=False):
        with open(self.log_path, "rb") as f:
            f.seek(0 if all_of_it else self.log_from)
            return f.read().decode(errors="replace")

    def wait_for(self, text):
        wait(lambda: text in self.log() or self.child.poll() is not None, f"log line {text!r}")
        assert text in self.log(), self.log()

    def connect(self):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        sock.settimeout(LIMIT)
        sock.connect(self.path)
        return sock

    def ask(self, flags=0, pid=0):
        monitor = Monitor(self)
        try:
            return monitor.ask(flags, pid)
        finally:
            monitor.close()

    def is_alive(self):
        return self.child.poll() is None

    def kill(self):
        self.child.kill()
        self.child.wait()

    def stop(self, number=signal.SIGTERM):
        if self.child.poll() is None:
            self.child.send_signal(number)
        try:
            return self.child.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("the server does not end: " + self.log()[-2000:]) from None

    def cpu_seconds(self):
        with open(f"/proc/{self.child.pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def can_be_asked(self):
        try:
            self.ask()
            return True
        except (Refused, EOFError, OSError):
            return False

    def rests(self):
        """Is the server idle, and not in a busy loop?"""
        used = self.cpu_seconds()
        time.sleep(0.3)
        return self.cpu_seconds() - used <= 0.02

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.child.pid}/fd"))


# ---- simulated machines ----


def machine(directory, *words):
    """Creates a simulated machine, running or (--static) as files only."""
    root = directory + "/sim"
    child = spawn([BUILD + "/tt_smi-sim", *words, root], stderr=subprocess.DEVNULL)
    wait(lambda: os.path.exists(root + "/simulated") and os.path.getsize(root + "/simulated"), "the machine")
    if "--static" in words:
        child.wait()
    return root


# ---- real programs ----

class Program:
    """A process that reports through libttalloc, controlled by lines on its standard input."""

    def __init__(self, server, user=None, prefix=(), environment=None):
        env = dict(os.environ, TT_ALLOCD_SOCKET=server.path, TT_SMI_ROOT=server.root,
                   **(environment or {}))
        program = HELPERS + "/daemon_program"
        if user is not None:
            program = readable(program, server.directory)
        self.child = spawn([*prefix, program], env=env, stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, text=True, user=user)
        self.pid = self.child.pid

    def do(self, *words):
        self.child.stdin.write(" ".join(map(str, words)) + "\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline().strip()
        return int(answer) if answer.lstrip("-").isdigit() else answer

    def alloc(self, identity, size, pool=DRAM, device=0):
        return self.do("alloc", device, pool, identity, size)

    def free(self, identity, pool=DRAM, device=0):
        return self.do("free", device, pool, identity)

    def kill(self):
        self.child.kill()
        self.child.wait()

    def end(self):
        self.child.stdin.close()
        return self.child.wait()


# ---- the harness ----


def wait(condition, what="condition"):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.002)


def eventually(check, *arguments):
    """Repeats a check until it passes: tt_smi ignores a server that answers too late on a busy machine."""
    end = time.monotonic() + LIMIT
    while True:
        try:
            return check(*arguments)
        except (AssertionError, LookupError):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def refused(code, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except Refused as e:
        assert e.code == code, f"refused with {e}, not {os.strerror(code)}"
        return e
    raise AssertionError("was not refused")


def in_child(function, user=None):
    """Runs a function in a forked process, as another user if requested; raises its exception here."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 0
        try:
            os.close(read)
            if user is not None:
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
            function()
        except BaseException:
            os.write(write, traceback.format_exc().encode()[-4000:])
            status = 1
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read) as f:
        text = f.read()
    os.waitpid(pid, 0)
    assert not text, text


class Skip(Exception):
    """The test cannot run on this machine; the text is the reason."""


def remove(directory):
    """Removes a directory. Directories of a simulated machine may be read-only, and the machine may be removing
    them at the same time."""
    for _ in range(1000):
        for folder, _, _ in os.walk(directory):
            with contextlib.suppress(FileNotFoundError):
                os.chmod(folder, 0o700)
        shutil.rmtree(directory, ignore_errors=True)
        if not os.path.exists(directory):
            return
        time.sleep(0.05)


def run(module):
    tests = [(n, f) for n, f in vars(module).items() if n.startswith("test_")]
    only = sys.argv[1:]
    failures = 0
    print(f"1..{len(tests)}")
    for number, (name, test) in enumerate(tests, 1):
        if only and not any(re.search(o, name) for o in only):
            continue
        if getattr(test, "root", False) and os.getuid() != 0:
            print(f"ok {number} - {name} # SKIP needs root")
            continue
        directory = tempfile.mkdtemp(prefix="tt-allocd-")
        os.chmod(directory, 0o755)
        server = None
        began = time.monotonic()
        try:
            if getattr(test, "bare", False):
                test(directory)
            else:
                server = Server(directory, *getattr(test, "options", ()))
                test(server)
                assert server.is_alive(), "the server has ended"
                status = server.stop()
                assert status == 0, f"the server ended with {status}"
            for path in glob.glob(directory + "/log*"):
                with open(path, errors="replace") as f:
                    text = f.read()
                assert "Sanitizer" not in text and "runtime error" not in text, text[-4000:]
            print(f"ok {number} - {name} ({(time.monotonic() - began) * 1000:.0f} ms)")
        except Skip as reason:
            print(f"ok {number} - {name} # SKIP {reason}")
        except BaseException:
            failures += 1
            print(f"not ok {number} - {name}")
            print("# " + traceback.format_exc().replace("\n", "\n# "))
            if server:
                print("# log: " + server.log(True)[-3000:].replace("\n", "\n# log: "))
            if server and server.is_alive():
                server.kill()
        finally:
            for child in children:
                if child.poll() is None:
                    child.kill()
                    child.wait()
            children.clear()
            remove(directory)
        sys.stdout.flush()
    sys.exit(failures != 0)


def bare(test):
    """Decorator for a test that starts its servers itself, and gets the directory as argument."""
    test.bare = True
    return test


def root(test):
    """Decorator for a test that needs root, to switch to other users."""
    test.root = True
    return test


def options(*words):
    def mark(test):
        test.options = words
        return test

    return mark


class Crowd:
    """Many programs at once: see crowd.c."""

    def __init__(self, server):
        env = dict(os.environ, TT_ALLOCD_SOCKET=server.path, TT_SMI_ROOT=server.root)
        self.child = spawn([HELPERS + "/daemon_crowd"], env=env, stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, text=True)

    def do(self, *words):
        self.child.stdin.write(" ".join(map(str, words)) + "\n")
        self.child.stdin.flush()
        return self.child.stdout.readline().strip()

    def pids(self):
        return set(map(int, self.do("pids").split()))

    def end(self):
        self.child.stdin.close()
        self.child.wait()
