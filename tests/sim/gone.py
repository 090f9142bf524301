#!/usr/bin/env python3
"""Keeps all files of device 0 open while it is removed and returns.

usage: gone.py DIR PID   the directory and pid of a tt_smi sim with --fault gone:0@1000-2000 and a workload on device 0
"""

import errno
import os
import signal
import sys
import time

ROOT, SIM = sys.argv[1], int(sys.argv[2])
CLASS = f"{ROOT}/sys/class/tenstorrent/tenstorrent!0"


def next_fault(condition, what):
    os.kill(SIM, signal.SIGUSR1)
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def error_of(function):
    try:
        function()
    except OSError as e:
        return errno.errorcode[e.errno]
    return "no error"


def pread(fd):
    return error_of(lambda: os.pread(fd, 100, 0))


def check_held(held):
    assert pread(held["tt"]) == "ENODEV", pread(held["tt"])
    assert pread(held["hwmon"]) == "ENODEV"
    assert pread(held["counter"]) == "ENODEV"
    assert pread(held["vendor"]) == "ENODEV"
    assert pread(held["pids"]) == "EIO", pread(held["pids"])
    assert error_of(lambda: os.open("tt_aiclk", os.O_RDONLY, dir_fd=held["class"])) == "ENOENT"


def main():
    held = {
        "tt": os.open(CLASS + "/tt_aiclk", os.O_RDONLY),
        "hwmon": os.open(CLASS + "/device/hwmon/hwmon0/temp1_input", os.O_RDONLY),
        "counter": os.open(CLASS + "/pcie_perf_counters/slv_rd_data_word_sent0", os.O_RDONLY),
        "vendor": os.open(CLASS + "/device/vendor", os.O_RDONLY),
        "pids": os.open(ROOT + "/proc/driver/tenstorrent/0/pids", os.O_RDONLY),
        "class": os.open(CLASS, os.O_RDONLY),
    }
    for name, fd in held.items():
        if name != "class":
            assert os.pread(fd, 100, 0), name
    beats = int(open(CLASS + "/tt_heartbeat", encoding="ascii").read())
    holder = int(open(ROOT + "/proc/driver/tenstorrent/0/pids", encoding="ascii").readline())

    next_fault(lambda: not os.path.exists(CLASS), "it does not go")
    check_held(held)
    for path in ("dev/tenstorrent/0", "proc/driver/tenstorrent/0", "sys/dev/char/246:0", "sys/class/hwmon/hwmon0",
                 "sys/bus/pci/devices/0000:01:00.0", "sys/bus/pci/drivers/tenstorrent/0000:01:00.0",
                 "sys/kernel/debug/tenstorrent/0", "sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0"):
        assert not os.path.lexists(f"{ROOT}/{path}"), path
    assert os.path.exists(f"{ROOT}/sys/devices/pci0000:00/0000:00:01.0/vendor"), "the port stays"
    links = [os.readlink(f"/proc/{holder}/fd/{fd}") for fd in os.listdir(f"/proc/{holder}/fd")]
    assert f"{ROOT}/dev/tenstorrent/0 (deleted)" in links, links
    assert f"{ROOT}/dev/tenstorrent/1" in links, links

    next_fault(lambda: os.path.exists(CLASS + "/tt_aiclk"), "it does not come back")
    check_held(held)
    assert open(CLASS + "/tt_card_type", encoding="ascii").read() == "n150\n"
    assert open(ROOT + "/proc/driver/tenstorrent/0/pids", encoding="ascii").read() == ""
    assert os.listdir(CLASS + "/device/hwmon") == ["hwmon2"]
    assert int(open(CLASS + "/tt_heartbeat", encoding="ascii").read()) < beats
    assert os.path.exists(ROOT + "/dev/tenstorrent/0")


main()
