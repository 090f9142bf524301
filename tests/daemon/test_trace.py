"""Traced programs: the kernel's counts, and the tracer as a child of the server."""

import json
import sys

from allocd import *

GIB = 1 << 30

# A tracer that only logs its starts and its end: one line each, with its pid and arguments. It starts no
# programs, so that it cannot end because the machine has too many.
FAKE = """#!{python}
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
log = os.open("{directory}/tracer", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
os.write(log, " ".join(["start", str(os.getpid())] + sys.argv[1:] + ["\\n"]).encode())
if os.path.exists("{directory}/fails"):
    sys.exit(7)
signal.sigwait([signal.SIGTERM])
os.write(log, f"end {{os.getpid()}}\\n".encode())
"""


def beside(directory, script=FAKE):
    """A copy of tt_allocd with this script as tracer in the same directory."""
    os.mkdir(directory + "/bin", 0o755)
    if script:
        with open(directory + "/bin/tt_smi-trace", "w") as f:
            f.write(script.format(directory=directory, python=sys.executable))
        os.chmod(directory + "/bin/tt_smi-trace", 0o755)
    return readable(ALLOCD, directory + "/bin")


class Tracing(Server):
    def __init__(self, directory, *options, script=FAKE, **more):
        self.program = beside(directory, script)
        super().__init__(directory, "--trace", *options, **more)

    def command(self):
        return [self.program, *super().command()[1:]]

    def tracers(self, word="start"):
        try:
            with open(self.directory + "/tracer") as f:
                return [int(line.split()[1]) for line in f if line.startswith(word)]
        except FileNotFoundError:
            return []


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@bare
def test_without_a_tracer_it_does_not_start(directory):
    result = subprocess.run([beside(directory, None), "--trace", "--socket", directory + "/s"],
                            stderr=subprocess.PIPE, text=True)
    assert result.returncode == 3, result
    assert "tt_smi-trace not found: built without tracing" in result.stderr, result.stderr


@root
@bare
def test_only_root_may_trace(directory):
    result = subprocess.run([beside(directory), "--trace", "--socket", directory + "/s"],
                            stderr=subprocess.PIPE, text=True, user=NOBODY)
    assert result.returncode == 4, result
    assert "only root may trace" in result.stderr, result.stderr


@root
@bare
def test_a_tracer_that_dies_is_restarted(directory):
    server = Tracing(directory)
    wait(lambda: len(server.tracers()) == 1, "the tracer")
    with open(directory + "/tracer") as f:
        assert f.read().split()[2:] == ["start", "--watch"]
    os.kill(server.tracers()[0], signal.SIGKILL)
    server.wait_for("the tracer was killed by signal 9; restarting in 1 s")
    wait(lambda: len(server.tracers()) == 2, "the next tracer")
    open(directory + "/fails", "w").close()
    os.kill(server.tracers()[1], signal.SIGKILL)
    server.wait_for("the tracer was killed by signal 9; restarting in 2 s")
    server.wait_for("the tracer ended with status 7; restarting in 4 s")
    os.unlink(directory + "/fails")
    wait(lambda: len(server.tracers()) == 4 and is_alive(server.tracers()[3]), "a tracer that lives")
    assert server.stop() == 0
    assert server.tracers("end") == server.tracers()[3:], (server.tracers("end"), server.tracers(), server.log())
    assert not any(map(is_alive, server.tracers()))


@root
@bare
def test_the_tracer_follows_programs_if_asked_to(directory):
    for options in ["--programs"], ["--names"], ["--programs", "--names"]:
        place = directory + "/" + "".join(options)
        os.mkdir(place, 0o755)
        server = Tracing(place, *options)
        wait(lambda server=server: len(server.tracers()) == 1, "the tracer")
        with open(place + "/tracer") as f:
            assert f.read().split()[2:] == ["start", "--watch", *options]
        assert server.stop() == 0


@bare
def test_programs_are_followed_by_the_tracer_only(directory):
    for option in "--programs", "--names":
        result = subprocess.run([ALLOCD, option, "--socket", directory + "/s"], stderr=subprocess.PIPE, text=True)
        assert result.returncode == 2 and f"{option} needs --trace" in result.stderr, result


@root
@bare
def test_sighup_keeps_the_tracer(directory):
    server = Tracing(directory)
    wait(lambda: len(server.tracers()) == 1, "the tracer")
    for again in range(1, 4):
        server.child.send_signal(signal.SIGHUP)
        wait(lambda: server.log().count("listening on") == again + 1, "the server after SIGHUP")
        server.ask()
    assert len(server.tracers()) == 1 and is_alive(server.tracers()[0])
    # The tracer is still supervised.
    os.kill(server.tracers()[0], signal.SIGKILL)
    server.wait_for("the tracer was killed by signal 9")
    wait(lambda: len(server.tracers()) == 2, "the next tracer")
    # If it died while the server was stopped, that is noticed too.
    server.child.send_signal(signal.SIGSTOP)
    os.kill(server.tracers()[1], signal.SIGKILL)
    server.child.send_signal(signal.SIGHUP)
    server.child.send_signal(signal.SIGCONT)
    wait(lambda: len(server.tracers()) == 3, "a tracer after that")
    assert server.stop() == 0
    assert not any(map(is_alive, server.tracers()))


@root
@bare
def test_the_tracer_ends_with_a_killed_server(directory):
    server = Tracing(directory)
    wait(lambda: len(server.tracers()) == 1, "the tracer")
    server.kill()
    wait(lambda: not is_alive(server.tracers()[0]), "its end")
    wait(lambda: server.tracers("end") == server.tracers(), "its last line")


def workload(root, name):
    """The process of a simulated workload."""
    for line in open(root + "/run/tt-smi/bpf/holders"):
        if line.split()[1] == name:
            return int(line.split()[0])
    return None


@bare
def test_the_kernels_counts_are_reported(directory):
    root = machine(directory, "-b", "n150,p150a", "-w", "dev=0+1,dram=3G,trace=1M,l1=2M,via=traced,name=whole", "-w",
                   "dev=1,dram=1G,via=traced,state=since-attach,name=late", "-w",
                   "dev=1,dram=9G,via=traced,state=mesh,name=vague", "-w", "dev=0,via=traced,name=idle")
    server = Server(directory, root=root)
    image = server.ask()
    whole = [p for p in image.living if p.pid == workload(root, "whole")]
    assert [p.origin for p in whole] == [TRACED] and sum(p.now(DRAM) for p in whole) == 6 * GIB
    assert {u["node"] for p in whole for u in p.usages} == {0, 1}
    assert sum(p.now(TRACE) for p in whole) == 2 << 20 and sum(p.now(L1) for p in whole) == 4 << 20
    assert sum(u["allocs"] - u["frees"] for p in whole for u in p.usages) == 6
    assert not any(p.flags & LOW for p in whole)
    late = image.of(workload(root, "late"))
    assert late.flags & LOW and late.now(DRAM) == GIB
    vague = image.of(workload(root, "vague"))
    assert vague.usages == [] and vague.origin == TRACED and vague.doubt
    idle = image.of(workload(root, "idle"))
    assert idle.now() == 0 and len(idle.usages) == 1
    server.stop()


def smi(server, *words, user=None, directory=None):
    env = dict(os.environ, TT_ALLOCD_SOCKET=server.path)
    program = BUILD + "/tt_smi" if user is None else readable(BUILD + "/tt_smi", directory)
    return json.loads(subprocess.run([program, "--root", server.root, "--json", *words], env=env, user=user,
                                     stdout=subprocess.PIPE, check=True).stdout)


@root
@bare
def test_a_monitor_shows_the_same_with_the_file_and_without(directory):
    """Memory that the server and the file report is counted once; users who cannot read the file get it from the server."""
    root = machine(directory, "-b", "n150,p150a", "-w", "dev=0+1,dram=3G,via=traced,name=whole", "-w",
                   "dev=1,dram=1G,l1=1M,via=traced,state=since-attach,name=late", "-w",
                   "dev=0,dram=9G,via=traced,state=missed-free,name=vague")
    server = Server(directory, root=root)

    def rows(document):
        return {(p["name"], d["id"]): (d["dram"], d["l1"], d["allocations"], d["exact"], d["tracking"],
                                       d["unavailable"].get("dram"))
                for p in document["processes"] for d in p["devices"]}

    asked = []  # a busy server may answer some requests too late
    wait(lambda: asked.append(smi(server)) or asked[-1]["server"]["running"], "the server")
    with_both = asked[-1]
    assert rows(with_both) == {
        ("whole", 0): (3 * GIB, 0, 1, True, "traced", None), ("whole", 1): (3 * GIB, 0, 1, True, "traced", None),
        ("late", 1): (GIB, 1 << 20, 2, False, "traced", None),
        ("vague", 0): (None, None, None, None, "none", "trace_missed_free")}, rows(with_both)
    assert [d["memory"]["used"] for d in with_both["devices"]] == [3 * GIB, 4 * GIB]
    assert [d["memory"]["complete"] for d in with_both["devices"]] == [False, False]
    os.chmod(root + "/run/tt-smi/bpf", 0o700)
    wait(lambda: rows(smi(server, user=NOBODY, directory=directory)) == rows(with_both), "the same")
    os.chmod(root + "/run/tt-smi/bpf", 0o755)
    server.stop()
    without = smi(server)
    assert not without["server"]["running"] and rows(without) == rows(with_both)


def has_pidfd(waiter, pid):
    """Does the server wait for the end of this process? If the process exits earlier, it has no account."""
    pidfds, waited_for = set(), set()
    for number in os.listdir(f"/proc/{waiter}/fdinfo"):
        try:
            with open(f"/proc/{waiter}/fdinfo/{number}", encoding="ascii") as file:
                lines = [line.split() for line in file]
        except FileNotFoundError:
            continue
        if ["Pid:", str(pid)] in lines:
            pidfds.add(number)
        waited_for.update(line[1] for line in lines if line[0] == "tfd:")
    return bool(pidfds & waited_for)


@root
@bare
def test_a_traced_program_that_ends_has_an_account(directory):
    root = machine(directory, "-b", "n150,p150a", "-w", "dev=1,dram=2G,l1=3M,via=traced,name=brief", "-w",
                   "dev=0,dram=1G,via=traced,name=other")
    server = Tracing(directory, root=root)
    pid = workload(root, "brief")
    wait(lambda: server.ask().of(pid).now(DRAM) == 2 * GIB, "its figures")
    wait(lambda: has_pidfd(server.child.pid, pid), "the server to wait for its end")
    os.kill(pid, signal.SIGTERM)
    wait(lambda: any(p.pid == pid for p in server.ask(WANT_FINISHED).finished), "the account")
    account, = (p for p in server.ask(WANT_FINISHED).finished if p.pid == pid)
    assert (account.origin, account.name) == (TRACED, "brief")
    assert account.peak(DRAM) == 2 * GIB and account.peak(L1) == 3 << 20
    assert {u["node"] for u in account.usages} == {1}
    wait(lambda: not any(p.pid == pid for p in server.ask().living), "its row to go")
    server.stop()


def rewrite(root, change):
    """Writes the tracer's file, with each line modified by change()."""
    path = root + "/run/tt-smi/bpf/allocations"
    with open(path) as file:
        lines = [change(line) for line in file]
    with open(path + ".changed", "w") as file:
        file.writelines(lines)
    os.rename(path + ".changed", path)


@root
@bare
def test_no_figures_are_kept_after_a_tracing_fault(directory):
    root = machine(directory, "-b", "n150", "-w", "dev=0,dram=2G,via=traced,name=doubted", "-w",
                   "dev=0,dram=1G,via=traced,name=trusted")
    server = Tracing(directory, root=root)
    doubted, trusted = workload(root, "doubted"), workload(root, "trusted")
    wait(lambda: server.ask().of(doubted).now(DRAM) == 2 * GIB, "its figures")
    looks = time.monotonic() + 2.5  # time for two samples of the server, one per second
    wait(lambda: time.monotonic() > looks, "the server to look")
    with open(f"/proc/{doubted}/stat") as file:
        simulator = int(file.read().rsplit(")", 1)[1].split()[1])
    os.kill(simulator, signal.SIGSTOP)  # otherwise it would overwrite the file
    rewrite(root, lambda line: line.replace("exact", "unreliable:missed-free") if line.startswith(f"{doubted} ") else line)
    looks = time.monotonic() + 2.5
    wait(lambda: server.ask().of(doubted).doubt and time.monotonic() > looks, "the doubt")
    for pid in (doubted, trusted):
        os.kill(pid, signal.SIGKILL)
        wait(lambda: not is_alive(pid), "its end")
        rewrite(root, lambda line: "" if line.startswith(f"{pid} ") else line)
    os.kill(simulator, signal.SIGCONT)
    wait(lambda: [p for p in server.ask(WANT_FINISHED).finished if p.pid == trusted], "the account of the other")
    time.sleep(0.2)
    assert [p.name for p in server.ask(WANT_FINISHED).finished if p.pid == doubted] == []
    server.stop()


@bare
def test_a_process_without_a_pidfd_is_forgotten_with_its_figures(directory):
    """That of a machine of files does not exist."""
    root = machine(directory, "--static", "-b", "n150", "-w", "dev=0,dram=2G,via=traced,name=gone", "-w",
                   "dev=0,dram=1G,via=traced,name=there")
    server = Server(directory, root=root)
    gone, there = workload(root, "gone"), workload(root, "there")
    wait(lambda: server.ask().of(gone).now(DRAM) == 2 * GIB, "its figures")
    rewrite(root, lambda line: "" if line.startswith(f"{gone} ") else line)
    wait(lambda: not any(p.pid == gone for p in server.ask().living), "its row to go")
    assert server.ask().of(there).now(DRAM) == GIB
    server.stop()


if __name__ == "__main__":
    run(sys.modules[__name__])
