#!/usr/bin/env python3
"""Reads the files that workloads publish, with the documented offsets.

usage: shm.py memory DIR N   version, processes, references, totals, then a line
                             "pid name dram l1 l1_small trace cb" for each slot in use
       shm.py util DIR N     version, cores, mean of FPU per mille, sources
"""

import os
import struct
import sys


def open_of(kind, directory, number):
    with open(f"{directory}/sys/class/tenstorrent/tenstorrent!{number}/tt_asic_id", encoding="ascii") as f:
        asic = int(f.read(), 16)
    path = f"{directory}/dev/shm/tt_device_{asic}_{kind}"
    with open(path, "rb") as f:
        return path, asic, f.read()


def memory(directory, number):
    path, asic, b = open_of("memory", directory, number)
    assert len(b) == 8576, len(b)
    assert os.stat(path).st_mode & 0o777 == 0o600
    version, processes, _, references = struct.unpack_from("<IIQI", b, 0)
    serial, asic_inside, device = struct.unpack_from("<QQI", b, 24)
    assert (serial, asic_inside) == (0, asic)
    print("version", version, "processes", processes, "references", references, "device", device)
    print("total", *struct.unpack_from("<5Q", b, 48))
    for i in range(16):
        chip, remote, *pools = struct.unpack_from("<II5Q", b, 88 + 48 * i)
        if chip != 0xFFFFFFFF:
            print("chip", chip, remote, *pools)
    for i in range(64):
        pid, _, *pools = struct.unpack_from("<iI5Q", b, 856 + 120 * i)
        if pid:
            name = b[856 + 120 * i + 56:856 + 120 * (i + 1)].rstrip(b"\0").decode()
            print(pid, name, *pools)
    assert not any(b[8536:])


def util(directory, number):
    _, asic, b = open_of("util", directory, number)
    assert b[:4] == b"TTUT"
    version, entry, asic_inside, _, sources = struct.unpack_from("<HHQII", b, 4)
    start, update, cores = struct.unpack_from("<QQI", b, 24)
    assert entry == 40 and asic_inside == asic and start <= update
    assert len(b) == 72 + 40 * cores
    busy = [struct.unpack_from("<H", b, 72 + 40 * i + 10)[0] for i in range(cores)]
    assert max(busy) <= 1000
    print("version", version, "cores", cores, "mean", sum(busy) / cores, "sources", sources)


{"memory": memory, "util": util}[sys.argv[1]](*sys.argv[2:])
