"""TT-Metal's counters of processes in containers, of other users, and of older releases.

containers.py SCENARIO TT_SMI: runs on the machine that stage.sh makes, with devices 5 and 7.
"""
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import holders
from holders import TT_SMI, Holder, as_nobody, expect, open_nodes, smi, started

NOBODY = 65534
GIB = 1 << 30
WALL, MONOTONIC = time.CLOCK_REALTIME, time.CLOCK_MONOTONIC
containers = []


def memory(document, pid):
    """{device: bytes of DRAM of a process, or the reason why they are unknown}."""
    process = next((p for p in document["processes"] if p["pid"] == pid), {"devices": []})
    return {d["id"]: d["unavailable"]["dram"] if d["dram"] is None else d["dram"] for d in process["devices"]}


def device(document, number):
    return next(d for d in document["devices"] if d["id"] == number)


def complaints(document):
    """Errors about TT-Metal's files. Other errors may be about programs of this machine that are not part of the test."""
    return [e["message"] for e in document["errors"] if e["source"] == "metal_shm"]


def asic(number):
    with open(f"/sys/class/tenstorrent/tenstorrent!{number}/tt_asic_id") as file:
        return int(file.read(), 16)


def name_of(identity):
    return f"tt_device_{identity}_memory"


LAYOUTS = {1: (9280, 992, 56, 64), 2: (8576, 856, 48, 56), 3: (8576, 856, 48, 56)}


def counters(pid, dram, comm="busybox", layout=3, clock=WALL, age=0.0, device_id=0):
    """The bytes of a file with one slot."""
    size, slots, stamp, name = LAYOUTS[layout]
    data = bytearray(size)
    updated = time.clock_gettime_ns(clock) - int(age * 1e9)
    struct.pack_into("<I", data, 0, layout)
    struct.pack_into("<I", data, 40, device_id)
    struct.pack_into("<i", data, slots, pid)
    struct.pack_into("<Q", data, slots + 8, dram)
    struct.pack_into("<Q", data, slots + stamp, updated)
    struct.pack_into("64s", data, slots + name, comm.encode())
    return bytes(data)


def publish(number_or_name, data, user=0, folder="/dev/shm"):
    name = number_or_name if isinstance(number_or_name, str) else name_of(asic(number_or_name))
    path = os.path.join(folder, name)
    if os.path.exists(path):
        os.unlink(path)  # the kernel may protect another user's file from root (fs.protected_regular)
    with open(path, "wb") as file:
        file.write(data)
    os.chown(path, user, user)
    return path


def hold(*numbers, code="", prefix=(), **variables):
    """A process that has these devices open. Returns its pid."""
    return Holder(code + "\n" + open_nodes(*numbers), prefix=prefix, **variables).pid


def remove_groups(path):
    """The control groups above that of a container, which runc leaves behind; not those that others use."""
    while path != "/":
        for hierarchy in ["/sys/fs/cgroup", *glob.glob("/sys/fs/cgroup/*")]:
            try:
                os.rmdir(hierarchy + path)
            except OSError:
                pass
        path = os.path.dirname(path)


class Container:
    """A real container (runc) whose root has only busybox. Its process is pid 1 inside, and has one device open."""

    def __init__(self, name, number, shared_shm=False, files=(), script="", program="busybox", shm=True, cgroup=None):
        self.name = name
        self.cgroup = cgroup
        self.bundle = os.path.join(WORK, name)
        root = os.path.join(self.bundle, "rootfs")
        for folder in ("bin", "proc", "dev", "sys", "files"):
            os.makedirs(os.path.join(root, folder))
        for copy in {"busybox", program}:
            shutil.copy("/bin/busybox", os.path.join(root, "bin", copy))
        for file, data in files:
            with open(os.path.join(root, "files", file), "wb") as out:
                out.write(data)
        subprocess.run(["runc", "spec"], cwd=self.bundle, check=True)
        self.configure(number, shared_shm, script, program, shm)
        self.start()

    def configure(self, number, shared_shm, script, program, shm):
        path = os.path.join(self.bundle, "config.json")
        with open(path) as file:
            config = json.load(file)
        config["process"].update(terminal=False, args=[
            "/bin/busybox", "sh", "-c",
            f"cd /files; for f in *; do [ -e $f ] && /bin/busybox cp $f /dev/shm/; done\n{script}\n"
            f"exec 3</dev/tenstorrent/{number}; echo; exec -a sleep /bin/{program} 600"])
        config["process"]["capabilities"]["bounding"].append("CAP_MKNOD")
        config["process"]["capabilities"]["effective"].append("CAP_MKNOD")
        config["process"]["capabilities"]["permitted"].append("CAP_MKNOD")
        config["root"]["readonly"] = False
        minor = os.minor(os.stat(f"/dev/tenstorrent/{number}").st_rdev)
        config["linux"].update(resources={}, devices=[
            {"path": f"/dev/tenstorrent/{number}", "type": "c", "major": 1, "minor": minor, "fileMode": 0o666}])
        if self.cgroup:
            config["linux"]["cgroupsPath"] = self.cgroup
        if shared_shm:  # as docker run --ipc=host does it
            for mount in config["mounts"]:
                if mount["destination"] == "/dev/shm":
                    mount.update(type="bind", source="/dev/shm", options=["rbind", "rw"])
        if not shm:
            config["mounts"] = [m for m in config["mounts"] if m["destination"] != "/dev/shm"]
        with open(path, "w") as file:
            json.dump(config, file)

    def start(self):
        self.process = subprocess.Popen(["runc", "--root", WORK + "/state", "run", self.name], cwd=self.bundle,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        containers.append(self)
        if not self.process.stdout.readline():
            print("SKIP: runc does not run here:", self.process.stderr.read().decode().strip()[-200:])
            sys.exit(1)
        state = subprocess.run(["runc", "--root", WORK + "/state", "state", self.name],
                               stdout=subprocess.PIPE, check=True)
        self.pid = json.loads(state.stdout)["pid"]
        self.wait_for_program()

    def wait_for_program(self):
        """Waits until the shell that has printed the line has executed the program."""
        end = time.monotonic() + 300
        while open(f"/proc/{self.pid}/cmdline", "rb").read() != b"sleep\x00600\x00":
            assert time.monotonic() < end, "the program of the container does not start"
            time.sleep(0.01)

    def end(self):
        subprocess.run(["runc", "--root", WORK + "/state", "kill", self.name, "KILL"], stderr=subprocess.DEVNULL)
        self.process.communicate()
        containers.remove(self)
        if self.cgroup:
            remove_groups(os.path.dirname(self.cgroup))


def shared_shm():
    """Two containers with one /dev/shm, a card each, both with pid 1: each has its own memory."""
    one = Container("one", 5, True, [(name_of(asic(5)), counters(1, GIB))])
    two = Container("two", 7, True, [(name_of(asic(7)), counters(1, 9 * GIB))])
    document = smi()
    expect(memory(document, one.pid), {5: GIB})
    expect(memory(document, two.pid), {7: 9 * GIB})
    two.end()
    document = smi()
    expect(memory(document, one.pid), {5: GIB})
    left = device(document, 7)
    expect((left["memory"]["used"], left["memory"]["complete"]), (0, True))
    expect([(l["ns_pid"], l["dram"], l["reason"]) for l in left["leftovers"]], [(1, 9 * GIB, "stale")])


def same_card():
    """The same with one card for both: the processes cannot be distinguished, so nothing is known."""
    one = Container("one", 5, True, [(name_of(asic(5)), counters(1, GIB))])
    two = Container("two", 5, True)
    document = smi()
    for container in one, two:
        expect(memory(document, container.pid), {5: "ambiguous_process"})
    expect(device(document, 5)["memory"]["used"], None)
    # A name that only one of them has distinguishes them.
    publish(5, counters(1, GIB, comm="python3"))
    expect(memory(smi(), one.pid), {5: "ambiguous_process"})
    two.end()
    expect(memory(smi(), one.pid), {5: GIB})


def own_shm():
    """A container with a /dev/shm of its own: root sees its memory, other users do not."""
    publish(7, counters(1, 5 * GIB))  # in the host's /dev/shm, which the container does not see
    box = Container("box", 5, files=[(name_of(asic(5)), counters(1, 2 * GIB))])
    expect(memory(smi(), box.pid), {5: 2 * GIB})
    expect(device(smi(), 5)["memory"]["used"], 2 * GIB)
    expect(device(smi(), 5)["memory"]["complete"], True)
    # As the only file: with one in the host's /dev/shm, the ids of chips would be read in any case.
    os.unlink("/dev/shm/" + name_of(asic(7)))
    result = subprocess.run([TT_SMI, "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-i", "5"],
                            stdout=subprocess.PIPE, text=True)
    expect(result.stdout.strip(), "2048")
    expect(memory(as_nobody(), box.pid), {})
    # A loop sees what the container publishes later.
    loop = subprocess.Popen([TT_SMI, "--json", "-lms", "100"], stdout=subprocess.PIPE)
    started.append(loop)
    expect(memory(json.loads(loop.stdout.readline()), box.pid), {5: 2 * GIB})
    publish(5, counters(1, 3 * GIB), folder=f"/proc/{box.pid}/root/dev/shm")
    end = time.monotonic() + 300
    while memory(json.loads(loop.stdout.readline()), box.pid) != {5: 3 * GIB}:
        assert time.monotonic() < end


def without_shm():
    """A container without a /dev/shm does not see the host's: the slot of a pid 1 there is not that of its pid 1."""
    publish(5, counters(1, 9 * GIB, age=-60))
    box = Container("box", 5, shm=False)
    document = smi()
    expect(memory(document, box.pid), {5: "no_tracker"})
    expect([(l["ns_pid"], l["dram"]) for l in device(document, 5)["leftovers"]], [(1, 9 * GIB)])


def is_in(pid, container):
    """Is the process in the container's mount namespace?"""
    try:
        return os.path.samefile(f"/proc/{pid}/ns/mnt", f"/proc/{container.pid}/ns/mnt")
    except FileNotFoundError:  # a process outside of the test has exited
        return False


def two_holders():
    """The mount namespace of several holders is entered once, and each holder has its own memory."""
    box = Container("box", 5, files=[(name_of(asic(5)), counters(1, 2 * GIB))],
                    script="exec 3</dev/tenstorrent/5; /bin/busybox sleep 600 & /bin/busybox sleep 600 &")
    log = os.path.join(WORK, "calls")
    document = json.loads(subprocess.check_output(["strace", "-f", "-e", "trace=openat", "-o", log, TT_SMI, "--json"]))
    inside = {p["pid"]: memory(document, p["pid"]) for p in document["processes"]
              if is_in(p["pid"], box)}
    expect(sorted(map(str, inside.values())), ["{5: 'no_tracker'}"] * 2 + [f"{{5: {2 * GIB}}}"])
    with open(log, encoding="utf-8") as file:  # strace's log of more than one sample
        visited = {int(pid) for pid in re.findall(r'"proc/(\d+)/root"', file.read())}
    expect(len(visited & set(inside)), 1)


def odd_files():
    """Links, pipes and devices in a container's /dev/shm: none is followed, read or opened."""
    secret = os.path.join(WORK, "secret")
    with open(secret, "wb") as file:
        file.write(counters(1, 7 * GIB))
    for name, script in [
            ("link", f"/bin/busybox ln -s {secret} /dev/shm/NAME"),
            ("inside", "/bin/busybox ln -s /files/other /dev/shm/NAME"),
            ("pipe", "/bin/busybox mkfifo /dev/shm/NAME"),
            ("node", "/bin/busybox mknod /dev/shm/NAME c 1 7"),
            ("folder", "/bin/busybox mkdir /dev/shm/NAME")]:
        box = Container(name, 5, files=[], script=script.replace("NAME", name_of(asic(5))))
        expect(memory(smi(), box.pid), {5: "malformed"})
        box.end()


def blocked_shm():
    """A /dev/shm that blocks makes only the figures of its own processes unknown."""
    publish(7, counters(os.getpid(), GIB, comm="python3"))
    code = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
assert libc.unshare(0x20000) == 0
fuse = os.open('/dev/fuse', os.O_RDWR)
options = f'fd={fuse},rootmode=40000,user_id=0,group_id=0'.encode()
assert libc.mount(b'none', b'/', None, 0x44000, None) == 0
assert libc.mount(b'mute', b'/dev/shm', b'fuse', 0, options) == 0, ctypes.get_errno()
"""
    if not os.path.exists("/dev/fuse"):
        print("SKIP: no /dev/fuse here")
        sys.exit(1)
    silent = hold(5, code=code)
    well = hold(7)
    publish(7, counters(well, GIB, comm="python3"))
    document = smi()
    expect(memory(document, silent), {5: "timed_out"})
    expect(memory(document, well), {7: GIB})


def forged():
    """A file of another user does not count for a process; one of root or of its own user does."""
    theirs, ours = hold(5, prefix=holders.NOBODY), hold(7)
    publish(5, counters(theirs, GIB, comm="python3"), user=NOBODY)
    publish(7, counters(ours, 9 * GIB, comm="python3"), user=NOBODY)
    document = smi()
    expect(memory(document, theirs), {5: GIB})
    expect(memory(document, ours), {7: "untrusted_file"})
    doctor = subprocess.run([TT_SMI, "doctor"], stdout=subprocess.PIPE, text=True).stdout
    assert "counters in another user's file" in doctor and "delete its file" in doctor, doctor
    # The memory in the slot of a dead process is shown, unless it is more than a chip has.
    publish(7, counters(99999, GIB, comm="gone"), user=NOBODY)
    expect([l["dram"] for l in device(smi(), 7)["leftovers"]], [GIB])
    publish(7, counters(99999, 1 << 60, comm="forged"), user=NOBODY)
    expect(device(smi(), 7)["leftovers"], [])
    publish(7, counters(ours, 9 * GIB, comm="python3"))
    publish(5, counters(theirs, 2 * GIB, comm="python3"))
    document = smi()
    expect(memory(document, theirs), {5: 2 * GIB})
    expect(memory(document, ours), {7: 9 * GIB})
    # Many files that match no chip are not read at all.
    for i in range(3000):
        publish(name_of(10 ** 12 + i), b"", user=NOBODY + 1)
    expect(complaints(smi()), [])
    for i in range(3000):
        publish(name_of(10 ** 12 + i), b"", user=NOBODY)
    errors = complaints(smi())
    assert len(errors) == 1 and "2936 files match no device" in errors[0], errors


def utilisation(number, permille):
    data = bytearray(72 + 40)
    struct.pack_into("<4sHHQ", data, 0, b"TTUT", 3, 40, asic(number))
    now = time.clock_gettime_ns(MONOTONIC) // 1000
    struct.pack_into("<IQQII", data, 20, 3, now, now, 1, 0)
    struct.pack_into("<I", data, 48, os.getpid())
    struct.pack_into("<HHH", data, 72 + 6, 0, permille, permille)
    return bytes(data)


def fresh(publishing, ask):
    """Publishes and asks again until the answer came within 2 s, after which figures count as stale."""
    while True:
        began = time.monotonic()
        publishing()
        found = ask()
        if time.monotonic() - began < 2:
            return found


def forged_util():
    """Published utilisation counts if its file belongs to root or to a user who holds the device."""
    hold(5, prefix=holders.NOBODY)
    name = f"tt_device_{asic(5)}_util"
    query = [TT_SMI, "--query-gpu=utilization.compute", "--format=csv,noheader,nounits", "-i", "5"]
    for user, want in ((0, 0.5), (NOBODY, 0.5), (NOBODY + 1, None)):
        def publishing():
            publish(name, utilisation(5, 500), user=user)

        document = device(fresh(publishing, smi), 5)
        expect(document["utilization"]["compute"], want)
        said = fresh(publishing, lambda: subprocess.run(query, stdout=subprocess.PIPE, text=True).stdout.strip())
        expect(said, "[N/A]" if want is None else "50")
    expect(document["unavailable"]["utilization.compute"], "untrusted_file")


def umd_util():
    """The two chips of an n300 have UMD's ids, made by Ethernet firmware; the second one has no ASIC id at all."""
    hold(5, prefix=holders.NOBODY)
    with open("/sys/class/tenstorrent/tenstorrent!5/tt_serial") as file:
        serial = int(file.read(), 16)
    low = serial >> 4 & 0xF0000000 | serial & 0x0FFFFFFF
    for user, reason in ((NOBODY, None), (NOBODY + 1, "untrusted_file")):
        def publishing():
            for place, permille in ((2, 250), (3, 750)):
                publish(f"tt_device_{place << 32 | low}_util", utilisation(5, permille), user=user)

        document = fresh(publishing, smi)
        for chip, share in ((5, 0.25), ("5R", 0.75)):
            expect(device(document, chip)["utilization"]["compute"], None if reason else share)
            expect(device(document, chip)["unavailable"].get("utilization.compute"), reason)


def clocks():
    """The time in a slot may be of either clock; a slot that was written before the process started is not its own."""
    pid = hold(5)
    for layout in 1, 2, 3:
        for clock in WALL, MONOTONIC:
            publish(5, counters(pid, GIB, comm="python3", layout=layout, clock=clock))
            expect(memory(smi(), pid), {5: GIB})
            publish(5, counters(pid, GIB, comm="python3", layout=layout, clock=clock, age=60))
            expect(memory(smi(), pid), {5: "no_tracker"})


def numbers():
    """A file whose name matches no chip is matched by the logical number in it; otherwise the right reason is shown."""
    both = hold(5, 7)
    order = sorted((5, 7), key=lambda n: os.readlink(f"/sys/class/tenstorrent/tenstorrent!{n}/device"))
    for logical, number in enumerate(order):
        path = publish(name_of(0x261903000 + logical), counters(both, GIB, comm="python3", device_id=logical))
        have = memory(smi(), both)
        expect(have[number], GIB)
        os.unlink(path)
    publish(name_of(0x261903000), counters(both, GIB, comm="python3", device_id=9))
    document = smi()
    expect(memory(document, both), {5: "unmatched_chip", 7: "unmatched_chip"})
    assert any("match no device" in text for text in complaints(document)), document["errors"]
    # Logical numbers that cannot be translated to devices have another reason.
    lost = hold(5, 7, TT_VISIBLE_DEVICES="none of them")
    publish(name_of(0x261903001), counters(lost, GIB, comm="python3", device_id=0))
    expect(memory(smi(), lost), {5: "device_list_invalid", 7: "device_list_invalid"})
    table = subprocess.run([TT_SMI], stdout=subprocess.PIPE, text=True).stdout
    assert "counters match no device" in table and "no permission" not in table, table
    doctor = subprocess.run([TT_SMI, "doctor"], stdout=subprocess.PIPE, text=True).stdout
    assert "counters match no device" in doctor and "it has not loaded TT-Metal" not in doctor, doctor


def collector():
    """A monitor in a container makes no memory unknown: neither that of the host's jobs nor that of its chip."""
    box = Container("box", 5, program="tt_telemetry_collector")
    role = {p["pid"]: p["role"] for p in smi()["processes"]}[box.pid]
    expect((role, device(smi(), 5)["memory"]["used"], device(smi(), 5)["memory"]["complete"]), ("monitor", 0, True))
    job = hold(5)
    publish(5, counters(job, GIB, comm="python3"))
    expect((device(smi(), 5)["memory"]["used"], device(smi(), 5)["memory"]["complete"]), (GIB, True))
    # If it publishes counters, it is a job.
    publish(5, counters(1, 2 * GIB), folder=f"/proc/{box.pid}/root/dev/shm")
    document = smi()
    expect(memory(document, box.pid), {5: 2 * GIB})
    expect({p["pid"]: p["role"] for p in document["processes"]}[box.pid], "job")
    expect(device(document, 5)["memory"]["used"], 3 * GIB)


def served():
    """The allocation server shows every user what root sees in a container."""
    box = Container("box", 5, files=[(name_of(asic(5)), counters(1, 2 * GIB))])
    os.makedirs("/run/tt-smi", exist_ok=True)
    server = subprocess.Popen([os.environ["TT_ALLOCD"]], stderr=subprocess.DEVNULL)
    started.append(server)
    end = time.monotonic() + 300
    while memory(as_nobody(), box.pid) != {5: 2 * GIB}:
        assert time.monotonic() < end, "not told"
        time.sleep(0.1)


POD, CLAIM, SPARE = (f"{digit * 8}-8ee0-4a0f-9b52-52c9a8a4c1d7" for digit in "0ab")


def process(document, pid):
    return next(p for p in document["processes"] if p["pid"] == pid)


def kubelet_links(identity):
    """Makes the directories of a kubelet, including entries that do not belong to a container."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "none", "/var/log"], check=True)
    os.makedirs(f"/var/log/pods/ml-team_train-0_{POD}")
    os.makedirs("/var/log/containers")
    for name in f"train-0_ml-team_worker-{identity}.log", f"Other_x_y-{identity}.log", "x.log":
        os.symlink("/nowhere", "/var/log/containers/" + name)


def dra_checkpoint(text):
    os.makedirs("/var/lib/kubelet/plugins/tenstorrent.com", exist_ok=True)
    with open("/var/lib/kubelet/plugins/tenstorrent.com/checkpoint.json", "w", encoding="ascii") as file:
        file.write(text)


def prepared(*devices):
    return json.dumps({"checksum": 1, "v1": {"preparedClaims": {
        claim: [{"DeviceName": name, "ContainerEdits": {"deviceNodes": [{"path": path}]}}] for claim, name, path in devices}}})


def claims(document):
    return {d["id"]: d["claim"] or d["unavailable"]["claim"] for d in document["devices"]}


def start_server():
    os.makedirs("/run/tt-smi", exist_ok=True)
    started.append(subprocess.Popen([os.environ["TT_ALLOCD"]], stderr=subprocess.DEVNULL))


def eventually(function, value):
    end = time.monotonic() + 300
    while function() != value:
        assert time.monotonic() < end, f"{function()}, not {value}"
        time.sleep(0.1)


def scraped(port):
    """The series of /metrics, without the labels of the device's identity."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=300) as answer:
        return re.sub(r',uuid="[^"]*"', "", answer.read().decode()).splitlines()


def is_ready(port):
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=300).status == 200
    except urllib.error.HTTPError:
        return False


def serve():
    """Starts tt_smi serve; returns its port."""
    program = os.path.join(os.path.dirname(os.environ["TT_SMI"]), "tt_smi-serve")
    if not os.path.exists(program):
        print("SKIP: tt_smi serve is not built")
        sys.exit(1)
    server = subprocess.Popen([program, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    started.append(server)
    port = re.search(r"127.0.0.1:(\d+)/", server.stderr.readline())[1]
    eventually(lambda: is_ready(port), True)
    return port


def pods():
    """A container with the control group of a kubelet has the names of its pod, for every user and in the metrics."""
    identity = "0123456789abcdef" * 4
    box = Container(identity, 5, files=[(name_of(asic(5)), counters(1, GIB))],
                    cgroup=f"/kubepods/burstable/pod{POD}/{identity}")
    unnamed = process(smi(), box.pid)
    expect((unnamed["pod"]["uid"], unnamed["pod"]["name"], unnamed["unavailable"]["pod.name"]), (POD, None, "not_offered"))
    kubelet_links(identity)
    for document in smi(), as_nobody():
        if not [p for p in document["processes"] if p["pid"] == box.pid]:
            continue  # a process of another user, which cannot be seen if the driver has no list
        named = process(document, box.pid)
        expect(named["pod"], {"uid": POD, "name": "train-0", "namespace": "ml-team"})
        expect((named["container"]["id"], named["container"]["name"]), (identity, "worker"))
        expect(named["owner"], "pod ml-team/train-0")
    os.unlink(f"/var/log/containers/train-0_ml-team_worker-{identity}.log")
    named = process(smi(), box.pid)
    expect((named["pod"]["name"], named["container"]["name"]), ("train-0", None))
    os.symlink("/nowhere", f"/var/log/containers/train-0_ml-team_worker-{identity}.log")
    port = serve()
    labels = 'kind="pod",namespace="ml-team",pod="train-0",container="worker",user="root"'
    eventually(lambda: f'ttsmi_owner_memory_used_bytes{{device="5",pool="dram",{labels}}} {GIB}' in scraped(port), True)
    expect(f"ttsmi_owner_devices{{{labels}}} 1" in scraped(port), True)
    box.end()
    eventually(lambda: [line for line in scraped(port) if "train-0" in line], [])


def claimed():
    """Devices that are prepared for claims are shown, also if no process has them open; other users get them from the server."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "none", "/var/lib"], check=True)
    expect(claims(smi()), {5: "not_applicable", 7: "not_applicable"})
    dra_checkpoint(prepared((CLAIM, "tt-0", "/dev/tenstorrent/5"), (SPARE, "tt-1", "/dev/tenstorrent/7")))
    os.chmod("/var/lib/kubelet/plugins", 0o750)
    expect(claims(smi()), {5: CLAIM, 7: SPARE})
    expect(claims(as_nobody()), {5: "permission_denied", 7: "permission_denied"})
    job = hold(5)
    port = serve()
    eventually(lambda: sorted(line for line in scraped(port) if line.startswith("ttsmi_device_claim_unused")),
               ['ttsmi_device_claim_unused{device="5"} 0', 'ttsmi_device_claim_unused{device="7"} 1'])
    start_server()
    eventually(lambda: claims(as_nobody()), {5: CLAIM, 7: SPARE})
    # Without a PCI address a number may mean either device; a file in an unknown format has no effect.
    dra_checkpoint('{"v1": {"preparedClaims": {"%s": [{"DeviceName": "tt-5"}]}}}' % CLAIM)
    eventually(lambda: set(claims(smi()).values()), {"unmatched_claim"})
    dra_checkpoint('{"v1": {"preparedClaims": {"%s": [{"DeviceName": "tt-5"' % CLAIM)
    eventually(lambda: set(claims(smi()).values()), {"malformed"})
    dra_checkpoint('{"v1": {}}')
    eventually(lambda: set(claims(smi()).values()), {"not_applicable"})
    eventually(lambda: set(claims(as_nobody()).values()), {"not_applicable"})
    assert job


def slurm_names():
    """Name and user of a job are in the environment of its processes; other users get them from the server."""
    job = hold(5, SLURM_JOB_ID="4711", SLURM_JOB_NAME="train big", SLURM_JOB_USER="ada", SECRET="hunter2")
    path = os.path.join(WORK, "cgroup")
    with open(path, "w", encoding="ascii") as file:
        file.write("0::/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0\n")
    subprocess.run(["mount", "--bind", path, f"/proc/{job}/cgroup"], check=True)
    known = {"job_id": "4711", "step": "0", "job_name": "train big", "user": "ada"}
    expect(process(smi(), job)["slurm"], known)
    start_server()

    def of_others():
        return [p["slurm"] for p in as_nobody()["processes"] if p["pid"] == job]

    publish(5, counters(job, GIB, comm="python3"))
    eventually(of_others, [known])
    with open(path, "w", encoding="ascii") as file:
        file.write("0::/system.slice/slurmstepd.scope/job_4712/step_0/user/task_0\n")
    expect(process(smi(), job)["slurm"], {"job_id": "4712", "step": "0", "job_name": None, "user": None})
    with open(path, "w", encoding="ascii") as file:
        file.write("0::/user.slice/user-1000.slice/session-4.scope\n")
    expect(process(smi(), job)["slurm"]["job_id"], None)


WORK = tempfile.mkdtemp(dir="/tmp/" + os.environ.get("TT_TEST_RUN", ""))
try:
    holders.play(globals())
finally:
    for container in list(containers):
        container.end()
    shutil.rmtree(WORK, ignore_errors=True)
