"""Real processes that hold devices 5 and 7, and what tt_smi shows of them.

holders.py SCENARIO TT_SMI: runs on the machine that stage.sh makes.
"""
import json
import mmap
import os
import shutil
import struct
import subprocess
import sys
import time

SCENARIO, TT_SMI = sys.argv[1:3]
NODE = "/dev/tenstorrent/%d"
# Python's mmap duplicates the descriptor, and the copy has to be closed too.
MAP_ONLY = """f = os.open('%s', os.O_RDWR)
m = mmap.mmap(f, 4096, flags=mmap.MAP_PRIVATE)
for fd in os.listdir('/proc/self/fd'):
    try:
        if os.readlink('/proc/self/fd/' + fd).startswith('/dev/tenstorrent'):
            os.close(int(fd))
    except OSError:
        pass"""
started = []


def smi(*options, **more):
    result = subprocess.run([TT_SMI, "--json", *options], stdout=subprocess.PIPE, **more)
    assert result.returncode == 0, result.returncode
    return json.loads(result.stdout)


def is_root():
    """Is this root, and not only in a user namespace, as when an ordinary user runs the tests?"""
    with open("/proc/self/uid_map", encoding="ascii") as file:
        return os.getuid() == 0 and file.read().split() == ["0", "0", "4294967295"]


def is_ours(process):
    """Is it a process of this test? Others may run beside it, and may have /dev/zero open."""
    try:
        with open(f"/proc/{process['pid']}/stat", "rb") as file:
            session = int(file.read().rpartition(b")")[2].split()[3])
    except FileNotFoundError:
        return True
    return session == os.getsid(0)


def holders(document=None):
    """The processes of a document, or of tt_smi --json: {pid: devices}."""
    document = document or smi()
    return {p["pid"]: [d["id"] for d in p["devices"]]
            for p in document["processes"] if p["devices"] and is_ours(p)}


def complaints(document):
    """Errors, except those about tables of programs that run on this machine outside of the test."""
    return [e for e in document["errors"] if e["source"] != "tables"]


def first(document):
    return next(p for p in document["processes"] if p["devices"] and is_ours(p))


def expect(have, want):
    assert have == want, f"{have}, not {want}"


class Holder:
    """A Python process that runs some code, prints a line, and waits until the test ends it."""

    def __init__(self, code, prefix=(), close_fds=True, program=(sys.executable,), **variables):
        self.process = subprocess.Popen(
            [*prefix, *program, "-c",
             "import os, mmap, sys, time\n" + code + "\nprint(os.getpid(), flush=True)\nsys.stdin.read()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, close_fds=close_fds,
            env=dict(os.environ, **variables))
        started.append(self.process)
        line = self.process.stdout.readline()
        assert line, "did not start"
        self.said = int(line)
        self.pid = self.process.pid

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def open_nodes(*numbers):
    return "\n".join(f"f{n} = os.open('{NODE % n}', os.O_RDWR)" for n in numbers)


def write_pids(index, *pids):
    os.makedirs(f"/proc/driver/tenstorrent/{index}", exist_ok=True)
    with open(f"/proc/driver/tenstorrent/{index}/pids", "w") as file:
        file.write("".join(f"{pid}\n" for pid in pids))


def devices_open(pid):
    found = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            status = os.stat(f"/proc/{pid}/fd/{fd}")
        except FileNotFoundError:
            continue
        if os.major(status.st_rdev) == 1 and os.minor(status.st_rdev) in (5, 7):
            found.add(os.minor(status.st_rdev))
    return sorted(found)


def by_number():
    """A driver without pids: descriptors are scanned, and compared by device number."""
    assert not os.path.exists("/proc/driver/tenstorrent")
    expect(holders(), {})
    one = Holder(open_nodes(5))
    both = Holder(open_nodes(5, 7, 5))
    idle = Holder("")
    # Under another name, as in a container.
    os.symlink("/dev/tenstorrent/7", "/dev/other")
    alias = Holder("f = os.open('/dev/other', os.O_RDONLY)")
    document = smi()
    expect(holders(document), {one.pid: [5], both.pid: [5, 7], alias.pid: [7]})
    assert idle.pid not in holders(document)
    process = next(p for p in document["processes"] if p["pid"] == both.pid)
    assert process["holding"] == "seen" and process["command"].startswith(sys.executable)
    expect(process["uid"], os.stat(f"/proc/{both.pid}").st_uid)
    expect([d["id"] for d in document["devices"]], [5, 7])
    # Processes exit and others start during a loop.
    loop = subprocess.Popen([TT_SMI, "--json", "-lms", "50"], stdout=subprocess.PIPE)
    started.append(loop)
    expect(holders(json.loads(loop.stdout.readline())), {one.pid: [5], both.pid: [5, 7], alias.pid: [7]})
    one.end()
    late = Holder(open_nodes(7))
    end = time.monotonic() + 300
    while True:
        have = holders(json.loads(loop.stdout.readline()))
        if have == {both.pid: [5, 7], alias.pid: [7], late.pid: [7]}:
            break
        assert time.monotonic() < end, have


def listed():
    """If the driver's list is right, each device of a process is shown once."""
    both = Holder(open_nodes(5, 5, 7))
    write_pids(5, both.pid, both.pid)
    write_pids(7, both.pid)
    document = smi()
    expect(holders(document), {both.pid: [5, 7]})
    expect(first(document)["holding"], "seen")
    table = subprocess.run([TT_SMI, "--ascii"], stdout=subprocess.PIPE, text=True).stdout
    assert table.count(f"| {both.pid} ") == 1, table


def dead_parent():
    """pids lists the opener, which exited; its child keeps the device open."""
    read, write = os.pipe()
    parent = os.fork()
    if parent == 0:
        os.set_inheritable(os.open(NODE % 5, os.O_RDWR), True)
        child = os.fork()
        if child == 0:
            os.close(read)
            os.write(write, b"%d\n" % os.getpid())
            os.execvp("sleep", ["sleep", "60"])
        os._exit(0)
    child = int(os.read(read, 32))
    os.waitpid(parent, 0)
    try:
        while open(f"/proc/{child}/comm").read() != "sleep\n":
            time.sleep(0.01)
        write_pids(5, parent)
        write_pids(7)
        assert not os.path.exists(f"/proc/{parent}")
        document = smi()
        expect(holders(document), {child: [5]})
        expect(first(document)["name"], "sleep")
        expect(document["devices"][1]["process_count"], 0)
    finally:
        os.kill(child, 9)


def orphan():
    """The opener exited and no visible process has the device: an invisible one must have it."""
    gone = Holder("")
    gone.end()
    write_pids(5, gone.pid)
    write_pids(7)
    document = smi()
    expect(holders(document), {gone.pid: [5]})
    expect(first(document)["holding"], "opener gone")
    expect(first(document)["name"], None)
    expect(document["devices"][0]["memory"]["used"], None)


def unrelated():
    """The pid was reused by a process that has no device open."""
    other = Holder("")
    holder = Holder(open_nodes(5))
    write_pids(5, other.pid, holder.pid)
    write_pids(7)
    expect(holders(), {holder.pid: [5]})
    # Listed for the wrong device: only open devices count. A holder that was not found is still reported.
    write_pids(7, holder.pid)
    document = smi()
    expect(holders(document), {holder.pid: [5]})
    expect(document["devices"][1]["memory"]["used"], None)
    # The only entry of the list: it is not shown either.
    write_pids(5, other.pid)
    write_pids(7)
    holder.end()
    document = smi()
    expect(holders(document), {})
    expect(document["devices"][0]["memory"]["used"], None)


def mapped():
    """A device that was closed but is mapped is in use; only /proc/PID/maps shows that."""
    holder = Holder(MAP_ONLY % (NODE % 5))
    expect(devices_open(holder.pid), [])
    assert "/dev/tenstorrent/5" in open(f"/proc/{holder.pid}/maps").read()
    write_pids(5, holder.pid)
    write_pids(7)
    document = smi()
    expect(holders(document), {holder.pid: [5]})
    expect(first(document)["holding"], "seen")
    # One open and one mapped: it is on both.
    other = Holder(MAP_ONLY % (NODE % 5) + "\n" + open_nodes(7))
    expect(devices_open(other.pid), [7])
    write_pids(5, holder.pid, other.pid)
    write_pids(7, other.pid)
    expect(holders(), {holder.pid: [5], other.pid: [5, 7]})


def deleted():
    """The number of a removed node may be that of another card."""
    holder = Holder(open_nodes(5))
    expect(holders(), {holder.pid: [5]})
    os.unlink(NODE % 5)
    os.mknod(NODE % 5, 0o20666, os.makedev(1, 5))
    expect(devices_open(holder.pid), [5])
    expect(holders(), {})
    successor = Holder(open_nodes(5))
    expect(holders(), {successor.pid: [5]})


def own():
    """tt_smi itself, with a descriptor inherited from its parent."""
    fd = os.open(NODE % 5, os.O_RDWR)
    os.set_inheritable(fd, True)
    here = os.getpid()
    document = smi(pass_fds=(fd,))
    expect(holders(document), {here: [5]})
    # Also by the driver's list: after exec, tt_smi has the pid of the process that opened the device.
    os.makedirs("/proc/driver/tenstorrent/5", exist_ok=True)
    script = (f"echo $$ >/proc/driver/tenstorrent/5/pids; : >/proc/driver/tenstorrent/7/pids; echo $$ >&2; "
              f"exec 9<{NODE % 5}; exec '{TT_SMI}' --json")
    os.makedirs("/proc/driver/tenstorrent/7", exist_ok=True)
    os.close(fd)
    result = subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert result.returncode == 0, result
    have = holders(json.loads(result.stdout))
    assert int(result.stderr.split()[0]) not in have, f"lists itself: {have}"
    expect(have, {})


def patch_slot(pid, new):
    """Replaces a pid in TT-Metal's file, where processes write the pid of their own namespace."""
    changed = 0
    for name in os.listdir("/dev/shm"):
        with open(f"/dev/shm/{name}", "r+b") as file:
            data = file.read()
            at = data.find(struct.pack("<i", pid))
            if at >= 0:
                file.seek(at)
                file.write(struct.pack("<i", new))
                changed += 1
    assert changed, "no slot"


def pid_namespace():
    """A process in a container: the driver lists its pid in the reader's namespace, TT-Metal's file that in the container's."""
    holder = Holder(open_nodes(5),
                    prefix=("unshare", "--pid", "--fork", "--kill-child"))
    # unshare is the parent; the program is its child.
    outer = int(open(f"/proc/{holder.pid}/task/{holder.pid}/children").read())
    inner = holder.said
    expect(inner, 1)
    patch_slot(1001, inner)
    for version in "pids", "no pids":
        if version == "pids":
            write_pids(5, outer)
            write_pids(7)
        else:
            subprocess.run(["rm", "-r", "/proc/driver/tenstorrent"], check=True)
        document = smi()
        expect(holders(document), {outer: [5]})
        process = first(document)
        expect(process["ns_pids"], [outer, inner])
        expect(process["ns_pid"], inner)
        expect(process["devices"][0]["dram"], 1 << 30)
        expect(process["devices"][0]["tracking"], "metal")
        device = document["devices"][0]
        expect(device["memory"]["used"], 1 << 30)
        expect(device["leftovers"], [])


def reader_inside():
    """The reader is in the container: the driver lists processes outside as 0."""
    holder = Holder(open_nodes(5))
    patch_slot(1001, holder.pid)
    write_pids(5, 0, 0)
    write_pids(7)
    result = subprocess.run(["unshare", "--pid", "--fork", "--mount", "sh", "-c", """
        cp /proc/devices /dev/devices && cp -r /proc/driver /dev/driver || exit 1
        mount -t proc proc /proc || exit 77
        mount --bind /dev/devices /proc/devices && mount --bind /dev/driver /proc/driver || exit 1
        exec "$0" --json""", TT_SMI], stdout=subprocess.PIPE)
    if result.returncode == 77:
        print("SKIP: no procfs of one's own here")
        return
    assert result.returncode == 0, result
    document = json.loads(result.stdout)
    expect(holders(document), {})
    device = document["devices"][0]
    expect(device["unseen_holders"], 2)
    # It is in use; the amount is unknown, and not 0.
    expect(device["memory"]["used"], None)
    expect(device["unavailable"]["memory.used"], "other_namespace")
    expect([l["reason"] for l in device["leftovers"]], ["other_namespace"])
    expect(document["devices"][1]["memory"]["used"], 0)


def inside(*words):
    """Runs tt_smi in a pid namespace of its own, with a driver without lists. None: not possible on this machine."""
    result = subprocess.run(["unshare", "--pid", "--fork", "--mount", "sh", "-c", """
        cp /proc/devices /dev/devices || exit 1
        mount -t proc proc /proc || exit 77
        mount --bind /dev/devices /proc/devices || exit 1
        exec 8</dev/tenstorrent/7
        sleep 600 &
        exec 8<&-
        "$0" "$@"; status=$?
        kill $!
        exit $status""", TT_SMI, *words],
                            stdout=subprocess.PIPE, text=True)
    if result.returncode == 77:
        print("SKIP: no procfs of one's own here")
        sys.exit()
    return result


def reader_blind():
    """The same with a driver without lists: whether a process outside of the container has the device open is unknown."""
    holder = Holder(open_nodes(5))
    result = inside("--json")
    expect(result.returncode, 0)
    document = json.loads(result.stdout)
    expect([[d["id"] for d in p["devices"]] for p in document["processes"] if p["devices"]], [[7]])
    for device in document["devices"]:
        for field in "process_count", "memory.used":
            expect(device["unavailable"][field], "hidden_by_namespace")
        expect(device["process_count"], None)
        expect(device["memory"]["used"], None)
    result = inside("-i", "5", "-q").stdout
    assert "N/A (hidden by this pid namespace)" in result, result
    result = inside("-i", "5").stdout
    assert "visible (device 5: hidden by this pid namespace)" in result, result
    expect(inside("-i", "5", "--query-gpu=index,memory.used,processes.count", "--format=csv,noheader").stdout, "5, [N/A], [N/A]\n")
    result = inside("doctor").stdout
    assert "not known which processes have it open: hidden by this pid namespace\n          device 5\n" in result, result
    assert "--pid=host" in result, result
    assert holder.pid


def not_ours():
    """Another user's process: listed by the driver, and marked as not checked."""
    holder = Holder(open_nodes(5))
    patch_slot(1001, holder.pid)
    write_pids(5, holder.pid)
    write_pids(7)
    for name in os.listdir("/dev/shm"):
        os.chmod(f"/dev/shm/{name}", 0o600)
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    result = subprocess.run([*nobody, TT_SMI, "--json"], stdout=subprocess.PIPE)
    assert result.returncode == 0, result
    document = json.loads(result.stdout)
    expect(holders(document), {holder.pid: [5]})
    process = first(document)
    expect(process["holding"], "listed")
    expect(process["user"], "root")
    expect(process["devices"][0]["dram"], None)
    expect(process["devices"][0]["unavailable"]["dram"], "permission_denied")
    expect(document["devices"][0]["memory"]["used"], None)
    assert any("Permission denied" in e["message"] or "permission" in e["message"] for e in document["errors"])
    # The table shows its user, also if users are not needed to assign TT-Metal's files.
    for name in os.listdir("/dev/shm"):
        os.remove(f"/dev/shm/{name}")
    table = subprocess.run([*nobody, TT_SMI, "--ascii"], stdout=subprocess.PIPE, text=True).stdout
    assert "no permission: uid 0" in table, table
    # Without the driver's list, holders are unknown; that is not the same as no holder.
    subprocess.run(["rm", "-r", "/proc/driver/tenstorrent"], check=True)
    document = json.loads(subprocess.run([*nobody, TT_SMI, "--json"], stdout=subprocess.PIPE).stdout)
    expect(holders(document), {})
    expect(document["devices"][0]["process_count"], None)
    expect(document["devices"][0]["unavailable"]["process_count"], "permission_denied")
    expect(document["devices"][0]["memory"]["used"], None)
    table = subprocess.run([*nobody, TT_SMI, "--ascii"], stdout=subprocess.PIPE, text=True).stdout
    assert "permission" in table, table


def start_of(pid):
    return int(open(f"/proc/{pid}/stat", "rb").read().rpartition(b")")[2].split()[19])


def pin(name, *rows):
    """Writes a file like those that the tracer pins."""
    heads = {"holders": "PID Comm DEVICE FD START\n--- ---- ------ -- -----\n",
             "allocations": "PID Comm DRAM L1 L1_SMALL TRACE BUFFERS SYSTEM CHIP START STATE\n--- ----\n"}
    tails = {"holders": "", "allocations": "\nTOTAL - 0 0 0 0 0 0 - - -\n"}
    os.makedirs("/run/tt-smi/bpf", exist_ok=True)
    with open(f"/run/tt-smi/bpf/{name}", "w") as file:
        file.write(heads[name] + "".join(" ".join(map(str, row)) + "\n" for row in rows) + tails[name])


NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def as_nobody(*options):
    result = subprocess.run([*NOBODY, TT_SMI, "--json", *options], stdout=subprocess.PIPE)
    assert result.returncode == 0, result
    return json.loads(result.stdout)


def pinned():
    """The tracer's list of open descriptors, for users who may not read those of other users."""
    holder = Holder(open_nodes(5))
    unrelated = Holder("")
    row = (holder.pid, "python3", 5, 3, start_of(holder.pid))
    write_pids(5, holder.pid)
    write_pids(7)
    expect(first(as_nobody())["holding"], "listed")
    pin("holders", row, row)
    document = as_nobody()
    expect(holders(document), {holder.pid: [5]})
    expect(first(document)["holding"], "seen")
    # Without the driver's list other users' processes are still found, and no others.
    subprocess.run(["rm", "-r", "/proc/driver/tenstorrent"], check=True)
    document = as_nobody()
    expect(holders(document), {holder.pid: [5]})
    expect(document["devices"][0]["process_count"], 1)
    expect(document["devices"][1]["memory"]["used"], 0)
    # If the process can be read, its open descriptors count, not the tracer's list.
    pin("holders", row, (unrelated.pid, "python3", 7, 3, start_of(unrelated.pid)))
    expect(holders(), {holder.pid: [5]})
    # A malformed list is ignored, and an error is reported.
    open("/run/tt-smi/bpf/holders", "a").write("half a li")
    document = as_nobody()
    expect(document["devices"][0]["process_count"], None)
    assert any("/run/tt-smi/bpf/holders: not understood" in e["message"] for e in document["errors"]), document["errors"]
    # A list that may not be read is ignored without an error.
    os.chmod("/run/tt-smi/bpf/holders", 0o600)
    expect(complaints(as_nobody()), [])


def inherited():
    """A child with the descriptor of an opener that still runs: only the kernel's list shows it."""
    fd = os.open(NODE % 5, os.O_RDWR)
    os.set_inheritable(fd, True)
    child = Holder("", close_fds=False)
    write_pids(5, os.getpid())
    write_pids(7)
    expect(holders(), {os.getpid(): [5]})
    pin("holders", (os.getpid(), "python3", 5, fd, start_of(os.getpid())),
        (child.pid, "python3", 5, fd, start_of(child.pid)))
    expect(holders(), {os.getpid(): [5], child.pid: [5]})
    os.close(fd)


def traced():
    """Memory as counted in the kernel: the same for every user, and only for the right process."""
    holder = Holder(open_nodes(5, 7))
    other = Holder(open_nodes(5))
    unrelated = Holder("")
    write_pids(5, holder.pid, other.pid)
    write_pids(7, holder.pid)
    start = start_of(holder.pid)
    pin("holders", *((p.pid, "python3", n, 3, start_of(p.pid))
                     for p, n in ((holder, 5), (holder, 7), (other, 5))))
    pin("allocations", (holder.pid, "python3", 4096, 2048, 64, 32, 3, 16, 1, start, "exact"),
        (other.pid, "python3", 9, 0, 0, 0, 1, 0, 0, start_of(other.pid) + 1, "exact"),
        (unrelated.pid, "python3", 5, 0, 0, 0, 1, 0, 0, start_of(unrelated.pid), "exact"))
    for document in smi(), as_nobody():
        rows = {p["pid"]: {d["id"]: d for d in p["devices"]} for p in document["processes"]}
        assert unrelated.pid not in rows
        expect([rows[holder.pid][7][k] for k in ("dram", "l1", "l1_small", "trace", "allocations", "system")],
               [4128, 2112, 64, 32, 3, 16])
        expect(rows[holder.pid][7]["tracking"], "traced")
        expect(rows[holder.pid][5]["dram"], 0)  # traced, without memory on this device
        expect(rows[other.pid][5]["dram"], None)  # the line is of an earlier process with this pid
        expect(document["devices"][1]["memory"]["used"], 4128)
    expect([p["dram"] for d in json.loads(subprocess.run(
        [*NOBODY, TT_SMI, "mem", "--json", "-n", "1"], stdout=subprocess.PIPE).stdout)["devices"]
        for p in d["processes"] if p["pid"] == holder.pid], [0, 4128])
    # Memory from before the attach may be on any device of the process.
    for lines in [("exact", "since-attach"), ("since-attach", "exact"), ("since-attach",)]:
        pin("allocations", *((holder.pid, "python3", 4096, 0, 0, 0, 1, 0, chip, start, state)
                             for chip, state in enumerate(lines)))
        document = smi()
        expect([d["exact"] for p in document["processes"] if p["pid"] == holder.pid for d in p["devices"]],
               [False, False])
        expect([d["memory"]["complete"] for d in document["devices"]], [False, False])
    # A chip number that is none of its devices may be any of them: none has a figure, not even 0.
    pin("allocations", (holder.pid, "python3", 4096, 0, 0, 0, 1, 0, 9, start, "exact"))
    document = smi()
    expect([d["dram"] for p in document["processes"] if p["pid"] == holder.pid for d in p["devices"]], [None, None])
    assert any("its chip 9" in e["message"] for e in document["errors"]), document["errors"]
    # In another pid namespace the pids are those of other processes.
    result = subprocess.run(["unshare", "--pid", "--fork", TT_SMI, "--json"], stdout=subprocess.PIPE)
    expect(complaints(json.loads(result.stdout)), [])


def chips(document, pid):
    """Bytes of a process on devices 5 and 7, or the reasons why they are unknown."""
    rows = {d["id"]: d for p in document["processes"] if p["pid"] == pid for d in p["devices"]}
    return [rows[n]["unavailable"]["dram"] if rows[n]["dram"] is None else rows[n]["dram"] for n in (5, 7)]


def write_serial(node, number):
    path = f"/sys/class/tenstorrent/tenstorrent!{node}/tt_serial"
    os.unlink(path)
    if number is not None:
        with open(path, "w") as file:
            file.write(f"{0x0100018611902000 + number:016X}\n")


def visible():
    """Chip numbers are translated by TT_VISIBLE_DEVICES, as the release of TT-Metal reads it."""
    address = {n: os.path.basename(os.readlink(f"/sys/class/tenstorrent/tenstorrent!{n}/device")) for n in (5, 7)}
    assert address[5] < address[7], address
    by_position, by_node = (
        "library = open('%s/%s')\n" % (os.environ["METAL_FILES"], name) +
        "code = mmap.mmap(library.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)\n"
        for name in ("v68", "v66"))
    known, invalid = [100, 7], ["device_list_invalid"] * 2
    ambiguous, mismatch = ["device_list_ambiguous"] * 2, ["device_list_mismatch"] * 2
    cases = [
        ("", None, known),
        (by_position, "1,0", known),
        (by_node, "1,0", mismatch),  # there are no such nodes
        (by_node, "7,5", known),
        (by_position, "7,5", mismatch),  # there are no such positions
        ("", "0,1", ambiguous),
        ("", "5,7", ambiguous),
        ("", f" {address[7]} , {address[5]},", known),
        (by_position, "0000:", known),
        (by_node, "0000:", mismatch),
        ("", address[7], mismatch),  # it has the other device open too
        ("", "", mismatch),
        ("", "all", invalid),
        ("", "1;0", invalid),
        ("", ",".join([address[5], address[7]] * 250), known),
        ("", "," * 100_000, invalid),
    ]
    holders = [Holder(load + open_nodes(5, 7), **({} if value is None else {"TT_VISIBLE_DEVICES": value}))
               for load, value, _ in cases]
    for node in 5, 7:
        write_pids(node, *(h.pid for h in holders))
    pin("allocations", *((h.pid, "python3", dram, 0, 0, 0, 1, 0, chip, start_of(h.pid), "exact")
                         for h in holders for chip, dram in enumerate((100, 7))))
    loop = subprocess.Popen([TT_SMI, "--json", "-lms", "50"], stdout=subprocess.PIPE)
    started.append(loop)
    for document in smi(), json.loads(loop.stdout.readline()), json.loads(loop.stdout.readline()):
        for holder, (_, value, want) in zip(holders, cases):
            have = chips(document, holder.pid)
            assert have == want, f"{value and value[:80]!r}: {have}, not {want}"
        assert any("not known: TT_VISIBLE_DEVICES ambiguous" in e["message"] for e in document["errors"])
    # If a process has one device open, its chip 0 is that device, whatever its environment contains.
    single = Holder(open_nodes(7), TT_VISIBLE_DEVICES="0")
    for node in 5, 7:
        write_pids(node, *([single.pid] if node == 7 else []))
    pin("allocations", (single.pid, "python3", 100, 0, 0, 0, 1, 0, 0, start_of(single.pid), "exact"))
    expect([d["dram"] for p in smi()["processes"] if p["pid"] == single.pid for d in p["devices"]], [100])
    # Releases before v0.68 may number chips by unique ids: of these boards, by their serial numbers.
    held = {name: Holder(load + open_nodes(5, 7)) for name, load in (("v66", by_node), ("v68", by_position))}
    for node in 5, 7:
        write_pids(node, *(h.pid for h in held.values()))
    pin("allocations", *((h.pid, "python3", dram, 0, 0, 0, 1, 0, chip, start_of(h.pid), "exact")
                         for h in held.values() for chip, dram in enumerate((100, 7))))
    for serials, want in ((1, 2), known), ((2, 1), ambiguous), ((1, None), ambiguous):
        for node, serial in zip((5, 7), serials):
            write_serial(node, serial)
        document = smi()
        expect(chips(document, held["v66"].pid), want)
        expect(chips(document, held["v68"].pid), known)


def doctor(*prefix):
    """Findings about processes, by pid; and the exit status."""
    result = subprocess.run([*prefix, TT_SMI, "doctor", "--json"], stdout=subprocess.PIPE)
    document = json.loads(result.stdout)
    expect(document["healthy"], result.returncode == 0)
    return {f["pid"]: f for f in document["findings"] if "pid" in f}, document["findings"]


def loads(variant):
    """Code that loads the test double of TT-Metal's library, and the path of that."""
    path = os.path.join(os.environ["METAL_DOUBLE"], variant, "libtt_metal.so")
    return f"import ctypes; ctypes.CDLL({path!r})\n" + open_nodes(5), path


def diagnosed():
    """Real processes with and without TT-Metal, and the doctor's finding about each."""
    old, old_path = loads("v62")
    new, _ = loads("v77")
    old, plain = Holder(old), Holder(open_nodes(5))
    silent = Holder(new)
    off = Holder(new, prefix=("env", "TT_METAL_SHM_TRACKING_DISABLED=1"))
    gone_file = shutil.copy(old_path, f"/tmp/libgone-{os.getpid()}.so")
    gone = Holder(loads("v62")[0].replace(old_path, gone_file))
    os.unlink(gone_file)
    everybody = [p.pid for p in (old, plain, silent, off, gone)]
    write_pids(5, *everybody)
    found, all_of_them = doctor()
    assert all(found[pid]["level"] == "warn" for pid in everybody), found
    has = {pid: found[pid]["text"] for pid in everybody}
    assert f"TT-Metal v0.60 to v0.65 ({old_path}) has no counters of its own" in has[old.pid], has
    assert "tracing is off" in has[old.pid] and "the next time: tt_smi run -- COMMAND" in found[old.pid]["fixes"]
    assert "it has not loaded TT-Metal" in has[plain.pid], has
    assert "TT-Metal v0.77 or later" in has[silent.pid] and "has published nothing" in has[silent.pid], has
    assert "TT_METAL_SHM_TRACKING_DISABLED" in has[off.pid], has
    expect(found[off.pid]["fixes"][0], "start it without TT_METAL_SHM_TRACKING_DISABLED")
    if is_root():  # others may not see a file without a name
        assert "v0.60 to v0.65" in has[gone.pid] and "(deleted)" in has[gone.pid], has
    texts = [f["text"] for f in all_of_them]
    assert any(t.startswith("not running (/run/tt-smi/allocd.sock") for t in texts), texts
    assert any(t == "2 nodes of /dev/tenstorrent accessible" for t in texts), texts
    if is_root():
        found, _ = doctor(*NOBODY)
        assert "only its user and root may see which files it has loaded" in found[old.pid]["text"], found[old.pid]
        assert "sudo tt_smi doctor" in found[old.pid]["fixes"], found[old.pid]
    # The container's /dev/shm is searched, and is empty.
    if is_root():
        box = Holder("import subprocess; subprocess.check_call(['mount', '-t', 'tmpfs', 'none', '/dev/shm'])\n" + new,
                     prefix=("unshare", "--pid", "--fork", "--kill-child", "--mount"))
        boxed = int(open(f"/proc/{box.pid}/task/{box.pid}/children").read())
        write_pids(5, *everybody, boxed)
        found, _ = doctor()
        assert "has published nothing" in found[boxed]["text"], found[boxed]
        assert "container" not in found[boxed]["text"] + "".join(found[boxed]["fixes"]), found[boxed]
        box.end()
        write_pids(5, *everybody)
    # In a container neither processes outside nor the pids of the tracer's list are visible.
    if is_root():
        _, inside = doctor("unshare", "--pid", "--fork", "--mount-proc")
        assert any("its own pid namespace" in f["text"] and "--pid=host" in f["fixes"][0] for f in inside), inside
    if os.readlink("/proc/self/ns/pid") != "pid:[4026531836]":
        return
    # One of the processes is traced.
    pin("allocations", (old.pid, "python3", 4096, 0, 0, 0, 1, 0, 0, start_of(old.pid), "exact"))
    found, all_of_them = doctor()
    expect(found[old.pid]["level"], "ok")
    assert "known: Traced" in found[old.pid]["text"], found[old.pid]
    assert any(f["text"] == "on: /run/tt-smi/bpf/allocations" for f in all_of_them)
    assert not any("pid namespace" in f["text"] for f in all_of_them)
    if is_root():
        _, inside = doctor("unshare", "--pid", "--fork", "--mount-proc")
        assert any(f["text"].startswith("on, but its pids are those of the host") for f in inside), inside


def nodes():
    """The finding about which users may open the nodes: all users, this one, or root."""
    def found(*prefix):
        _, findings = doctor(*prefix)
        return [(f["level"], f["text"]) for f in findings if f["section"] == "Permissions"]

    private = "/dev/tenstorrent/5 is not accessible to all users: mode {}, uid 0, gid {}"
    both, one = ("ok", "2 nodes of /dev/tenstorrent accessible"), ("ok", "1 node of /dev/tenstorrent accessible")
    expect(found(*NOBODY), [both])
    for mode in 0o600, 0o640, 0o606, 0o660:
        for gid in 0, 65534:
            os.chown("/dev/tenstorrent/5", 0, gid)
            os.chmod("/dev/tenstorrent/5", mode)
            text = private.format(f"{mode:04o}", gid)
            # Root may always open them.
            expect(found(), [both] if mode == 0o606 else [("note", text), both])
            # For a member of the group, only the group's bits count, and both are needed.
            theirs = gid == 65534 and mode == 0o660 or gid == 0 and mode == 0o606
            if gid == 65534 and mode == 0o606:
                continue  # a mode that denies access to the group but not to others is unrealistic
            expect(found(*NOBODY), [both] if theirs else [("warn", text), one])


def started_at():
    """Start, running time and CPU of real processes, by the clocks of this machine."""
    ticks = os.sysconf("SC_CLK_TCK")
    idle = Holder(open_nodes(5))
    time.sleep(1)
    busy = Holder(open_nodes(5) + """
import threading
def work():
    while True:
        pass
threading.Thread(target=work, daemon=True).start()""")
    write_pids(5, idle.pid, busy.pid)
    # Bounds of each time in seconds since 1970, since all clocks are read at slightly different times.
    before = time.time()
    boot = [time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)]
    document = smi()
    boot.append(time.time() - time.clock_gettime(time.CLOCK_BOOTTIME))
    after = time.time()
    found = {p["pid"]: p for p in document["processes"]}
    for pid in idle.pid, busy.pid:
        since_boot = start_of(pid) / ticks
        start = found[pid]["start_time"]
        assert min(boot) + since_boot - 0.01 < start < max(boot) + since_boot + 0.01, (boot, since_boot, start)
        assert before - start - 0.01 < found[pid]["elapsed"] < after - start + 0.01, (before, start, found[pid], after)
    # CPU time between two samples, of an idle process and of a busy one.
    line = subprocess.run(
        [TT_SMI, "--json", "-lms", "1000", "-n", "2"], stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1]
    found = {p["pid"]: p for p in json.loads(line)["processes"]}
    expect(found[idle.pid]["cpu"], 0)
    assert 0 < found[busy.pid]["cpu"] < 1.5, found[busy.pid]["cpu"]


def labels():
    """At the true paths no output is marked as simulated."""
    document = smi()
    expect((document["simulated"], document["recorded"]), (False, False))
    expect(document["host"]["hostname"], os.uname().nodename)
    table = subprocess.run([TT_SMI], stdout=subprocess.PIPE, text=True).stdout
    assert "SIMULATED" not in table and "RECORDED" not in table


def play(scenarios):
    if os.getpgrp() != os.getpid():
        os.setsid()
    try:
        scenarios[SCENARIO]()
    finally:
        for process in started:
            process.kill()
            process.wait()


if __name__ == "__main__":
    play(globals())
