"""Jobs that are killed or crash on a device: noted in the kernel, and shown without a server."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import staged
from metal import run_tests
from staged import PINS, TT_SMI, Tracing, tracer

staged.enter("2.8.0")  # a driver with a heartbeat, which shows resets

HEADING = """\
DEVICE   SINCE        PID      Comm             SIGNAL ENDED
-------- ------------ -------- ---------------- ------ -----
"""
JOB = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
for path in sys.argv[1:]:
    os.open(path, os.O_RDONLY)
print("ready", flush=True)
sys.stdin.readline()
"""


ours = set()


def deaths():
    """{device: (pid, name, signal) or None}, of our jobs only: other programs may use the files that stand in for devices."""
    with open(f"{PINS}/deaths", encoding="utf-8") as file:
        text = file.read()
    assert text.startswith(HEADING), text
    rows = [line.split() for line in text[len(HEADING):].splitlines()]
    return {int(row[0]): (int(row[2]), row[3], int(row[4])) if row[2] != "-" and int(row[2]) in ours else None
            for row in rows}


def job(*devices, code=JOB):
    process = subprocess.Popen([sys.executable, "-c", code, *[f"/dev/tenstorrent/{n}" for n in devices]],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    ours.add(process.pid)
    return process


def end(process, number):
    process.send_signal(number)
    process.communicate(timeout=60)
    return process.pid


def name_of(process):
    with open(f"/proc/{process.pid}/comm", encoding="utf-8") as file:
        return file.read().strip()


def set_uptime(device, seconds):
    """Writes the heartbeat of a chip that was reset this long ago: it counts ten beats per second."""
    with open(f"/sys/class/tenstorrent/tenstorrent!{device}/tt_heartbeat", "w", encoding="ascii") as file:
        file.write(f"{round(seconds * 10)}\n")


def shown(device):
    """{field: value} of a device, and the reasons for unknown ones."""
    said = json.loads(subprocess.check_output([TT_SMI, "--json", "-i", str(device)], text=True, timeout=60))
    device = said["devices"][0]
    return device, device["unavailable"]


def test_before_anything_dies(_):
    with Tracing():
        assert deaths() == {8: None, 9: None}
        assert os.stat(f"{PINS}/deaths").st_mode & 0o777 == 0o444


def test_each_abrupt_signal_and_no_other(_):
    with Tracing():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGPIPE):
            end(job(8), number)
            assert deaths()[8] is None, number
        process = job(8)
        process.communicate("\n", timeout=60)
        assert process.returncode == 0 and deaths()[8] is None
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE,
                       signal.SIGSYS, signal.SIGTRAP, signal.SIGQUIT):
            process = job(8)
            name = name_of(process)
            expected = (end(process, number), name, number)
            assert deaths()[8] == expected, (number, deaths())
            assert deaths()[9] is None


def test_a_job_on_two_devices_and_one_on_none(_):
    with Tracing():
        end(job(), signal.SIGKILL)
        assert deaths() == {8: None, 9: None}
        process = job(8, 9)
        name = name_of(process)
        last = (end(process, signal.SIGKILL), name, signal.SIGKILL)
        assert deaths() == {8: last, 9: last}


def test_threads_and_many_descriptors(_):
    """The device is behind thousands of descriptors, and the thread that crashes has not opened it."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = min(limit[1], 20000)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, limit[1]))
    code = """
import ctypes, os, sys, threading
while os.dup(0) < %d:
    pass
for path in sys.argv[1:]:
    os.open(path, os.O_RDONLY)
def crash():
    ctypes.string_at(8)
threading.Thread(target=threading.Event().wait, daemon=True).start()
print("ready", flush=True)
sys.stdin.readline()
threading.Thread(target=crash).start()
threading.Event().wait()
""" % (most - 100)
    with Tracing():
        process = job(9, code=code)
        name = name_of(process)
        process.communicate("\n", timeout=60)
        assert process.returncode == -signal.SIGSEGV
        assert deaths() == {8: None, 9: (process.pid, name, signal.SIGSEGV)}, deaths()


def test_a_device_that_was_closed_before_does_not_count(_):
    code = """
import os, sys
for path in sys.argv[1:]:
    os.close(os.open(path, os.O_RDONLY))
print("ready", flush=True)
sys.stdin.readline()
"""
    with Tracing():
        end(job(8, code=code), signal.SIGKILL)
        assert deaths()[8] is None


def test_the_next_tracer_keeps_it_and_a_stop_forgets_it(_):
    with Tracing():
        pid = end(job(8), signal.SIGKILL)
        tracer("start")
        assert deaths()[8][0] == pid
    assert not os.path.exists(f"{PINS}/deaths")


def test_a_monitor_does_not_count(_):
    """A death does not count if the tracer has determined that the process is a monitor; its name alone is not enough."""
    subprocess.check_call(["mount", "-t", "tmpfs", "-o", "mode=755", "none", "/opt"])
    collector = "/opt/tt_telemetry_collector"
    shutil.copy(os.path.realpath("/usr/bin/python3"), collector)
    try:
        with Tracing():
            process = subprocess.Popen([collector, "-c", JOB, "/dev/tenstorrent/8"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True, env=dict(os.environ, PYTHONHOME="/usr"))
            ours.add(process.pid)
            assert process.stdout.readline() == "ready\n"
            tracer("start")
            end(process, signal.SIGKILL)
            assert deaths()[8] is None
            pid = end(job(8), signal.SIGKILL)
            assert deaths()[8][0] == pid
    finally:
        subprocess.check_call(["umount", "/opt"])


def test_shown_without_a_server(_):
    set_uptime(8, 86400)
    with Tracing():
        device, why = shown(8)
        assert device["dirty"] is None and why["dirty"] == "not_observed", (device["dirty"], why)
        process = job(8)
        name, pid = name_of(process), end(process, signal.SIGKILL)
        device, why = shown(8)
        assert device["dirty"] is True, why
        assert device["dirty_cause"] == f"pid {pid} ({name}), signal 9"
        assert abs(device["dirty_time"] - time.time()) < 120
        said = subprocess.run([TT_SMI, "check", "--only", "dirty", "-i", "8"], capture_output=True, text=True,
                              timeout=60)
        assert said.returncode == 1 and re.search(rf"device 8: .*dirty: .*pid {pid} \({name}\), signal 9",
                                                  said.stdout), said
    device, why = shown(8)
    assert device["dirty"] is None and why["dirty"] == "not_observed"


def test_a_reset_clears_it(_):
    with Tracing():
        set_uptime(8, 86400)
        end(job(8), signal.SIGKILL)
        assert shown(8)[0]["dirty"] is True
        set_uptime(8, 0)
        device, why = shown(8)
        assert device["dirty"] is False and why["dirty_cause"] == "not_applicable", why
        end(job(8), signal.SIGKILL)
        set_uptime(8, 3600)
        assert shown(8)[0]["dirty"] is True


run_tests(sys.modules[__name__])
