"""Access rights: users and namespaces. Needs root."""

import ctypes
import sys

from allocd import *


def test_totals_for_all_users_and_single_allocations_for_the_owner_and_root(server):
    """Faults of the original server: unknown and forbidden figures looked alike, and any user could falsify them."""
    mine, other, roots = Program(server, user=1234), Program(server, user=NOBODY), Program(server)
    for p in (mine, other, roots):
        p.alloc(0x10, 100)
    wait(lambda: len(server.ask().living) == 3, "the programs")

    def ordinary():
        image = server.ask(ALLOCATIONS)
        assert [image.of(p.pid).now() for p in (mine, other, roots)] == [100] * 3
        assert [len(image.of(p.pid).allocations) for p in (mine, other, roots)] == [1, 0, 0]
        assert not image.of(mine.pid).flags & HIDDEN
        assert image.of(other.pid).flags & HIDDEN and image.of(roots.pid).flags & HIDDEN
        asked = server.ask(ALLOCATIONS, other.pid)  # no error, and no allocations
        assert asked.of(other.pid).allocations == [] and asked.of(other.pid).flags & HIDDEN
        text = Monitor(server).dump()
        assert f"pid {other.pid}" in text and text.count("0x10: 100 bytes") == 1

    in_child(ordinary, 1234)
    image = server.ask(ALLOCATIONS)
    assert [len(image.of(p.pid).allocations) for p in (mine, other, roots)] == [1, 1, 1]
    assert {image.of(p.pid).uid for p in (mine, other, roots)} == {1234, NOBODY, 0}
    for p in (mine, other, roots):
        p.end()


def test_the_same_for_legacy_clients(server):
    def ordinary():
        c = Legacy(server)
        c.alloc(0x77, 10), c.query()
        assert len(server.ask(ALLOCATIONS).of(os.getpid()).allocations) == 1
        in_child(lambda: None)
        os.write(write, b"x")
        os.read(hold, 1)

    read, write = os.pipe()
    hold, release = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(release)
            os.setgroups([]), os.setresgid(1234, 1234, 1234), os.setresuid(1234, 1234, 1234)
            ordinary()
        finally:
            os._exit(0)
    os.read(read, 1)

    def other_user():
        p = server.ask(ALLOCATIONS).of(pid)
        assert p.now() == 10 and p.allocations == [] and p.flags & HIDDEN and p.uid == 1234

    in_child(other_user, NOBODY)
    assert len(server.ask(ALLOCATIONS).of(pid).allocations) == 1
    os.close(release)
    os.waitpid(pid, 0)
    for fd in (read, write, hold):
        os.close(fd)


@bare
def test_a_users_server_does_not_end_others_live_data(directory):
    """Fault of the original server: it took EPERM for a dead process, and deleted data of other users' programs."""
    os.chown(directory, 1234, 1234)
    os.makedirs(directory + "/root")
    os.chown(directory + "/root", 1234, 1234)
    server = Server(directory, user=1234)
    p = Program(server)  # root's program at a user's server
    p.alloc(1, 5)
    c = Legacy(server)
    c.alloc(1, 7), c.query()
    wait(lambda: len(server.ask().living) == 2, "both")
    time.sleep(0.3)
    assert server.ask().now() == 12
    assert server.ask().of(p.pid).uid == 0
    p.kill()
    wait(lambda: server.ask().now() == 7, "its end")
    server.stop()


def unshare(*flags):
    return ["unshare", *flags]


def can_unshare(*flags):
    return subprocess.run(["unshare", *flags, "true"], capture_output=True).returncode == 0


def test_a_client_in_another_pid_namespace(server):
    """Fault of the original server: it confused pids of containers with those of the host."""
    if not can_unshare("--pid", "--fork"):
        return
    p = Program(server, prefix=unshare("--pid", "--fork", "--mount-proc", "--kill-child"))
    p.alloc(1, 100)
    wait(lambda: server.ask().living, "the program")
    seen, = server.ask().living
    with open(f"/proc/{seen.pid}/status") as f:
        pids = re.search(r"NSpid:\s+(.*)", f.read()).group(1).split()
    assert pids == [str(seen.pid), "1"] and seen.now() == 100  # shown with its pid in the server's namespace
    assert seen.start_ticks == self_start_ticks(seen.pid)
    p.child.kill()
    wait(lambda: not server.ask().living, "its end")


def test_a_client_in_another_user_namespace(server):
    if not can_unshare("--user", "--pid", "--fork"):
        return
    p = Program(server, user=1234, prefix=unshare("--user", "--map-root-user", "--pid", "--fork",
                                                  "--kill-child"))
    p.alloc(1, 100)
    wait(lambda: server.ask().living, "the program")
    seen, = server.ask().living
    assert (seen.uid, seen.now()) == (1234, 100)  # root in that namespace has no privileges here
    p.child.kill()
    wait(lambda: not server.ask().living, "its end")


def namespaced(server, code):
    """Runs Python in a pid namespace of its own, as its process 1."""
    code = f"""
import sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
from allocd import *
class S:
    legacy = {server.legacy!r}
    path = {server.path!r}
    connect = Server.connect
    ask = Server.ask
server = S()
{code}
"""
    return spawn([*unshare("--pid", "--fork", "--kill-child"), sys.executable, "-c", code],
                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_a_legacy_client_in_a_container_may_use_its_own_number(server):
    if not can_unshare("--pid", "--fork"):
        return
    child = namespaced(server, """
c = Legacy(server, 112)   # says it is process 1, and is
assert os.getpid() == 1
c.alloc(7, 70)
print(c.query()[DRAM], flush=True)
sys.stdin.read()
""")
    assert child.stdout.readline() == "70\n"
    seen, = server.ask().living
    assert seen.pid != 1 and seen.now() == 70
    child.stdin.close()
    wait(lambda: not server.ask().living, "its end")


def test_root_of_a_container_sees_no_more_than_its_user(server):
    if not can_unshare("--user", "--pid", "--fork"):
        return
    p = Program(server)
    p.alloc(1, 1)
    wait(lambda: server.ask().living, "the program")

    def contained():
        ids = os.getuid(), os.getgid()
        libc = ctypes.CDLL(None)
        libc.prctl(4, 1)  # PR_SET_DUMPABLE: a process that changed its user may not write its own maps
        assert libc.unshare(0x10000000) == 0  # CLONE_NEWUSER
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {ids[0]} 1"), ("gid_map", f"0 {ids[1]} 1")):
            with open("/proc/self/" + name, "w") as f:
                f.write(text)
        assert os.getuid() == 0
        assert Monitor(server).ask(ALLOCATIONS).of(p.pid).allocations == []

    in_child(contained, 1234)
    p.end()


@bare
def test_a_client_outside_of_the_servers_namespace_is_refused_and_may_ask(directory):
    """For the server its pid is 0, so its end could not be noticed."""
    if not can_unshare("--pid", "--fork"):
        return
    server = Server(directory, wait=False)
    server.kill()
    plain = server.command
    server.command = lambda: [*unshare("--pid", "--fork", "--mount-proc", "--kill-child"), *plain()]
    server.start()
    fd, m = table()
    refused(errno.ESRCH, hand_over, server, fd)
    os.close(fd)
    assert Legacy(server).is_closed()
    assert server.ask(WANT_FINISHED).all == []
    server.kill()


def test_a_legacy_client_cannot_use_a_number_of_another_namespace(server):
    if not can_unshare("--pid", "--fork"):
        return
    child = namespaced(server, f"""
c = Legacy(server, 112, pid={os.getpid()})
c.alloc(7, 70)
print(c.query()[DRAM], flush=True)
sys.stdin.read()
""")
    assert child.stdout.readline() == "0\n"
    server.wait_for("claims to be another process")
    assert [(p.ignored, p.now(), p.flags & LOW) for p in server.ask().living] == [(1, 0, LOW)]


if __name__ == "__main__":
    if os.getuid() == 0:
        run(sys.modules[__name__])
    print("1..0 # SKIP needs root")
