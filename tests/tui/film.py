"""film.py BUILD GOLDEN: compares screens of machines with 1, 4 and 32 devices after 5 s, 60 s and 10 min of
samples, in terminals of three sizes, with GOLDEN/MACHINE/VIEW-TIME-SIZE.txt. If UPDATE_GOLDEN is set, these
files are written."""

import difflib
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "scripts"))
sys.dont_write_bytecode = True
import screen_film  # noqa: E402

MACHINES = {
    "one": ["-b", "n150", "-w", "dev=0,dram=4G,wave=3G,l1=20M,cb=8M,age=3723,name=python3,"
            "args=serve.py --port 8000", "-w", "dev=0,via=none,name=jupyter-lab"],
    "four": ["-b", "n300,p150a,p300", "--fault", "dead:3",
             "-w", "dev=0+2,dram=8G,wave=3G,l1=30M,util=437,age=90061,name=train",
             "-w", "dev=1,dram=2G,leak=20M,l1=24M,age=20,name=leaky"],
    "thirty_two": ["-b", "galaxy-blackhole", "--fault", "dead:29",
                   "-w", "dev=0+1+2+3+4+5+6+7,dram=20G,wave=6G,l1=64M,util=640,name=llama",
                   "-w", "dev=9,dram=31G,name=full", "-w", "dev=31,via=none,name=idle"],
}
VIEWS = ["overview", "grid", "processes", "memory", "device"]
# Seconds between samples, and until the screens. A view that is opened later makes its program sample at another
# time, so each view has a program of its own.
FILMS = [(1, {"5s": 5}), (20, {"60s": 60, "10min": 600})]
SIZES = ["80x24", "120x40", "200x60"]


def compare(terminal, file):
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(terminal.settled(), encoding="utf-8")
    expected, end = file.read_text(encoding="utf-8"), time.monotonic() + 300
    while (screen := terminal.screen()) != expected:
        if time.monotonic() > end:
            sys.exit("\n".join(difflib.unified_diff(expected.split("\n"), screen.split("\n"),
                                                    str(file), "screen", lineterm="")))
        time.sleep(0.02)


def shoot(build, target, machine, step, times):
    with tempfile.TemporaryDirectory(dir="/dev/shm/" + os.environ.get("TT_TEST_RUN", "")) as work:
        film = screen_film.Film(build, Path(work), MACHINES[machine], step, 80, 24,
                                *({"TT_SMI_VIEW": view} for view in VIEWS))
        try:
            for after, seconds in times.items():
                while film.now < seconds:
                    film.step()
                for size in SIZES:
                    for view, screen in zip(VIEWS, film.screens):
                        screen.terminal.resize(*map(int, size.split("x")))
                        compare(screen.terminal, target / machine / f"{view}-{after}-{size}.txt")
        finally:
            film.close()


def main():
    build, target = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    with ThreadPoolExecutor(2) as pool:  # most of the time they wait for other programs
        films = [pool.submit(shoot, build, target, machine, *film)
                 for machine in reversed(MACHINES) for film in reversed(FILMS)]
    for film in films:
        film.result()


main()
