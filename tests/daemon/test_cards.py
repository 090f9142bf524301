"""How the server identifies cards, also while they appear and disappear; and TT-Metal's own counters."""

import glob
import resource
import shutil
import sys

from allocd import *

GIB = 1 << 30


def client(server, visible=None, length=144, release=None, devices=None, **variables):
    """A legacy client in a process of its own, with its own environment. Executes Python expressions, one per line.

    It may have the symbols of a release of TT-Metal mapped. If it must have so many devices, another one is
    started until it has: a server that could not read the environment in time tells it of none.
    """
    code = """
import mmap, sys, os
sys.path.insert(0, %r)
from allocd import *
class S: legacy = %r
if %r:
    code = mmap.mmap(os.open(%r, os.O_RDONLY), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
c = Legacy(S, %d)
for line in sys.stdin:
    print(eval(line), flush=True)
""" % (os.path.dirname(__file__), server.legacy, release, f"{BUILD}/tests/unit/metal/{release}", length)
    env = dict(os.environ, **variables)
    if visible is not None:
        env["TT_VISIBLE_DEVICES"] = visible

    def begin():
        child = spawn([sys.executable, "-c", code], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                      text=True)

        def ask(expression):
            child.stdin.write(expression + "\n")
            child.stdin.flush()
            return eval(child.stdout.readline())

        have = ask("c.info()['devices']")
        if devices not in (None, have):
            child.kill()
            raise AssertionError(f"{have} devices, not {devices}: {visible}, {release}")
        return ask

    return eventually(begin)


def connected(server, devices):
    """A client that sees all cards. On a busy machine the server may not have read them in time, and it sees none."""
    client = Legacy(server, 144)
    assert client.info()["devices"] == devices
    return client


def keeps_its_threads(server):
    """It reads the environment of each client on the same threads; only a read that was slow starts another."""
    count = lambda: len(os.listdir(f"/proc/{server.child.pid}/task"))
    before = count()
    for _ in range(10):
        in_child(lambda: Legacy(server, 144).info())
    return count() <= before


@bare
def test_capacities_are_those_of_the_board(directory):
    """Faults of the original server: unknown device names, wrong or guessed capacities, one architecture for all."""
    root = machine(directory, "--static", "--no-workloads", "-b", "n150,p150a")
    server = Server(directory, root=root)
    assert "2 cards" in server.log()
    c = eventually(connected, server, 2)
    wait(lambda: keeps_its_threads(server), "new clients without new threads")
    assert c.info()["available"] == 1
    n150, p150 = sorted((c.info(0), c.info(1)), key=lambda i: i["arch"])
    assert (n150["arch"], n150["dram"], n150["channels"], n150["channel"]) == (2, 12 * GIB, 12, GIB)
    assert (n150["l1"], n150["l1_core"]) == (72 * 1499136, 1499136)
    assert (p150["arch"], p150["channels"], p150["channel"]) == (3, 8, 4278190080)
    assert c.info(2)["available"] == 0 and c.info(63)["arch"] == 0
    small = Legacy(server, 72)
    small.send(INFO_QUERY, -1)
    assert small.receive()[40:] == b"\0" * 32  # the smallest record has no room for these values
    server.stop()


@bare
def test_l1_per_core_does_not_depend_on_how_many_cores_the_firmware_enables(directory):
    """A p150 has 140 cores before bundle 19.5, and 120 since."""
    for bundle, cores in (("18.5.0.0", 140), ("19.5.0.0", 120)):
        os.mkdir(directory + "/" + bundle)
        root = machine(directory + "/" + bundle, "--static", "--no-workloads", "-b", "p150a")
        path = root + "/sys/class/tenstorrent/tenstorrent!0/tt_fw_bundle_ver"
        os.unlink(path)  # it is read-only, like the driver's
        with open(path, "w") as f:
            f.write(bundle + "\n")
        server = Server(directory + "/" + bundle, root=root)
        info = eventually(connected, server, 1).info(0)
        assert (info["l1"], info["l1_core"]) == (cores * 1572864, 1572864), (bundle, info)
        server.stop()


@bare
def test_thirty_two_cards(directory):
    """Faults of the original server: at most 8 devices, and several chips with the same id."""
    root = machine(directory, "--static", "--no-workloads", "-b", "galaxy-wormhole")
    server = Server(directory, root=root)
    c = eventually(connected, server, 32)
    for device in range(32):
        c.alloc(device, 100 + device, DRAM, device)
    assert [c.query(d)[DRAM] for d in range(32)] == [100 + d for d in range(32)]
    used = server.ask().of(os.getpid()).usages
    assert len({u["node"] for u in used}) == len({u["bdf"] for u in used}) == len({u["asic"] for u in used}) == 32
    server.stop()


def shuffled(directory):
    """A machine whose nodes are not in the order of PCI addresses; and the address of each node."""
    root = machine(directory, "--static", "--no-workloads", "-b", "4xn150")
    links = [f"{root}/sys/class/tenstorrent/tenstorrent!{node}/device" for node in range(4)]
    targets = sorted((os.readlink(link) for link in links), key=os.path.basename)
    for link, place in zip(links, (2, 0, 1, 3)):
        os.unlink(link)
        os.symlink(targets[place], link)
    return root, [os.path.basename(os.readlink(link)) for link in links]


@bare
def test_logical_ids_follow_the_environment_of_the_process(directory):
    """Fault of the original server: logical ids change with TT_VISIBLE_DEVICES."""
    root, bdf = shuffled(directory)
    server = Server(directory, root=root)
    everyone = client(server, devices=4)
    two = client(server, f"{bdf[3]}, {bdf[1]}", devices=2)
    one = client(server, bdf[2], devices=1)
    two("c.alloc(1, 100, DRAM, 0)"), two("c.alloc(2, 7, DRAM, 1)")
    one("c.alloc(1, 30, DRAM, 0)")
    two("c.query(0)"), one("c.query(0)")
    wait(lambda: [everyone(f"c.query({place})")[DRAM] for place in range(4)] == [100, 30, 0, 7],
         "what the others report")
    assert two("c.query(0)")[DRAM] == 100 and one("c.query(0)")[DRAM] == 30
    assert one("c.query(1)")[DRAM] == 0  # number 1 is no card

    def starts_again():
        seen = server.log().count("listening on")
        server.child.send_signal(signal.SIGHUP)
        wait(lambda: server.log().count("listening on") > seen, "the new server, which reads the environments again")
        assert [everyone(f"c.query({place})")[DRAM] for place in range(4)] == [100, 30, 0, 7]
        assert two("c.query(1)")[DRAM] == 7 and one("c.info()['devices']") == 1

    eventually(starts_again)
    wait(lambda: keeps_its_threads(server), "new clients without new threads")
    server.stop()


@bare
def test_numbers_have_the_meaning_of_the_clients_release(directory):
    root, bdf = shuffled(directory)  # in the order of addresses: nodes 1, 2, 0, 3
    server = Server(directory, root=root)
    cases = [  # release, value, nodes of its devices (None: not known), how many
        ("v68", "0", [1], 1),
        ("v66", "0", [0], 1),
        (None, "0", [None], 1),
        (None, "3", [3], 1),
        (None, "1,3", [None, 3], 2),
        ("v77", "3,1", [2, 3], 2),
        ("v66", "3,1", [None, None], 2),  # the release may order cards by unique ids
        ("v77", "0000:", [1, 2, 0, 3], 4),
        ("v66", "0000:", [None], 0),
        ("v68", "4", [None], 0),
        (None, "", [None], 0),
        (None, "all", [None], 0),
        (None, "0," * 5000, [None], 0),  # too long
        (None, ",".join([bdf[0]] * 500), [0], 1),
        ("v68", "0" + " ," * 4000, [1], 1),
    ]
    for release, value, nodes, count in cases:
        c = client(server, value, release=release, devices=count)
        for device in range(len(nodes)):
            c(f"c.alloc({device + 1}, {device + 1}, DRAM, {device})")
        c("c.query(0)")
        usages = server.ask().of(c("os.getpid()")).usages
        told = [u["node"] if u["known"] else None for u in sorted(usages, key=lambda u: u["now"])]
        assert told == nodes, (release, value[:40], told)
    server.stop()


@bare
def test_an_unreadable_environment_selects_no_card(directory):
    """With an environment of more than 2 MB, which needs a larger stack than usual."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if hard != resource.RLIM_INFINITY and hard < 64 << 20:
        print("# SKIP: the stack may not be larger here")
        return
    root = machine(directory, "--static", "--no-workloads", "-b", "2xn150")
    server = Server(directory, root=root)
    resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, hard))
    stuffed = client(server, "1", **{f"A{i}": "x" * 120_000 for i in range(20)})
    resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
    stuffed("c.alloc(1, 128, DRAM, 0)")
    stuffed("c.query(0)")
    assert [client(server)(f"c.query({i})")[DRAM] for i in range(2)] == [0, 0]
    pid = stuffed("os.getpid()")
    assert [(u["known"], u["now"]) for u in server.ask().of(pid).usages] == [(0, 128)]
    server.stop()


@bare
def test_tables_and_legacy_clients_use_the_same_card(directory):
    root = machine(directory, "--static", "--no-workloads", "-b", "2xn150")
    server = Server(directory, root=root)
    p = Program(server)
    p.alloc(1, 1000, DRAM, 1)
    c = Legacy(server, 144)
    c.alloc(1, 1, DRAM, 1)
    wait(lambda: c.query(1)[DRAM] == 1001, "both")
    assert c.query(0)[DRAM] == 0
    p.do("node", 5, 0)
    p.alloc(1, 50, DRAM, 5)  # the program states the card
    wait(lambda: c.query(0)[DRAM] == 50, "the other card")
    server.stop()


@bare
def test_cards_appear_and_disappear(directory):
    """Fault of the original server: it detected cards only when it started."""
    root = machine(directory, "--static", "--no-workloads", "-b", "2xn150")
    server = Server(directory, root=root)
    c = eventually(connected, server, 2)
    for path in (root + "/sys/class/tenstorrent/tenstorrent!1", root + "/dev/tenstorrent/1"):
        os.rename(path, directory + "/" + os.path.basename(path))
    wait(lambda: c.info()["devices"] == 1, "one card less")
    for path in (root + "/sys/class/tenstorrent/tenstorrent!1", root + "/dev/tenstorrent/1"):
        os.rename(directory + "/" + os.path.basename(path), path)
    wait(lambda: c.info()["devices"] == 2, "the card again")
    server.stop()


@bare
def test_a_driver_that_is_loaded_later_is_found(directory):
    os.makedirs(directory + "/root/dev")
    os.makedirs(directory + "/root/sys/class")
    server = Server(directory)
    c = Legacy(server, 144)
    assert c.info()["devices"] == 0 and c.info()["available"] == 0
    root = machine(directory, "--static", "--no-workloads", "-b", "n150")
    shutil.rmtree(directory + "/root/sys")
    for name in ("sys", "dev/tenstorrent"):
        os.rename(f"{root}/{name}", f"{directory}/root/{name}")
    wait(lambda: c.info()["devices"] == 1, "the card")
    server.stop()


@bare
def test_no_device_is_ever_opened(directory):
    """Faults of the original server: it opened devices that programs use, and appeared as a holder."""
    root = machine(directory, "--no-workloads", "-b", "2xn150")
    server = Server(directory, root=root)
    plain = server.command
    server.stop()
    # The leak check does not work under strace.
    server.environment = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    server.command = lambda: ["strace", "-D", "-f", "-e", "trace=open,openat,openat2", "-o",
                              directory + "/trace", *plain()]
    server.start()
    c = Legacy(server)
    for _ in range(5):
        c.info(), server.ask()
    server.stop()
    with open(directory + "/trace") as f:
        opened = f.read()
    assert "sys/class/tenstorrent" in opened
    assert not re.search(r"dev/tenstorrent/\d", opened), opened


@root
@bare
def test_tt_metals_counters_are_read_for_all_users(directory):
    """Faults of TT-Metal's files: other users may not read them, and memory of killed processes stays counted."""
    root = machine(directory, "-b", "n150", "-w", "dev=0,dram=1G,l1=16M,name=train")
    server = Server(directory, root=root)
    files = glob.glob(root + "/dev/shm/tt_device_*_memory")
    assert files and all(os.stat(f).st_mode & 0o777 == 0o600 for f in files)
    wait(lambda: server.ask().living, "the workload")
    metal = [p for p in server.ask().living if p.origin == METAL]
    assert metal and sum(p.now(DRAM) for p in metal) > 0

    def ordinary():
        for f in files:
            try:
                open(f, "rb")
                raise AssertionError("readable")
            except PermissionError:
                pass
        seen = [p for p in server.ask(ALLOCATIONS).living if p.origin == METAL]
        assert sum(p.now(DRAM) for p in seen) > 0 and seen[0].usages[0]["known"] & 1

    in_child(ordinary, NOBODY)
    server.stop()


@bare
def test_tt_metals_counters_are_read_again(directory):
    """Files give no notification of changes: a server that caches them for too long would show old figures."""
    root = machine(directory, "-b", "n150", "-w", "dev=0,dram=1G,leak=64M,name=leaky")
    server = Server(directory, root=root)
    monitor = Monitor(server)
    metal = lambda: [p for p in monitor.ask().living if p.origin == METAL]
    figure = lambda: sum(p.now(DRAM) for p in metal())
    wait(figure, "the first figure")
    for _ in range(2):
        seen = figure()
        wait(lambda: figure() > seen, "a figure that grows")
    path, = glob.glob(root + "/dev/shm/tt_device_*_memory")
    os.rename(path, directory + "/elsewhere")
    wait(lambda: not metal(), "no figure without the file")
    os.rename(directory + "/elsewhere", path)
    wait(figure, "the figure with the file")
    last = metal()[0].pid
    os.kill(last, signal.SIGKILL)
    wait(lambda: not metal(), "no figure of a process that has ended")
    wait(lambda: server.ask(WANT_FINISHED).finished, "its account")
    [account] = server.ask(WANT_FINISHED).finished
    assert account.pid == last and account.peak() >= seen
    assert account.flags & LOW, "a peak between two samples is missed"
    wait(lambda: server.ask(WANT_FINISHED).finished[0].flags & EXIT_KNOWN, "its exit status")
    assert server.ask(WANT_FINISHED).finished[0].exit_status == signal.SIGKILL
    server.stop()


@root
@bare
def test_the_chip_behind_an_n300_is_shown_to_all_users(directory):
    """Its memory is shown apart from that of its gateway."""
    root = machine(directory, "-b", "n150,n300", "-w", "dev=1,dram=2G,behind=3G,name=train")
    server = Server(directory, root=root)
    program = shutil.copy(BUILD + "/tt_smi", directory)  # other users may not read every build directory

    def ordinary():
        env = dict(os.environ, TT_ALLOCD_SOCKET=server.path, TT_SMI_ROOT=root)
        out = subprocess.run([program, "--query-compute-apps=index,used_memory", "--format=csv,noheader,nounits"],
                             env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        assert out.split("\n")[:2] == ["1, 2048", "1R, 3072"], out

    wait(lambda: server.ask().living, "the workload")
    in_child(lambda: eventually(ordinary), NOBODY)
    server.stop()


if __name__ == "__main__":
    run(sys.modules[__name__])
