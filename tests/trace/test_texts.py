"""The texts of the pinned files `allocations` and `holders`, their permissions, and the output of the commands."""

import json
import os
import shutil
import stat
import subprocess
import sys

import staged
from metal import Program, library, run_tests
from odd import LIBRARY, Odd
from staged import PINS, TRACER, TT_SMI, Tracing, tracer
from watcher import Watcher

staged.enter()

HEADING = """\
PID      Comm             DRAM       L1         L1_SMALL   TRACE      BUFFERS    SYSTEM     CHIP  START        STATE
-------- ---------------- ---------- ---------- ---------- ---------- ---------- ---------- ----- ------------ -----
"""
ROW = "%-8s %-16s %-10s %-10s %-10s %-10s %-10s %-10s %-5s %-12s %s\n"
HOLDERS = """\
PID      Comm             DEVICE   FD       START        ROLE
-------- ---------------- -------- -------- ------------ ----
"""


def text(name):
    with open(f"{PINS}/{name}", encoding="utf-8") as file:
        return file.read()


def held_by(*pids):
    """The rows of `holders` about these processes: others may have the file open that stands in for a device."""
    lines = text("holders").splitlines(keepends=True)
    assert "".join(lines[:2]) == HOLDERS
    return "".join(line for line in lines[2:] if int(line.split()[0]) in pids)


def start_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[19]


def total(*figures):
    return "\n" + ROW % ("TOTAL", "-", *figures, "-", "-", "-")


def test_what_only_a_watcher_can_do_is_refused_without_one(_):
    for option in "--programs", "--names":
        done = tracer("start", option, check=False)
        assert done.returncode == 2 and f"{option} needs --watch" in done.stderr, done
        assert not os.path.exists(PINS + "/allocations")


def test_no_process_is_traced(_):
    with Tracing():
        assert text("allocations") == HEADING + total(0, 0, 0, 0, 0, 0)
        assert held_by(os.getpid()) == ""


def test_every_column(_):
    with Tracing(library("v66")):
        program = Program("v66")
        program.do("hold /dev/tenstorrent/9", "alloc a 0 dram 1001", "alloc b 0 l1 1002", "alloc c 0 system 1003",
                   "alloc d 0 l1_small 1004", "alloc e 0 trace 1005", "alloc f 0 dram 1")
        assert text("allocations") == HEADING + ROW % (
            program.pid, "metal_run", 1002, 1002, 1004, 1005, 6, 1003, 0, start_of(program.pid), "exact") + total(
                1002, 1002, 1004, 1005, 6, 1003)
        assert held_by(program.pid) == "%-8s %-16s %-8s %-8s %-12s %s\n" % (
            program.pid, "metal_run", 9, 3, start_of(program.pid), "-")
        program.do("open 63", "alloc g 63 dram 20")
        assert text("allocations").splitlines()[3] == (ROW % (
            program.pid, "metal_run", 20, 0, 0, 0, 1, 0, 63, start_of(program.pid), "exact")).rstrip("\n")
        assert program.end() == 0
        assert text("allocations") == HEADING + total(0, 0, 0, 0, 0, 0)


def test_a_traced_process_without_memory(_):
    with Tracing(LIBRARY), Odd() as odd:
        tracer("start")
        assert text("allocations") == HEADING + ROW % (
            odd.pid, "odd", 0, 0, 0, 0, 0, 0, "-", odd.start(), "exact") + total(0, 0, 0, 0, 0, 0)


def test_one_line_however_often_a_device_is_open(_):
    nodes = [os.open(f"/dev/tenstorrent/{number}", os.O_RDONLY) for number in (8, 9)]
    copies = [os.dup(node) for _ in range(300) for node in nodes]
    with Tracing():
        with open(PINS + "/holders", "rb", buffering=0) as file:
            pieces = b"".join(iter(lambda: file.read(100), b"")).decode()
        for said in (text("holders"), pieces):
            rows = [line.split() for line in said.splitlines()[2:]]
            rows = [row[2:4] for row in rows if row[0] == str(os.getpid())]
            assert rows == [["8", str(nodes[0])], ["9", str(nodes[1])]], rows
    for descriptor in nodes + copies:
        os.close(descriptor)


def test_a_descriptor_of_a_removed_node_is_not_listed(_):
    """After an unbind, the device number of the removed node may be that of another card."""
    node, number = "/dev/tenstorrent/removed", os.stat("/dev/tenstorrent/8").st_rdev
    os.mknod(node, 0o666 | stat.S_IFCHR, number)
    removed = os.open(node, os.O_RDONLY)
    with Tracing():
        assert held_by(os.getpid()).split()[2:4] == ["8", str(removed)], text("holders")
        os.unlink(node)
        assert held_by(os.getpid()) == "", text("holders")
        kept = os.open("/dev/tenstorrent/8", os.O_RDONLY)
        assert held_by(os.getpid()).split()[2:4] == ["8", str(kept)], text("holders")
        os.close(kept)
    os.close(removed)


def collector(path, uid, *code):
    """A program that holds device 8 and then executes commands, if there are any."""
    words = ["import os, sys", "f = os.open('/dev/tenstorrent/8', os.O_RDONLY)", "os.set_inheritable(f, True)",
             "print('ready', flush=True)", "sys.stdin.readline()", *code]
    process = subprocess.Popen(["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", path, "-c",
                                "\n".join(words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=dict(os.environ, PYTHONHOME="/usr"))
    assert process.stdout.readline() == "ready\n"
    return process


def test_roles_for_users_who_may_not_look(_):
    subprocess.check_call(["mount", "-t", "tmpfs", "-o", "mode=755", "none", "/opt"])
    ours, theirs = "/opt/tt_telemetry_collector", "/opt/user/tt_telemetry_collector"
    os.mkdir("/opt/user")
    shutil.copy(os.path.realpath("/usr/bin/python3"), ours)
    shutil.copy(ours, theirs)
    for path in ("/opt/user", theirs):
        os.chown(path, 65533, 65533)
    other = f"os.execv('{theirs}', ['{ours}', '-c', 'import sys; print(1, flush=True); sys.stdin.read()'])"
    all_of_them = [collector(ours, 0), collector(ours, 65533, other), collector(theirs, 65533),
                   collector("/usr/bin/python3", 65533)]
    pids = [process.pid for process in all_of_them]

    def told():
        rows = [line.split() for line in held_by(*pids).splitlines()]
        roles = {int(row[0]): row[5] for row in rows}
        return [roles[pid] for pid in pids]

    def shown():
        """The roles as another user sees them."""
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/opt/tt_smi", "--json"],
                              stdout=subprocess.PIPE, check=True, timeout=60)
        roles = {process["pid"]: process["role"] for process in json.loads(done.stdout)["processes"]}
        return [roles[pid] for pid in pids]

    try:
        shutil.copy(TT_SMI, "/opt/tt_smi")
        with Tracing():
            assert told() == ["monitor", "monitor", "job", "-"], told()
            assert shown() == ["monitor", "monitor", "job", "job"], shown()
            # While no tracer runs, it executes another program of the same name.
            all_of_them[1].stdin.write("\n")
            all_of_them[1].stdin.flush()
            assert all_of_them[1].stdout.readline() == "1\n"
            assert told() == ["monitor", "-", "job", "-"], told()
            assert shown() == ["monitor", "job", "job", "job"], shown()
            tracer("start")
            assert told() == ["monitor", "job", "job", "-"], told()
    finally:
        for process in all_of_them:
            process.kill()
            process.wait()
        subprocess.check_call(["umount", "/opt"])


def test_a_name_cannot_break_a_line(_):
    with Tracing(LIBRARY), Odd("b0", name="a b\tc\nd\x7f)(") as odd:
        row = text("allocations").splitlines()[2].split()
        assert row[:2] == [str(odd.pid), "a_b_c_d_)("] and len(row) == 11, row
        assert held_by(odd.pid).split()[:2] == row[:2]
    with Tracing(LIBRARY), Odd("b0", name="") as odd:
        assert text("allocations").splitlines()[2].split()[:2] == [str(odd.pid), "-"]


def test_unreliable_lines_are_not_in_the_sums(_):
    with Tracing(LIBRARY), Odd("b0", "b0"), Odd("b2") as good:
        lines = text("allocations").splitlines()
        assert sum("unreliable:missed-free" in line for line in lines) == 1
        assert lines[-1].split()[2] == "4000", lines
        assert any(line.split()[0] == str(good.pid) and line.endswith("exact") for line in lines[2:-2])


def test_many_processes_in_small_reads(_):
    """Lines that do not fit are written in the next read; sums count each once."""
    with Tracing(LIBRARY):
        odds = [Odd("b0", "b2", "b3", "c0", "c3") for _ in range(120)]
        whole = text("allocations")
        with open(PINS + "/allocations", "rb", buffering=0) as file:
            pieces = b"".join(iter(lambda: file.read(700), b"")).decode()
        assert sorted(whole.splitlines()) == sorted(pieces.splitlines())
        assert whole.splitlines()[-1].split()[2:] == [str(120 * (1000 + 4000 + 2 * 8000)), "0", "0", "0", "480", "0",
                                                      "-", "-", "-"]
        assert len(whole.splitlines()) == 2 + 240 + 2
        assert held_by(*[odd.pid for odd in odds]).count("\n") == 120
        for odd in odds:
            odd.__exit__()


def test_every_user_may_read_them(directory):
    # A coverage build would print errors if it cannot write its counters: give it a folder for them.
    os.chmod(directory, 0o1777)
    nobody = ["env", f"GCOV_PREFIX={directory}", "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    with Tracing(LIBRARY), Odd("b0") as odd:
        for name in ("allocations", "holders"):
            said = subprocess.check_output([*nobody, "cat", f"{PINS}/{name}"], text=True)
            assert said.splitlines()[:2] == text(name).splitlines()[:2] and f"\n{odd.pid} " in said
        for name in ("maps", "progs", "links"):
            assert subprocess.run([*nobody, "ls", f"{PINS}/{name}"], capture_output=True, check=False).returncode
        program = "/run/tt_smi-trace"  # where any user may run it
        subprocess.check_call(["cp", TRACER, program])
        done = subprocess.run([*nobody, program, "status"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done
        assert LIBRARY in done.stdout and text("allocations") in done.stdout, done.stdout
        for word in ("start", "stop"):
            done = subprocess.run([*nobody, program, word], capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (4, "tt_smi-trace: permission denied: only root may change tracing\n"), done


def test_status_and_what_stop_leaves(_):
    done = tracer("status", check=False)
    assert (done.returncode, done.stdout) == (1, "not loaded\n"), done
    tracer("start")
    said = tracer("status").stdout
    assert said.startswith("loaded      since ") and "watcher     none" in said, said
    tracer("stop")
    assert tracer("status", check=False).returncode == 1
    assert os.listdir("/run/tt-smi") == ["trace.lock"]
    with open("/proc/mounts", encoding="utf-8") as file:
        assert PINS not in file.read()
    tracer("stop")


def test_mistakes_are_named(directory):
    for arguments, word in (([], "start, stop or status"), (["begin"], '"begin"'), (["stop", "now"], "stop accepts"),
                            (["start", "--max-buffers", "0"], "--max-buffers"), (["--wrong"], "--wrong"),
                            (["status", "--max-buffers", "5"], "status accepts"), (["stop", "-v"], "stop accepts"),
                            (["stop", "--watch"], "stop accepts")):
        done = tracer(*arguments, check=False)
        assert done.returncode == 2 and word in done.stderr and not done.stdout, done
    for path, word in ((directory + "/none", "No such file"), (sys.executable, "not TT-Metal"),
                       (library("v66-stepped"), "single-step"), (directory, "directory")):
        done = tracer("start", path, check=False)
        assert done.returncode == 2 and path in done.stderr and word in done.stderr, done
    tracer("stop")


def test_a_size_that_comes_too_late_is_named(_):
    assert tracer("start", "--max-buffers", "1000").stderr == ""
    assert tracer("start", "--max-buffers", "1000").stderr == ""
    assert tracer("start").stderr == ""
    said = tracer("start", "--max-buffers", "2000").stderr
    assert "2000" in said and "1000" in said and said.count("\n") == 1, said
    tracer("stop")


def test_what_is_in_the_way_is_named(_):
    def refused(*before):
        done = subprocess.run([*before, TRACER, "start"], capture_output=True, text=True, timeout=60, check=False)
        assert done.stderr.count("\n") == 1, done
        return done.returncode, done.stderr

    with Tracing():
        os.unlink(PINS + "/maps/state")  # so that it is not taken over
        powerless = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"]
        code, said = refused(*powerless)
        assert code == 4 and "CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN are needed" in said, (code, said)
        os.makedirs("/sys/kernel/security")
        with open("/sys/kernel/security/lockdown", "w", encoding="utf-8") as file:
            file.write("none integrity [confidentiality]\n")
        code, said = refused(*powerless)
        os.unlink("/sys/kernel/security/lockdown")
        assert code == 4 and "locked down" in said, (code, said)
    code, said = refused("unshare", "-m", "sh", "-c", 'umount /sys/kernel/btf && exec "$0" "$@"')
    assert code == 3 and "/sys/kernel/btf/vmlinux is missing" in said, (code, said)


def test_doctor_does_not_take_a_name_for_a_watcher(directory):
    def doctor():
        return subprocess.run([TT_SMI, "doctor"], capture_output=True, text=True, timeout=60, check=False).stdout

    name = directory + "/tt_smi-trace"
    shutil.copy(shutil.which("sleep"), name)
    with Tracing(), subprocess.Popen([name, "1000"]) as other:
        said = doctor()
        other.kill()
        assert "does not attach by itself" in said, said
    with Watcher():
        assert "new programs are traced as they start" in doctor()


def test_doctor_doubts_an_old_kernel(directory):
    said = {}
    for release in ("5.10.0-46-amd64", "5.15.0-1-generic", "6.1.0-54-amd64"):
        with open(directory + "/release", "w", encoding="utf-8") as file:
            file.write(release + "\n")
        subprocess.check_call(["mount", "--bind", directory + "/release", "/proc/sys/kernel/osrelease"])
        try:
            done = subprocess.run([TT_SMI, "doctor"], capture_output=True, text=True, timeout=60, check=False)
        finally:
            subprocess.check_call(["umount", "/proc/sys/kernel/osrelease"])
        said[release] = "this kernel may be too old: " + release in done.stdout
        assert said[release] != ("supported by this kernel" in done.stdout), done.stdout
    assert list(said.values()) == [True, False, False], said


run_tests(sys.modules[__name__])
