"""Start and end of the server: sockets, signals, restarts, systemd."""

import ctypes
import sys

from allocd import *


def run_server(*words, environment=None, user=None, directory=None):
    env = {k: v for k, v in os.environ.items() if k not in ("TT_ALLOCD_SOCKET", "NOTIFY_SOCKET")}
    env.update(environment or {})
    program = ALLOCD if user is None else readable(ALLOCD, directory)
    return subprocess.run([program, *words], capture_output=True, text=True, env=env, user=user,
                          timeout=LIMIT)


# ---- the command line ----


@bare
def test_help_and_version(directory):
    r = run_server("--help")
    assert r.returncode == 0 and r.stderr == ""
    for word in ("--socket", "--legacy-socket", "--quiet", "--verbose", "--foreground", "--root", "--limit"):
        assert word in r.stdout
    assert max(map(len, r.stdout.splitlines())) <= 80
    assert run_server("-h").stdout == r.stdout
    assert re.fullmatch(r"tt_allocd \d+\.\d+\.\d+\n", run_server("--version").stdout)
    assert os.path.realpath(BUILD + "/allocation_server_poc") == os.path.realpath(ALLOCD)


@bare
def test_wrong_options_are_errors(directory):
    for words in (("--nonsense",), ("extra",), ("--limit", "clients"), ("--limit", "clients=0"),
                  ("--limit", "clients=x"), ("--limit", "nothing=1"), ("--socket",),
                  ("--limit", "clients=99999999999")):
        r = run_server(*words)
        assert r.returncode == 2 and r.stderr and r.stdout == "", words


@bare
def test_help_to_a_full_disk_is_an_error(directory):
    with open("/dev/full", "w") as full:
        r = subprocess.run([ALLOCD, "--help"], stdout=full, stderr=subprocess.PIPE)
    assert r.returncode == 74 and r.stderr


@bare
def test_quiet_logs_only_errors(directory):
    server = Server(directory, "--quiet", wait=False)
    wait(lambda: os.path.exists(server.legacy), "the socket")
    server.ask()
    assert server.log() == ""
    refused(errno.EBADMSG, lambda: receive((lambda s: (s.send(b"x"), s)[1])(server.connect())))
    wait(lambda: server.log(), "the refusal")
    server.stop()
    assert server.log().count("\n") == 1


# ---- texts ----

SOURCE = os.environ["SOURCE"]


def text_of(name):
    with open(SOURCE + "/" + name) as f:
        return f.read()


@bare
def test_manual_help_and_documents_agree(directory):
    """Options, variables and limits are the same in the manual, the help and the documents."""
    shown = run_server("--help").stdout
    manual = text_of("man/tt_allocd.8").replace("\\-", "-")
    for option in set(re.findall(r"--[a-z-]+", shown)):
        assert re.search(r"[ -]-?" + option[2:] + r"\b", manual), option
    limits = re.findall(r"^  ([a-z-]+) +(\d+) +(\d+|-)  (.+)$", shown.split("Limits:")[1], re.M)
    assert len(limits) == shown.split("Limits:")[1].split("\n\n")[0].count("\n")
    assert re.findall(r"^\.It ([a-z-]+) Ta (\d+) Ta (\d+|-) Ta (.+)$", manual, re.M) == limits


def unit_text(unit):
    made = os.path.exists(f"{SOURCE}/systemd/{unit}.in")
    return text_of(f"systemd/{unit}{'.in' if made else ''}")


@bare
def test_installed_units_start_what_was_installed(directory):
    """ExecStart= has the installed path, for a prefix that is given at installation time."""
    prefix = directory + "/a prefix"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True,
                   stdout=subprocess.DEVNULL)
    units = f"{prefix}/lib/systemd/system"
    for unit, program in (("tt-allocd", "tt_allocd"), ("tt-smi-trace", "tt_smi"), ("tt-smi-serve", "tt_smi")):
        if not os.path.exists(f"{units}/{unit}.service"):
            continue  # built without the tracer or the metrics
        with open(f"{units}/{unit}.service") as f:
            start, = re.findall("^ExecStart=(.*)$", f.read(), re.M)
        assert start.startswith(f'"{prefix}/bin/{program}"'), start
        assert os.access(f"{prefix}/bin/{program}", os.X_OK)
        if shutil.which("systemd-analyze"):
            r = subprocess.run(["systemd-analyze", "verify", f"{units}/{unit}.service"],
                               capture_output=True, text=True)
            wrong = [l for l in r.stderr.splitlines() if unit in l and "man" not in l]
            assert not wrong, r.stderr


@bare
def test_units_give_a_reason_for_every_line(directory):
    units = ("tt-allocd.service", "tt-allocd.socket", "tt-smi-trace.service", "tt-smi-serve.service",
             "tt-smi-serve.socket")
    for unit in units:
        paragraph = ""
        for line in unit_text(unit).split("[Install]")[0].splitlines():
            paragraph = "" if not line.strip() or line.startswith("[") else paragraph + line + "\n"
            key = line.split("=")[0]
            if "=" in line and not line.startswith("#") and key not in ("Description", "Documentation"):
                assert "#" in paragraph, f"{unit}: {line} without a reason"
    if shutil.which("systemd-analyze"):
        for unit in units:
            with open(f"{directory}/{unit}", "w") as f:
                text = re.sub("ExecStart=.*", "ExecStart=/bin/true", unit_text(unit))
                f.write(re.sub("Documentation=.*\n", "", text))
        for unit in ("tt-allocd", "tt-smi-trace", "tt-smi-serve"):
            r = subprocess.run(["systemd-analyze", "verify", f"{directory}/{unit}.service"],
                               capture_output=True, text=True)
            assert unit not in r.stderr, r.stderr


# ---- sockets ----


@bare
def test_a_running_server_keeps_its_socket(directory):
    """Fault of the original server: it removed the socket of a running server when it started."""
    server = Server(directory)
    second = run_server("--socket", server.path, "--legacy-socket", "none", "--root", server.root)
    assert second.returncode == 1 and "another server listens there" in second.stderr
    second = run_server("--socket", directory + "/other.sock", "--legacy-socket", server.legacy, "--root",
                        server.root)
    assert second.returncode == 1 and "another server listens there" in second.stderr
    os.kill(server.child.pid, signal.SIGSTOP)  # a server that does not respond counts as running
    second = run_server("--socket", server.path, "--legacy-socket", "none", "--root", server.root)
    assert second.returncode == 1
    os.kill(server.child.pid, signal.SIGCONT)
    server.ask()
    assert not os.path.exists(directory + "/other.sock")
    server.stop()


@bare
def test_a_dead_server_is_replaced(directory):
    server = Server(directory)
    server.kill()
    assert os.path.exists(server.path) and os.path.exists(server.legacy)
    server.start()
    server.ask()
    Legacy(server).query()
    server.stop()


@bare
def test_ten_servers_at_once_are_one(directory):
    server = Server(directory)
    server.kill()  # leaves a stale socket, which all new servers try to replace
    os.makedirs(directory + "/root", exist_ok=True)
    rivals = [spawn([ALLOCD, "--quiet", "--socket", server.path, "--legacy-socket", "none", "--root",
                     directory + "/root"], stderr=subprocess.DEVNULL) for _ in range(10)]
    wait(lambda: sum(r.poll() is None for r in rivals) == 1, "one winner")
    wait(server.can_be_asked, "the winner to listen")
    winner, = (r for r in rivals if r.poll() is None)
    assert server.ask().server_pid == winner.pid
    winner.terminate()
    assert winner.wait() == 0


@bare
def test_the_end_removes_both_sockets(directory):
    for number in (signal.SIGTERM, signal.SIGINT):
        server = Server(directory)
        c = Legacy(server)
        c.alloc(1, 1), c.query()
        m = Monitor(server)
        m.ask()
        assert server.stop(number) == 0
        assert not os.path.exists(server.path) and not os.path.exists(server.legacy)
        assert c.is_closed() and m.sock.recv(1) == b""


@bare
def test_the_end_removes_no_other_socket(directory):
    server = Server(directory)
    os.unlink(server.path)
    other = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    other.bind(server.path)
    server.stop()
    assert os.path.exists(server.path)


@bare
def test_other_files_are_not_replaced(directory):
    """Fault of the original server: other users could occupy its path in /tmp with files, directories, links or pipes."""
    root = directory + "/root"
    os.makedirs(root)
    victim = directory + "/victim"
    with open(victim, "w") as f:
        f.write("precious")

    def link(p): os.symlink(victim, p)
    def dangling(p): os.symlink(directory + "/nowhere", p)
    def loop(p): os.symlink(p, p)
    def file(p): open(p, "w").close()

    for make in (link, dangling, loop, file, os.mkdir, os.mkfifo):
        path = directory + "/hostile.sock"
        make(path)
        before = os.lstat(path)
        for words in (("--socket", path, "--legacy-socket", "none"),
                      ("--socket", directory + "/own.sock", "--legacy-socket", path)):
            r = run_server(*words, "--root", root)
            assert r.returncode == 1 and "is not a socket" in r.stderr, (make, r.stderr)
        assert os.lstat(path).st_ino == before.st_ino
        os.rmdir(path) if make is os.mkdir else os.unlink(path)
    assert open(victim).read() == "precious" and not os.path.exists(directory + "/nowhere")


@bare
def test_a_link_to_a_used_socket_is_not_followed(directory):
    server = Server(directory)
    os.symlink(server.path, directory + "/link.sock")
    r = run_server("--socket", directory + "/link.sock", "--legacy-socket", "none", "--root", server.root)
    assert r.returncode == 1 and os.path.islink(directory + "/link.sock")
    server.ask()
    server.stop()


@root
@bare
def test_a_directory_that_others_can_change_is_refused(directory):
    os.makedirs(directory + "/root")
    for name, mode, owner in (("open", 0o777, 0), ("foreign", 0o755, NOBODY)):
        os.mkdir(directory + "/" + name)
        os.chmod(directory + "/" + name, mode)
        os.chown(directory + "/" + name, owner, owner)
        r = run_server("--socket", f"{directory}/{name}/s", "--legacy-socket", "none", "--root",
                       directory + "/root")
        assert r.returncode == 1 and "could replace files" in r.stderr, r.stderr
    os.mkdir(directory + "/sticky")
    os.chmod(directory + "/sticky", 0o1777)  # like /tmp
    server = Server(directory, "--socket", directory + "/sticky/s")
    server.stop()


@root
@bare
def test_a_foreign_dead_socket_in_tmp_is_replaced_by_root_and_not_by_others(directory):
    os.mkdir(directory + "/tmp")
    os.chmod(directory + "/tmp", 0o1777)
    os.makedirs(directory + "/root")
    path = directory + "/tmp/legacy.sock"

    def squat():
        s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        s.bind(path)
        s.listen()

    in_child(squat, NOBODY)
    os.mkdir(directory + "/mine")
    os.chown(directory + "/mine", 1234, 1234)
    r = run_server("--socket", directory + "/mine/s", "--legacy-socket", path, "--root", directory + "/root",
                   user=1234, directory=directory)
    assert r.returncode == 1 and "Permission denied" in r.stderr, r.stderr
    server = Server(directory, "--legacy-socket", path)
    server.legacy = path
    Legacy(server).query()
    assert os.stat(path).st_mode & 0o777 == 0o666 and os.stat(path).st_uid == 0
    server.stop()


@bare
def test_a_locked_directory_delays_a_server_only_briefly(directory):
    fd = os.open(directory, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    server = Server(directory)
    server.stop()
    os.close(fd)


@root
@bare
def test_an_ordinary_users_server_is_in_the_users_directory(directory):
    os.mkdir(directory + "/run")
    os.chown(directory + "/run", NOBODY, NOBODY)
    os.makedirs(directory + "/root")
    program = readable(ALLOCD, directory)
    child = spawn([program, "--legacy-socket", "none", "--root", directory + "/root"], user=NOBODY,
                  stderr=subprocess.DEVNULL, env=dict(os.environ, XDG_RUNTIME_DIR=directory + "/run"))
    path = directory + "/run/tt-smi/allocd.sock"
    wait(lambda: os.path.exists(path), "the socket")
    assert os.stat(path).st_mode & 0o777 == 0o666
    assert os.stat(directory + "/run/tt-smi").st_mode & 0o022 == 0
    child.terminate()
    assert child.wait() == 0
    env = {k: v for k, v in os.environ.items() if not k.startswith("XDG")}
    r = subprocess.run([program, "--legacy-socket", "none"], user=NOBODY, env=env, capture_output=True,
                       text=True)
    assert r.returncode == 1 and "XDG_RUNTIME_DIR" in r.stderr


@root
@bare
def test_umask_does_not_exclude_other_users(directory):
    before = os.umask(0o077)
    server = Server(directory)
    os.umask(before)
    assert os.stat(server.path).st_mode & 0o777 == os.stat(server.legacy).st_mode & 0o777 == 0o666
    in_child(lambda: server.ask(), NOBODY)
    server.stop()


# ---- executed again ----


@bare
def test_sighup_loses_nothing(directory):
    """Fault of the original server: a restart lost all state, and all programs had to be restarted."""
    server = Server(directory)
    p = Program(server)
    p.alloc(1, 1000)
    dead = Program(server)
    dead.alloc(1, 77)
    wait(lambda: len(server.ask().living) == 2, "both")
    dead.kill()
    wait(lambda: server.ask(WANT_FINISHED).finished, "the account")
    c = Legacy(server, 144)
    for i in range(100):
        c.alloc(i, 10, i % 5, i % 3)
    c.alloc(0, 10)  # a second reference
    c.send(CB_ALLOC, 2, 5, 0, 1)
    c.free(999)
    monitor = Monitor(server)
    before = monitor.ask(ALLOCATIONS | WANT_FINISHED)
    start = before.server_start
    held = lambda: server.ask().of(os.getpid()).now(DRAM)
    c.query()
    assert held() == 200
    before = monitor.ask(ALLOCATIONS | WANT_FINISHED)
    half = record(ALLOC, 0, 1, DRAM, 0, 12345, 144)
    c.sock.sendall(half[:50])  # half a record
    for _ in range(3):
        pid, exe = server.child.pid, os.stat(f"/proc/{server.child.pid}/exe").st_ino
        seen = server.log().count("listening on")
        server.child.send_signal(signal.SIGHUP)
        wait(lambda: server.log().count("listening on") > seen, "the new server")
    after = monitor.ask(ALLOCATIONS | WANT_FINISHED)  # the same connection
    c.sock.sendall(half[50:])
    assert after.server_start == start and after.finished_total == before.finished_total
    for a, b in zip(before.all, after.all):
        assert (a.pid, a.start_ticks, a.name, a.misuse, a.peak()) == (b.pid, b.start_ticks, b.name, b.misuse,
                                                                    b.peak())
    wait(lambda: held() == 201, "the record that was cut")
    p.alloc(2, 500)
    assert server.ask().of(p.pid).now() == 1500 and p.do("state") == 3
    c.free(0), c.query()
    assert held() == 201  # one reference was left
    c.free(0), c.query()
    assert held() == 191
    p.kill()
    wait(lambda: all(q.pid != p.pid for q in server.ask().living), "the end of the program")
    assert server.ask(WANT_FINISHED).finished[-1].peak() == 1500
    c.close()
    wait(lambda: not server.ask().living, "the end of the client")
    assert server.stop() == 0 and not os.path.exists(server.path)


@bare
def test_sighup_executes_the_new_binary(directory):
    program = directory + "/tt_allocd"
    shutil.copy(ALLOCD, program)
    server = Server(directory, wait=False)
    server.kill()
    server.command = lambda: [program, "--verbose", "--socket", server.path, "--legacy-socket", "none",
                              "--root", server.root]
    server.start()
    old = os.stat(f"/proc/{server.child.pid}/exe").st_ino
    shutil.copy(ALLOCD, program + ".new")
    os.rename(program + ".new", program)  # like a package manager
    server.child.send_signal(signal.SIGHUP)
    wait(lambda: server.log().count("listening on") == 2, "the new server")
    assert os.stat(f"/proc/{server.child.pid}/exe").st_ino == os.stat(program).st_ino != old
    before = server.descriptors()
    os.unlink(program)
    server.child.send_signal(signal.SIGHUP)
    server.wait_for("cannot execute ")  # it continues with the old program
    server.ask()
    wait(lambda: server.descriptors() <= before, "descriptors")
    server.stop()


@bare
def test_sighup_under_load(directory):
    server = Server(directory)
    p = Program(server)
    p.alloc(1, 1)
    wait(lambda: server.ask().living, "the program")
    for _ in range(20):
        server.child.send_signal(signal.SIGHUP)
        for _ in range(3):
            assert server.ask().of(p.pid).now() == 1
    assert server.descriptors() < 32
    server.stop()


@bare
def test_a_terminal_that_is_closed_ends_the_server(directory):
    os.makedirs(directory + "/root")
    master, slave = os.openpty()
    path = directory + "/s"
    child = spawn([ALLOCD, "--socket", path, "--legacy-socket", "none", "--root", directory + "/root"],
                  stderr=slave)
    os.close(slave)
    said = b""
    for times in (1, 2):
        while said.count(b"listening") < times:
            said += os.read(master, 1000)
        if times == 1:
            child.send_signal(signal.SIGHUP)
    os.close(master)
    child.send_signal(signal.SIGHUP)
    assert child.wait(LIMIT) == 0 and not os.path.exists(path)


@root
@bare
def test_a_taken_legacy_socket_in_tmp_stops_only_itself(directory):
    """Fault of the original server: other users could occupy its path in /tmp."""
    libc = ctypes.CDLL(None, use_errno=True)
    program = os.open(ALLOCD, os.O_RDONLY)
    pid = os.fork()
    if pid == 0:
        try:
            assert libc.unshare(0x20000) == 0  # CLONE_NEWNS: a /tmp of our own
            libc.mount(b"none", b"/", None, 1 << 18 | 1 << 14, None)  # private
            assert libc.mount(b"none", b"/tmp", b"tmpfs", 0, b"mode=1777") == 0
            os.makedirs("/tmp/mine/root")
            squatter = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            squatter.bind("/tmp/tt_allocation_server.sock")
            squatter.listen()
            os.chown("/tmp/tt_allocation_server.sock", NOBODY, NOBODY)
            log = os.open("/tmp/mine/log", os.O_WRONLY | os.O_CREAT)
            child = os.fork()
            if child == 0:
                os.dup2(log, 2)
                os.execve(program, ["tt_allocd", "--socket", "/tmp/mine/s", "--root", "/tmp/mine/root"],
                          os.environ)

            class S:
                path = "/tmp/mine/s"
                connect, ask = Server.connect, Server.ask

            wait(lambda: "listening on" in open("/tmp/mine/log").read(), "the server")
            S().ask()
            text = open("/tmp/mine/log").read()
            assert "another server listens there; continuing without it" in text, text
            os.kill(child, signal.SIGTERM)
            assert os.waitpid(child, 0)[1] == 0
            assert os.stat("/tmp/tt_allocation_server.sock").st_uid == NOBODY
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    os.close(program)
    assert os.waitpid(pid, 0)[1] == 0


# ---- systemd ----


@bare
def test_readiness_is_notified(directory):
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    for name in (directory + "/notify", "\0tt-allocd-test-%d" % os.getpid()):
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.settimeout(LIMIT)
        notify.bind(name)
        server = Server(directory, wait=False, environment={"NOTIFY_SOCKET": name.replace("\0", "@")})
        assert notify.recv(100) == b"READY=1"
        server.ask()  # it listens
        server.child.send_signal(signal.SIGHUP)
        assert notify.recv(100) == b"RELOADING=1" and notify.recv(100) == b"READY=1"
        server.stop()
        assert notify.recv(100) == b"STOPPING=1"


@bare
def test_sockets_may_come_from_systemd(directory):
    own = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    own.bind(directory + "/allocd.sock")
    own.listen()
    legacy = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    legacy.bind(directory + "/legacy.sock")
    legacy.listen()
    os.makedirs(directory + "/root")
    log = open(directory + "/log", "wb")
    os.set_inheritable(own.fileno(), True), os.set_inheritable(legacy.fileno(), True)
    pid = os.fork()
    if pid == 0:
        # The sockets in the other order: the server distinguishes them by their types.
        a, b = os.dup(legacy.fileno()), os.dup(own.fileno())
        os.dup2(a, 3), os.dup2(b, 4), os.dup2(log.fileno(), 2)
        os.execve(ALLOCD, [ALLOCD, "--root", directory + "/root"],
                  dict(os.environ, LISTEN_PID=str(os.getpid()), LISTEN_FDS="2"))
    own.close(), legacy.close()
    server = Server.__new__(Server)
    server.path, server.legacy = directory + "/allocd.sock", directory + "/legacy.sock"
    server.ask()  # the connection waits in the backlog until the server is ready
    Legacy(server).query()
    os.kill(pid, signal.SIGHUP)
    server.ask()
    os.kill(pid, signal.SIGTERM)
    assert os.waitpid(pid, 0)[1] == 0
    assert os.path.exists(server.path)  # only systemd may remove it


def answers(server):
    try:
        server.connect().close()
        return True
    except (ConnectionRefusedError, FileNotFoundError):
        return False  # the path exists before the server listens


def test_a_log_without_a_reader_does_not_block(server):
    read, write = os.pipe()
    fcntl.fcntl(write, 1031, 4096)  # F_SETPIPE_SZ
    child = spawn([ALLOCD, "--verbose", "--socket", server.directory + "/other.sock", "--legacy-socket",
                   "none", "--root", server.root], stderr=write)
    os.close(write)
    other = Server.__new__(Server)
    other.path = server.directory + "/other.sock"
    wait(lambda: answers(other), "the server")
    for _ in range(100):
        try:
            sock = other.connect()
            sock.send(b"nonsense that is refused with a line in the log")
            receive(sock)
        except Refused:
            pass
        sock.close()
    other.ask()
    os.close(read)
    other.ask()  # a closed log does not block the server either
    child.terminate()
    assert child.wait() == 0


if __name__ == "__main__":
    run(sys.modules[__name__])
