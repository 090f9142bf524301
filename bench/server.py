#!/usr/bin/env python3
"""Measures the allocation server: CPU time while it is idle, and per snapshot, with many
programs that report (examples/ttalloc_example.c)."""

import array
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

PROGRAMS, SNAPSHOTS, IDLE_SECONDS = 1000, 200, 3
# docs/protocol.md: SNAPSHOT; OLD=1 for a server that does not stream
QUESTION = struct.pack("=IHHIIII", 0x44415454, 1, 16, 24, 0, 0 if os.environ.get("OLD") else 4, 0)


def cpu_seconds(pid):
    """CPU time of all threads, from schedstat, which has nanoseconds; stat has ticks of 10 ms."""
    return sum(thread_seconds(pid, thread) for thread in os.listdir(f"/proc/{pid}/task"))


def thread_seconds(pid, thread):
    with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
        return int(file.read().split()[0]) / 1e9


def receive(connection):
    """Receives an answer: streamed, or as a memfd from an older server."""
    data, control, _, _ = connection.recvmsg(65536, socket.CMSG_SPACE(4))
    kind, = struct.unpack_from("=H", data, 6)
    if kind == 17:
        with open(array.array("i", control[0][2])[0], "rb") as image:
            return image.read()
    if kind != 20:
        sys.exit("bench: the server refused: " + data[24:].split(b"\0")[0].decode())
    image, header, at = bytearray(struct.unpack_from("=Q", data, 16)[0]), bytearray(16), 0
    while at < len(image):
        at += connection.recvmsg_into([header, memoryview(image)[at:]])[0] - 16
    return image


def ask(connection):
    connection.send(QUESTION)
    return struct.unpack_from("=I", receive(connection), 80)[0]  # number of processes in the image


def wait_for(what, seconds=20):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            sys.exit("bench: the server is not ready")
        time.sleep(0.05)


def measure(server, path, programs):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(path)
    wait_for(lambda: ask(connection) >= programs, 60)

    used = cpu_seconds(server.pid)
    time.sleep(IDLE_SECONDS)
    idle = (cpu_seconds(server.pid) - used) / IDLE_SECONDS

    used, began = cpu_seconds(server.pid), time.monotonic()
    for _ in range(SNAPSHOTS):
        ask(connection)
        time.sleep(0.011)  # below the server's CPU limit per user
    took = (time.monotonic() - began) / SNAPSHOTS - 0.011
    busy = (cpu_seconds(server.pid) - used) / SNAPSHOTS
    print(f"  {programs:8} {idle * 100:12.3f} % {busy * 1e3:14.2f} ms {took * 1e3:14.2f} ms")
    connection.close()


def main(build):
    work = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    path = work + "/allocd.sock"
    environment = dict(os.environ, TT_ALLOCD_SOCKET=path, TT_SMI_ROOT=work + "/machine")
    started = []
    try:
        subprocess.run([build + "/tt_smi-sim", "--static", "-b", "n150", work + "/machine"], check=True)
        server = subprocess.Popen(
            [build + "/tt_allocd", "--quiet", "--legacy-socket", "none", "--socket", path],
            env=environment)
        started.append(server)
        wait_for(lambda: os.path.exists(path))
        print("  programs   while idle   CPU per snapshot   until answered   (targets: 0, 5 ms)")
        for programs in (1, 100, PROGRAMS):
            while len(started) <= programs:
                started.append(subprocess.Popen([build + "/ttalloc_example", "-w"], env=environment,
                                                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL))
            measure(server, path, programs)
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait()
        shutil.rmtree(work)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "build")
