#!/usr/bin/env python3
"""Measures tt_smi serve on a simulated machine with 32 devices and jobs on 24 of them: size of a scrape, CPU time per scrape
and between scrapes, memory."""

import gzip
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from server import cpu_seconds, thread_seconds, wait_for

ROUNDS = 20
JOBS = ["0+1+2+3+4+5+6+7", "8+9+10+11+12+13+14+15", "16+17+18+19", "20+21+22+23"]
FORMATS = {"text 0.0.4": "text/plain", "OpenMetrics 1.0": "application/openmetrics-text"}


def get(port, path, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)) as answer:
            return answer.read()
    except urllib.error.HTTPError:  # no sample yet
        return b""


def scrape(port, accept):
    return get(port, "/metrics", Accept=accept, **{"Accept-Encoding": "gzip"})


def private_kb(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_"))


def cpu_of_scrape(pid, port):
    """CPU time of the thread that answers clients, for a page that was not rendered before. Samples are taken by another thread."""
    time.sleep(1)
    used = thread_seconds(pid, pid)
    scrape(port, FORMATS["OpenMetrics 1.0"])
    time.sleep(0.05)  # the thread also works after it has sent the answer
    return thread_seconds(pid, pid) - used


def cpu_between_scrapes(pid, seconds):
    """The share of a core that all threads use: a mean, since some values are not read in every sample."""
    used, begun = cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds(pid) - used) / (time.monotonic() - begun)


def row(what, figure, target):
    print(f"  {what:32} {figure:>16}   {target}")


def measure(pid, port):
    wait_for(lambda: b'ttsmi_temperature_celsius{device="31"' in get(port, "/metrics"), 60)
    for name, accept in FORMATS.items():
        packed = scrape(port, accept)
        page = gzip.decompress(packed)
        row(name, f"{len(packed)} bytes", f"{len(page)} unpacked, {page.count(b'{')} series (target: gzip below 10,000)")
    between = min(cpu_between_scrapes(pid, ROUNDS / 2) for _ in range(2))
    scrapes = [cpu_of_scrape(pid, port) for _ in range(ROUNDS)]
    row("between scrapes", f"{between * 100:.2f} % of a core", "(target: 0.3)")
    row("a scrape", f"{min(scrapes) * 1e3:.2f} ms of CPU", f"median {statistics.median(scrapes) * 1e3:.2f} (target: 2)")
    row("private memory", f"{private_kb(pid)} KB", "(target: 8,000)")


def main(build):
    if not os.path.exists(build + "/tt_smi-serve"):
        print("  tt_smi serve is not built")
        return
    work = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    started = []
    try:
        jobs = [word for i, devices in enumerate(JOBS) for word in ("-w", f"dev={devices},dram={i + 4}G,l1={i + 16}M,name=job{i}")]
        started.append(subprocess.Popen([build + "/tt_smi-sim", "-b", "galaxy-blackhole", *jobs, work + "/machine"],
                                        stdout=subprocess.DEVNULL))
        wait_for(lambda: os.path.exists(work + "/machine/simulated"), 60)
        server = subprocess.Popen([build + "/tt_smi-serve", "--root", work + "/machine", "--listen", "127.0.0.1:0"],
                                  stderr=subprocess.PIPE, text=True)
        started.append(server)
        port = re.search(r"127.0.0.1:(\d+)/", server.stderr.readline())[1]
        measure(server.pid, port)
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "build")
