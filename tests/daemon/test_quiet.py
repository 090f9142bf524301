"""Quiet times of devices and processes in a single sample, from a running server."""

import glob
import json
import shutil
import subprocess
import sys
import time

from allocd import *


def look(root, server=None):
    """Takes a single sample: the JSON document of tt_smi."""
    env = {k: v for k, v in os.environ.items() if k != "TT_ALLOCD_SOCKET"}
    if server:
        env["TT_ALLOCD_SOCKET"] = server.path
    done = subprocess.run([BUILD + "/tt_smi", "--root", root, "--json"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, env=env, check=True, timeout=300)
    return json.loads(done.stdout)


def quiet(root, server=None, device=0):
    """The quiet time of a device in seconds, or the reason why it is unknown."""
    found = look(root, server)["devices"][device]
    return found["quiet"] if found["quiet"] is not None else found["unavailable"]["quiet"]


def is_known(value):
    return isinstance(value, (int, float))


def age(root, server, device=0):
    """The same; NaN, for which comparisons are false, if the server answers too late on a busy machine."""
    value = quiet(root, server, device)
    return value if is_known(value) else float("nan")


def move_data(root, device, flits):
    """Simulates traffic of a job: increments a counter of flits."""
    [counter] = glob.glob(f"{root}/sys/class/tenstorrent/tenstorrent!{device}/pcie_perf_counters/"
                          "mst_posted_wr_data_word_sent0")
    with open(counter, "r+") as f:  # in place: the server keeps it open
        before = int(f.read())
        f.seek(0)
        f.write(f"{(before + flits) % 2**32}\n")
        f.truncate()


def writable(root):
    subprocess.check_call(["chmod", "-R", "u+w", root])
    return root


@bare
def test_a_device_without_a_loop(directory):
    root = writable(machine(directory, "--static", "--no-workloads", "-b", "n150,p150a"))
    assert quiet(root) == "needs_two_samples"
    server = Server(directory, root=root)
    wait(lambda: is_known(quiet(root, server)) and is_known(quiet(root, server, 1)), "a first time")
    wait(lambda: age(root, server) > 5, "more than one round of readings")
    move_data(root, 0, 1 << 24)
    wait(lambda: age(root, server) < 5 < age(root, server, 1), "work on the first device, and none on the other")
    server.stop()
    assert quiet(root, server) == "needs_two_samples"


@bare
def test_a_device_while_nobody_asks(directory):
    """The time is that of the work, not that of the first request after it."""
    root = writable(machine(directory, "--static", "--no-workloads", "-b", "n150"))
    server = Server(directory, root=root)
    wait(lambda: age(root, server) >= 0, "a first time")

    def noticed():
        begin = time.monotonic()
        move_data(root, 0, 1 << 24)
        time.sleep(6)  # three periods; on a busy machine one of them may be late
        return 2 < age(root, server) <= time.monotonic() - begin

    wait(noticed, "work that was noticed before the request")
    server.stop()


@bare
def test_the_readings_of_monitors_are_no_work(directory):
    root = writable(machine(directory, "--static", "--no-workloads", "-b", "n150"))
    server = Server(directory, root=root)
    wait(lambda: age(root, server) >= 0, "a first time")

    def older():
        move_data(root, 0, 10)
        return age(root, server) > 5

    wait(older, "five seconds in which little was moved")
    server.stop()


@bare
def test_without_counters_nothing_is_read(directory):
    """With a driver without counters, quiet times are N/A, and the server sleeps."""
    root = writable(machine(directory, "--static", "--no-workloads", "-b", "n150"))
    for folder, names, _ in os.walk(root + "/sys/devices"):
        if "pcie_perf_counters" in names:
            shutil.rmtree(folder + "/pcie_perf_counters")
    server = Server(directory, root=root)
    wait(server.rests, "rest")
    wait(lambda: quiet(root, server) == "not_offered", "the reason")
    server.stop()


@bare
def test_a_program_that_reports(directory):
    """Its table has the time of the last change of memory, also from before the first request."""
    root = machine(directory, "--static", "--no-workloads", "-b", "n150")
    server = Server(directory, root=root)
    p = Program(server)
    p.alloc(1, 1000)

    def shown():
        found = [q for q in look(root, server)["processes"] if q["pid"] == p.pid]
        return found[0]["quiet"] if found and is_known(found[0]["quiet"]) else float("nan")

    wait(lambda: shown() > 3, "three seconds without an allocation")
    p.alloc(2, 1000)
    wait(lambda: shown() < 3, "its next allocation")
    p.end()
    server.stop()


if __name__ == "__main__":
    run(sys.modules[__name__])
