"""Runs that share the devices of one machine.

    sharing.py SCENARIO TT_SMI TT_SMI_SIM DIRECTORY

Runs in a pid namespace of its own, so that all processes that can have a device open are visible. The
devices are files of a simulated machine, and a job is a process that has one open. It also locks
that file with flock(2): if that fails, two jobs were given the same device.
"""

import fcntl
import os
import random
import signal
import struct
import subprocess
import sys
import time

SCENARIO, TT_SMI, SIM, WORK = sys.argv[1:]
ROOT = WORK + "/machine"
LOG, COLLISIONS = WORK + "/log", WORK + "/collisions"
CLOCK = WORK + "/clock"
ENVIRONMENT = {**os.environ, "TT_SMI_ROOT": ROOT, "TT_BOOT_CLOCK": CLOCK}
ENVIRONMENT.pop("TT_VISIBLE_DEVICES", None)

# A job: opens its devices after a while, like a program that has to be loaded first, and keeps them for a while.
JOB = WORK + "/job"
JOB_TEXT = f"""#!/bin/bash
echo "$1 start $TT_VISIBLE_DEVICES" >>{LOG}
sleep "${{2:-0}}"
for address in ${{TT_VISIBLE_DEVICES//,/ }}; do
	number=$((16#${{address:5:2}} - 1))
	exec {{fd}}<"{ROOT}/dev/tenstorrent/$number"
	flock -n "$fd" || echo "$1 $address" >>{COLLISIONS}
done
[ -z "$4" ] || read -r _ <"$4"
sleep "${{3:-0}}"
echo "$1 end" >>{LOG}
"""


def eventually(condition, what="condition"):
    end = time.monotonic() + 300
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("not within five minutes: " + what)


def machine(boards):
    process = subprocess.Popen(
        [SIM, "-b", boards, "--driver", "2.4.0", "--no-workloads", "--seed", "7", ROOT], close_fds=True
    )
    eventually(lambda: os.path.exists(ROOT + "/simulated") and os.path.getsize(ROOT + "/simulated"), "machine")
    # The driver has no lists of processes: all descriptors in the namespace are read.
    os.rename(ROOT + "/proc", WORK + "/proc")
    os.symlink("/proc", ROOT + "/proc")
    with open(JOB, "w") as file:
        file.write(JOB_TEXT)
    os.chmod(JOB, 0o755)
    return process


def smi(*words, **options):
    options = {"env": ENVIRONMENT, **options}
    return subprocess.run([TT_SMI, *words], capture_output=True, text=True, **options)


def start(*words, program=TT_SMI):
    return subprocess.Popen(
        [program, *words], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def start_clocked(*words):
    """Starts tt_smi with a simulated clock, which stands still except when set_clock() is called."""
    global BEGAN
    BEGAN = int(time.clock_gettime(time.CLOCK_BOOTTIME)) + 1
    set_clock(0)
    return start(*words, program=os.environ["TT_SMI_CLOCKED"])


def set_clock(seconds):
    """Sets the clock to this many seconds after the start. The file is replaced atomically."""
    with open(CLOCK + ".new", "w") as file:
        print(BEGAN + seconds, file=file)
    os.rename(CLOCK + ".new", CLOCK)


def node(number):
    return f"{ROOT}/dev/tenstorrent/{number}"


def claim_file(number):
    return f"{ROOT}/sys/class/tenstorrent/tenstorrent!{number}/dev"


def claims(number):
    """The claims on a device: {pid: stage}."""
    inode = os.stat(claim_file(number)).st_ino
    found = {}
    for line in open("/proc/locks"):
        words = line.split()
        if words[1] == "POSIX" and words[5].endswith(f":{inode}"):
            found[int(words[4])] = int(words[7]) - int(words[6]) + 1
    return found


def claim_begins(number, pid):
    """The offset at which the claim of a process begins, in which four bytes are a microsecond; 0: it has none."""
    inode = os.stat(claim_file(number)).st_ino
    lines = [line.split() for line in open("/proc/locks")]
    begins = [int(words[6]) for words in lines if words[5].endswith(f":{inode}") and int(words[4]) == pid]
    return max(begins, default=0)


ASKING, WAITING, TAKEN = 1, 2, 3


def is_waiting(process, number=0):
    return claims(number).get(process.pid) == WAITING


def looks(process):
    """How often a waiting process has slept: once for each time that it has looked at the devices."""
    for line in open(f"/proc/{process.pid}/status"):
        if line.startswith("voluntary_ctxt_switches"):
            return int(line.split()[1])
    return 0


def let_it_look(process):
    """Waits until the process has looked at the devices several more times."""
    before = looks(process)
    eventually(lambda: looks(process) > before + 20, "looks")


def read(path):
    return open(path).read().splitlines() if os.path.exists(path) else []


def test_select_names_free_devices():
    done = smi("select", "--count", "3")
    assert (done.returncode, done.stdout) == (0, "0000:01:00.0,0000:02:00.0,0000:03:00.0\n"), done
    with open(node(1)):
        done = smi("select", "-c", "3")
        assert done.stdout == "0000:01:00.0,0000:03:00.0,0000:04:00.0\n", done
        done = smi("select", "--count", "4")
        assert done.returncode == 8 and done.stdout == "" and f"pid {os.getpid()}" in done.stderr, done
        assert smi("select", "-i", "1").returncode == 8
    assert smi("select", "-i", "2-3", "--count", "2").stdout == "0000:03:00.0,0000:04:00.0\n"
    assert smi("select", "--board", "p150a").stdout == "0000:04:00.0\n"
    done = smi("select", "--board", "p150x")
    assert done.returncode == 8 and done.stderr.endswith("has 0 that fit; its boards: n150, p150a\n"), done
    done = smi("select", "--board", "p150a", "--count", "2")
    assert done.returncode == 8 and done.stderr.endswith("has 1 that fit\n"), done
    assert smi("select", "--memory", "20G").stdout == "0000:04:00.0\n"
    assert smi("select", "--memory", "80G").returncode == 8
    assert smi("select", "--memory", "8X").returncode == 2
    assert smi("select", "-i", "9").returncode == 6


def test_an_inherited_restriction_is_respected():
    def restricted(value, *words):
        return smi(*words, env={**ENVIRONMENT, "TT_VISIBLE_DEVICES": value})

    value = "0000:03:00.0,0000:02:00.0"
    assert restricted(value, "select", "--count", "2").stdout == "0000:02:00.0,0000:03:00.0\n"
    done = restricted(value, "select", "--count", "3")
    assert done.returncode == 8 and "TT_VISIBLE_DEVICES" in done.stderr, done
    assert restricted(value, "run", "--devices", "1", "--", "sh", "-c", "echo $TT_VISIBLE_DEVICES").stdout == (
        "0000:02:00.0\n"
    )
    assert restricted("", "select").returncode == 8
    assert restricted("left", "select").returncode == 2
    with open(node(1)):
        assert restricted(value, "wait", "--any", "1", "--timeout", "0").returncode == 0
        assert restricted("0000:02:00.0", "wait", "--timeout", "0").returncode == 7
    # A run within the command of a run uses some of the devices of the outer run.
    inner = f"{TT_SMI} run --devices 1 -- sh -c 'echo $TT_VISIBLE_DEVICES'; {TT_SMI} select --count 3; echo $?"
    done = smi("run", "--devices", "2", "--", "sh", "-c", inner)
    assert done.stdout == "0000:01:00.0\n8\n", done


def test_wait_until_devices_are_free():
    assert smi("wait").returncode == 0
    holder = open(node(0))
    assert smi("wait", "--timeout", "0").returncode == 7
    assert smi("wait", "--timeout", "0", "--any", "3").returncode == 0
    assert smi("wait", "-i", "1-3", "--timeout", "0").returncode == 0
    done = smi("wait", "-i", "0", "--timeout", "0")
    assert done.returncode == 7 and f"pid {os.getpid()}" in done.stderr, done
    assert smi("wait", "--any", "5").returncode == 8
    assert smi("wait", "-i", "7").returncode == 6
    waiting = start("wait", "-i", "0")
    let_it_look(waiting)
    assert waiting.poll() is None
    holder.close()
    assert waiting.wait() == 0
    # The devices of a run are not free.
    run = start("run", "--devices", "4", "--", "sleep", "1000")
    eventually(lambda: TAKEN in claims(3).values(), "taken")
    assert smi("wait", "--any", "1", "--timeout", "0").returncode == 7
    run.terminate()
    run.wait()
    assert smi("wait", "--timeout", "0").returncode == 0


def test_run_ends_as_its_command():
    assert smi("run", "--devices", "1", "--", "sh", "-c", "exit 5").returncode == 5
    assert smi("run", "--devices", "1", "--", "sh", "-c", "kill -KILL $$").returncode == -signal.SIGKILL
    assert smi("run", "--devices", "1", "--", WORK + "/nothing").returncode == 127
    assert smi("run", "--devices", "1", "--", "/etc/passwd").returncode == 126
    assert smi("run", "--devices", "9", "--", "true").returncode == 8
    assert smi("run", "--wait", "--", "true").returncode == 2
    with open(node(3)):
        assert smi("run", "--devices", "4", "--", "true").returncode == 8
        done = smi("run", "--devices", "4", "--wait", "--timeout", "0", "--", "true")
        assert done.returncode == 7, done
    # Devices are released before the run exits: the next run finds them free.
    for _ in range(10):
        assert smi("run", "--devices", "4", "--", "true").returncode == 0


def test_signals_reach_the_command():
    script = f'trap "exit 33" TERM; echo ready >>{LOG}; while :; do sleep 0.02; done'
    run = start("run", "--devices", "1", "--", "sh", "-c", script)
    eventually(lambda: read(LOG), "the command")
    run.send_signal(signal.SIGTERM)
    assert run.wait() == 33
    # A run that still waits for devices has not started its command.
    with open(node(0)):
        run = start("run", "--devices", "4", "--wait", "--", "true")
        eventually(lambda: is_waiting(run, 3), "a waiting run")
        run.send_signal(signal.SIGTERM)
        assert run.wait() == -signal.SIGTERM
        assert claims(3) == {}


def child_of(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
        return [int(word) for word in file.read().split()]


def test_devices_stay_with_the_command_of_a_killed_run():
    run = start("run", "--devices", "4", "--", "sleep", "1000")
    (command,) = eventually(lambda: child_of(run), "the command")
    eventually(lambda: claims(0).get(command) == TAKEN, "its claim")
    run.kill()
    run.wait()
    # The command has not opened the devices yet.
    assert claims(0) == {command: TAKEN}
    assert smi("run", "--devices", "1", "--", "true").returncode == 8
    os.kill(command, signal.SIGKILL)
    eventually(lambda: smi("run", "--devices", "4", "--", "true").returncode == 0, "devices free")


def test_runs_start_in_order_of_arrival():
    first, second = open(node(0)), open(node(1))
    wanted = [("a", 2), ("b", 1), ("c", 2), ("d", 1)]
    runs = []
    for name, count in wanted:
        runs.append(start("run", "-i", "0,1", "--devices", str(count), "--wait", "--", JOB, name))
        eventually(lambda: is_waiting(runs[-1]), "a waiting run")
    # One device is not enough for the first, and the others may not take it.
    first.close()
    for run in runs:
        let_it_look(run)
    assert smi("run", "-i", "0", "--devices", "1", "--", "true").returncode == 8
    assert smi("select", "-i", "0").returncode == 8
    second.close()
    for run in runs:
        assert run.wait() == 0, run.stderr.read()
    started = [line.split()[0] for line in read(LOG) if " start " in line]
    assert started == [name for name, _ in wanted], started


def lock(number, stage, age_s, user=None, exclusive=False):
    """Makes a claim in a process that is neither one of our programs nor an ancestor of one."""
    ready, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        file = os.open(claim_file(number), os.O_RDONLY)
        if user is not None:
            os.setuid(user)
        begin = (time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000 - age_s * 1000000) * 4
        fcntl.fcntl(file, fcntl.F_SETLK, struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, begin, stage, 0))
        if exclusive:
            fcntl.flock(file, fcntl.LOCK_EX)
        os.write(told, b".")
        signal.pause()
    os.read(ready, 1)
    return pid


def end(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_locks_that_are_not_used_do_not_count():
    def take():
        return smi("run", "-i", "0", "--devices", "1", "--", "true").returncode

    # A flock(2) is no claim.
    fresh = lock(0, TAKEN, 1, exclusive=True)
    assert take() == 8
    end(fresh)
    assert take() == 0
    old = lock(0, TAKEN, 61)
    assert take() == 0
    assert smi("wait", "-i", "0", "--timeout", "0").returncode == 0
    end(old)
    waiting = lock(0, WAITING, 1)
    assert take() == 8
    assert smi("wait", "-i", "0", "--timeout", "0").returncode == 0
    end(waiting)


def stays_waiting(run, seconds):
    set_clock(seconds)
    let_it_look(run)
    assert run.poll() is None, run.stderr.read()


def test_a_device_kept_unused_is_taken_after_a_minute():
    # A claim with a time in the future always counts as new.
    liar = lock(0, TAKEN, -100000)
    run = start_clocked("run", "-i", "0", "--devices", "1", "--wait", "--", "true")
    eventually(lambda: is_waiting(run), "a waiting run")
    let_it_look(run)
    stays_waiting(run, 60)
    set_clock(61)
    assert run.wait() == 0, run.stderr.read()
    end(liar)
    # A device that is in use is waited for, however long that takes.
    with open(node(0)):
        run = start_clocked("run", "-i", "0", "--devices", "1", "--wait", "--", "true")
        eventually(lambda: is_waiting(run), "a waiting run")
        stays_waiting(run, 3600)
    assert run.wait() == 0, run.stderr.read()


def test_an_unused_device_is_given_back_after_a_minute():
    # The command opens one of the two devices of its run.
    command = f"exec 5<{node(0)}; sleep 100000"
    run = start_clocked("run", "-i", "0,1", "--devices", "2", "--", "bash", "-c", command)
    eventually(lambda: TAKEN in claims(0).values() and TAKEN in claims(1).values(), "taken")
    (command,) = eventually(lambda: child_of(run), "the command")
    eventually(lambda: os.path.exists(f"/proc/{command}/fd/5"), "a device open")
    began = claim_begins(0, run.pid)
    set_clock(60)
    eventually(lambda: claim_begins(0, run.pid) > began + 59 * 4000000, "the claim on a used device renewed")
    assert claims(1).get(run.pid) == TAKEN
    set_clock(61)
    eventually(lambda: run.pid not in claims(1), "a device given back")
    assert "device 1 was not used for 60 seconds" in run.stderr.readline()
    assert claims(0).get(run.pid) == TAKEN
    run.terminate()
    run.wait()


def test_another_user_in_the_queue_is_passed_after_a_minute():
    def starts(*, user):
        earlier = lock(0, WAITING, 1, user)
        run = start_clocked("run", "-i", "0", "--devices", "1", "--wait", "--", "true")
        eventually(lambda: is_waiting(run), "a waiting run")
        let_it_look(run)
        stays_waiting(run, 60)
        return earlier, run

    earlier, run = starts(user=65534)
    set_clock(61)
    assert run.wait() == 0, run.stderr.read()
    end(earlier)
    # Runs of one user never overtake each other.
    earlier, run = starts(user=None)
    stays_waiting(run, 3600)
    end(earlier)
    assert run.wait() == 0, run.stderr.read()


def test_claims_are_found_among_many_locks():
    other = open(WORK + "/other", "w+")
    for i in range(500):
        fcntl.lockf(other, fcntl.LOCK_EX, 1, 2 * i)
    run = start("run", "--devices", "4", "--", "sleep", "1000")
    eventually(lambda: TAKEN in claims(3).values(), "taken")
    assert smi("run", "--devices", "1", "--", "true").returncode == 8
    run.terminate()
    run.wait()


def start_gated(stage, gate):
    """Starts a run that waits at a gate before it makes its claim of this stage."""
    settings = {**ENVIRONMENT, "TT_GATE": WORK + "/" + gate, "TT_GATE_STAGE": str(stage)}
    run = subprocess.Popen([os.environ["TT_SMI_CLOCKED"], "run", "-i", "0", "--devices", "1", "--", "sleep", "1000"],
                           env=settings, stderr=subprocess.PIPE, text=True)
    eventually(lambda: os.path.exists(WORK + "/" + gate + ".reached"), gate)
    return run


def test_of_two_runs_that_take_a_device_at_once_one_withdraws():
    # The first has arrived, but is not visible yet; the second sees nobody, and is about to take the device.
    first, second = start_gated(ASKING, "first"), start_gated(TAKEN, "second")
    open(WORK + "/first", "w").close()
    # An earlier run does not wait for a later one.
    eventually(lambda: claims(0).get(first.pid) == TAKEN, "taken by the first")
    eventually(lambda: child_of(first), "the command of the first")
    open(WORK + "/second", "w").close()
    eventually(lambda: second.poll() is not None or child_of(second), "the end of the second")
    assert second.poll() == 8, second.poll()
    message = second.stderr.read()
    assert "(0: taken by pid " in message, message  # the first, or its command
    first.terminate()
    first.wait()


def test_claims_of_hidden_processes_count():
    """A container that uses the host's network: the same sysfs, but processes outside are not visible."""

    namespace = ("-pf", "--mount-proc", "--kill-child")

    def inside(*words):
        return subprocess.run(["unshare", *namespace, TT_SMI, *words], env=ENVIRONMENT, capture_output=True, text=True)

    take = ("run", "-i", "0,1", "--devices", "1", "--", "sh", "-c", "echo $TT_VISIBLE_DEVICES")
    assert inside(*take).stdout == "0000:01:00.0\n"
    # Many claims, in an order of times that is not that of the locks; one on device 0 is a taken one.
    others = [lock(0, WAITING, age) for age in (-30, -10, -40, -20)] + [lock(0, TAKEN, 1), lock(0, WAITING, -50)]
    done = inside(*take)
    assert done.stdout == "0000:02:00.0\n", done
    done = inside("select", "-i", "0")
    assert done.returncode == 8 and "0: taken by a run outside this container" in done.stderr, done
    end(others.pop(4))
    done = inside(*take)
    assert done.stdout == "0000:01:00.0\n", done
    for pid in others:
        end(pid)
    # The other direction: the run inside is visible here.
    run = start(*namespace, TT_SMI, "run", "-i", "0", "--devices", "1", "--", "sleep", "1000", program="unshare")
    eventually(lambda: TAKEN in claims(0).values(), "taken")
    assert smi("run", "-i", "0", "--devices", "1", "--", "true").returncode == 8
    run.kill()  # unshare ignores SIGTERM; --kill-child ends the run
    run.wait()


def all_ended(runs):
    """Have all runs ended? Also reaps them, since other users cannot see that a zombie has no files open."""
    return all([run.poll() is not None for run in runs])


def test_fifty_runs_and_kills_at_random_moments():
    choice = random.Random(7)
    runs = []
    for i in range(50):
        delays = [f"{choice.random() / 10:.3f}", f"{choice.random() / 10:.3f}"]
        runs.append(start("run", "-q", "--devices", str(choice.choice([1, 1, 2, 3])), "--wait", "--", JOB, str(i), *delays))
    killed = set()
    while len(killed) < 15:
        i = choice.randrange(50)
        time.sleep(choice.random() / 20)
        try:
            target = choice.choice([runs[i].pid, *child_of(runs[i])])
            os.kill(target, signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass
        killed.add(i)
        all_ended(runs)
    eventually(lambda: all_ended(runs), "the end of all runs")
    for i, run in enumerate(runs):
        code = run.poll()
        assert code == 0 or (i in killed and code == -signal.SIGKILL), (i, code, run.stderr.read())
    assert read(COLLISIONS) == [], read(COLLISIONS)
    starts = [line for line in read(LOG) if " start " in line]
    assert len(starts) >= 50 - len(killed), starts
    # Commands of killed runs may still use their devices; then all are free.
    assert smi("wait", "--timeout", "120").returncode == 0
    assert smi("select", "--count", "4").returncode == 0
    assert [claims(i) for i in range(4)] == [{}] * 4


def test_run_respects_programs_that_it_did_not_start():
    with open(node(0)), open(node(2)):
        done = smi("run", "--devices", "2", "--", "sh", "-c", "echo $TT_VISIBLE_DEVICES")
        assert done.stdout == "0000:02:00.0,0000:04:00.0\n", done
        waiting = start("run", "--devices", "3", "--wait", "--", "true")
        eventually(lambda: is_waiting(waiting), "a waiting run")
        let_it_look(waiting)
        assert waiting.poll() is None
    assert waiting.wait() == 0


simulator = machine("3xn150,p150a")
try:
    globals()["test_" + SCENARIO]()
finally:
    simulator.terminate()
    simulator.wait()
