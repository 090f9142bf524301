"""Monitors and jobs among real processes, and users who try to disguise a job as a monitor.

roles.py SCENARIO TT_SMI: as root, on the machine that stage.sh makes.
"""
import os
import shutil
import subprocess
import time

from holders import NOBODY, TT_SMI, Holder, as_nobody, doctor, expect, loads, open_nodes, play, smi, write_pids

# The program of root whose name is that of a monitor: a copy of the Python interpreter, so that the test can control it.
FOLDER = "/opt"
COLLECTOR = FOLDER + "/tt_telemetry_collector"
OTHER = ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"]
PYTHON = os.path.realpath("/usr/bin/python3")  # other users may run it too


def install(path, uid=0, mode=0o755):
    shutil.copyfile(PYTHON, path)
    os.chown(path, uid, uid)
    os.chmod(path, mode)
    return path


def stage():
    subprocess.check_call(["mount", "-t", "tmpfs", "-o", "mode=755", "none", FOLDER])
    os.environ["PYTHONHOME"] = "/usr"  # a copy does not find its modules
    return install(COLLECTOR)


def holder(path, prefix=(), code=""):
    return Holder(open_nodes(5) + "\n" + code, prefix=prefix, program=(path,))


def roles(*processes, document=None):
    """The roles of these processes in a document, by default in that which root gets."""
    write_pids(5, *[process.pid for process in processes])
    found = {process["pid"]: process for process in (document or smi)()["processes"]}
    return [found[process.pid]["role"] for process in processes]


def memory(document):
    device = next(device for device in document["devices"] if device["id"] == 5)
    return device["memory"]["used"], device["memory"]["complete"]


def collector():
    stage()
    ours, theirs = holder(COLLECTOR), holder(COLLECTOR, OTHER)
    expect(roles(ours, theirs), ["monitor", "monitor"])
    expect(memory(smi()), (0, True))
    table = subprocess.check_output([TT_SMI], text=True)
    assert "≥" not in table and "TIP" not in table and "Monitor" in table, table
    found, _ = doctor()
    for process in (ours, theirs):
        expect((found[process.pid]["level"], found[process.pid]["fixes"]), ("ok", []))
    # Another user may not read their files: the name of root's process counts, that of a third user's does not.
    expect(roles(ours, theirs, document=as_nobody), ["monitor", "job"])
    expect(memory(as_nobody())[1], None)
    # The memory of a job beside them is still unknown.
    job = holder(PYTHON)
    expect(roles(ours, theirs, job), ["monitor", "monitor", "job"])
    expect(memory(smi()), (None, None))


def metal():
    stage()
    code, path = loads("v62")
    code = code.replace(path, shutil.copy(path, FOLDER))  # the build may be closed to other users
    ours, theirs = holder(COLLECTOR, code=code), holder(COLLECTOR, OTHER, code)
    expect(roles(ours, theirs), ["job", "job"])
    expect(memory(smi()), (None, None))
    late = holder(COLLECTOR, code=f"""
print(os.getpid(), flush=True)
sys.stdin.readline()
{code}""")
    lines = watch(late)
    expect(next(lines), "monitor")
    late.process.stdin.write("\n")
    late.process.stdin.flush()
    assert "job" in lines


def script():
    stage()
    code = open_nodes(5) + "\nprint(os.getpid(), flush=True)\nsys.stdin.read()\n"
    with open(FOLDER + "/tt-smi", "w", encoding="utf-8") as file:
        file.write("import os, sys\n" + code)

    def run(*words, prefix=()):
        process = Holder.__new__(Holder)
        process.process = subprocess.Popen([*prefix, PYTHON, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           text=True)
        process.pid = int(process.process.stdout.readline())
        return process

    ours, theirs = run("-u", FOLDER + "/tt-smi"), run(FOLDER + "/tt-smi", prefix=NOBODY)
    expect(roles(ours, theirs), ["monitor", "job"])
    expect(roles(ours, document=as_nobody), ["monitor"])
    for process in (ours, theirs):
        process.end()


def namesakes():
    stage()
    os.mkdir(FOLDER + "/user")
    os.chown(FOLDER + "/user", 65534, 65534)
    called = "import ctypes; ctypes.CDLL(None).prctl(15, b'tt-smi', 0, 0, 0)"
    expect(roles(
        holder(install(FOLDER + "/user/tt-smi", 65534), NOBODY),  # a file of the user
        holder(install(FOLDER + "/user/tt-flash", 65534)),  # run by root
        holder(install(FOLDER + "/tt-flash", 0, 0o775), NOBODY),  # a group may write it
        holder(install(FOLDER + "/tt-mgmtd", 0, 0o757)),  # every user may write it
        holder(PYTHON, NOBODY, called),  # the name was set by prctl()
        holder(PYTHON, code=called)), ["job"] * 6)
    # If the executable cannot be read, the name counts only for root's process.
    renamed, other = holder(PYTHON, code=called), holder(PYTHON, OTHER, called)
    expect(roles(renamed, other, document=as_nobody), ["monitor", "job"])


def renamed():
    """The file belongs to root, but its name was chosen by a user."""
    stage()
    home = FOLDER + "/user"
    os.mkdir(home)
    os.link(install(FOLDER + "/python"), home + "/tt-smi")
    os.chown(home, 65534, 65534)
    found = [holder(home + "/tt-smi", NOBODY)]
    mount = f"mount --bind {PYTHON} {COLLECTOR} && exec \"$0\" \"$@\""
    private = [*NOBODY, "unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.call([*private, "true"]) == 0:
        found.append(Holder(open_nodes(5), prefix=[*private, "sh", "-c", mount], program=(COLLECTOR,)))
        # The same file, executed through a descriptor by a process that is not in that mount namespace.
        found.append(Holder(f"""
import socket, subprocess
here, there = socket.socketpair()
give = "import os, socket; s = socket.socket(fileno=%d); " % there.fileno() + \\
    "socket.send_fds(s, [b'x'], [os.open('{COLLECTOR}', os.O_PATH)]); s.recv(1)"
subprocess.Popen(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                  "mount --bind {PYTHON} {COLLECTOR} && exec {PYTHON} -c \\"$0\\"", give],
                 pass_fds=[there.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                 stderr=subprocess.DEVNULL)
there.close()
files = socket.recv_fds(here, 1, 1)[1]
os.set_inheritable(here.fileno(), True)  # its end is the other one's
{open_nodes(5)}
os.set_inheritable(f5, True)
os.execve(files[0], ["tt_telemetry_collector", "-c", "import os, sys; print(os.getpid(), flush=True); sys.stdin.read()"],
          os.environ)""", prefix=NOBODY))
        expect(os.readlink(f"/proc/{found[-1].pid}/exe"), COLLECTOR)
    expect(roles(*found), ["job"] * len(found))


def injected():
    stage()
    library = shutil.copyfile(os.path.realpath("/lib/x86_64-linux-gnu/libz.so.1"), FOLDER + "/libuser.so")
    os.chown(library, 65533, 65533)
    preload = ["env", "LD_PRELOAD=" + library]
    # A library of the user, mapped from a path where root has another library.
    disguised = f"""
import ctypes, socket, subprocess
here, there = socket.socketpair()
give = "import os, socket; s = socket.socket(fileno=%d); " % there.fileno() + \\
    "socket.send_fds(s, [b'x'], [os.open('{COLLECTOR}', os.O_RDONLY)]); s.recv(1)"
subprocess.Popen(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                  "mount --bind {library} {COLLECTOR} && exec {PYTHON} -c \\"$0\\"", give],
                 pass_fds=[there.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                 stderr=subprocess.DEVNULL)
there.close()
file = socket.recv_fds(here, 1, 1)[1][0]
m = mmap.mmap(file, 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)
"""
    if subprocess.call([*OTHER, "unshare", "--user", "--map-root-user", "--mount", "true"]) == 0:
        expect(roles(holder(COLLECTOR, OTHER, disguised)), ["job"])
    anonymous = "m = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)"
    expect(roles(holder(COLLECTOR, [*OTHER, *preload]), holder(COLLECTOR, OTHER, anonymous),
                 holder(COLLECTOR, preload)), ["job", "job", "monitor"])


def watch(process):
    """Yields the role of a process in each sample of a loop."""
    write_pids(5, process.pid)
    loop = subprocess.Popen([TT_SMI, "--query-compute-apps=pid,role", "--format=csv,noheader", "-lms", "50"],
                            stdout=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + 300
        for line in loop.stdout:
            pid, role = line.strip().split(", ")
            expect(int(pid), process.pid)
            yield role
            assert time.monotonic() < end, "not within five minutes"
    finally:
        loop.kill()
        loop.wait()


def executed():
    """An exec keeps pid, start, descriptors and even the name."""
    stage()
    os.mkdir(FOLDER + "/user")
    install(FOLDER + "/user/tt_telemetry_collector", 65533)
    os.chown(FOLDER + "/user", 65533, 65533)
    process = holder(COLLECTOR, OTHER, f"""
print(os.getpid(), flush=True)
sys.stdin.readline()
os.set_inheritable(f5, True)
os.execv("{FOLDER}/user/tt_telemetry_collector", ["{COLLECTOR}", "-c", "import sys; sys.stdin.read()"])""")
    lines = watch(process)
    expect(next(lines), "monitor")
    process.process.stdin.write("\n")
    process.process.stdin.flush()
    assert "job" in lines


def replaced():
    stage()
    ours, theirs = holder(COLLECTOR), holder(COLLECTOR, OTHER)
    expect(roles(ours, theirs), ["monitor", "monitor"])
    os.unlink(COLLECTOR)
    expect(roles(ours, theirs), ["monitor", "job"])
    install(COLLECTOR)
    expect(roles(ours, theirs), ["monitor", "job"])


def listed_names():
    stage()
    subprocess.check_call(["mount", "-t", "tmpfs", "-o", "mode=755", "none", "/mnt"])
    subprocess.check_call("cp -a /etc/. /mnt/ && mount --move /mnt /etc", shell=True)
    shutil.rmtree("/etc/tt-smi", ignore_errors=True)
    os.mkdir("/etc/tt-smi")
    site = holder(install(FOLDER + "/site-collector"))
    path = "/etc/tt-smi/monitors"

    def now():
        document = smi()
        role = next(p["role"] for p in document["processes"] if p["pid"] == site.pid)
        return role, [e["message"] for e in document["errors"] if path in e["message"]]

    expect(roles(site), ["job"])
    with open(path, "w", encoding="utf-8") as file:
        file.write("# ours\nsite-collector\n")
    expect(now(), ("monitor", []))
    os.chmod(path, 0o664)
    expect(now(), ("job", [path + ": not used: users other than root may write it"]))
    os.chmod(path, 0o644)
    os.chown(path, 65534, 0)
    expect(now(), ("job", [path + ": not used: it does not belong to root"]))
    os.chown(path, 0, 0)
    with open(path, "a", encoding="utf-8") as file:
        file.write("/opt/other\n")
    expect(now(), ("monitor", [path + ":3: not the name of a program"]))
    # A loop notices that the file was changed.
    lines = watch(site)
    expect(next(lines), "monitor")
    os.unlink(path)
    assert "job" in lines


def served():
    """A server with the capabilities of its systemd unit."""
    stage()
    os.mkdir(FOLDER + "/user")
    os.chown(FOLDER + "/user", 65533, 65533)
    found = [holder(COLLECTOR), holder(COLLECTOR, OTHER),
             holder(install(FOLDER + "/user/tt_telemetry_collector", 65533), OTHER)]
    weak, strong = ["monitor", "job", "job"], ["monitor", "monitor", "job"]
    if os.path.exists(os.environ.get("METAL_DOUBLE", "") + "/v62/libtt_metal.so"):
        found.append(holder(COLLECTOR, code=loads("v62")[0]))
        weak, strong = weak + ["monitor"], strong + ["job"]
    expect(roles(*found, document=as_nobody), weak)
    rights = "-all,+sys_ptrace,+dac_read_search"
    server = subprocess.Popen(["setpriv", "--bounding-set", rights, os.path.dirname(TT_SMI) + "/tt_allocd",
                               "--legacy-socket", "none"], stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists("/run/tt-smi/allocd.sock"):
            expect(server.poll(), None)
            time.sleep(0.01)
        end = time.monotonic() + 300  # repeated: the answer of a busy server may come too late
        while roles(*found, document=as_nobody) != strong and time.monotonic() < end:
            time.sleep(0.1)
        expect(roles(*found, document=as_nobody), strong)
        expect(roles(*found), strong)
        expect(roles(*found[:2], document=as_nobody), strong[:2])
        expect(memory(as_nobody()), (0, True))
    finally:
        server.terminate()
        server.wait()
    expect(roles(*found, document=as_nobody), weak)


if __name__ == "__main__":
    play(globals())
