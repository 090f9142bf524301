"""zoom.py BUILD: tests the time span that charts show, and zooming, over 45 minutes of samples."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "scripts"))
sys.dont_write_bytecode = True
import screen_film  # noqa: E402


def press(film, keys, axis):
    film.terminal.press(keys)
    film.terminal.wait_for(axis)


def check(film):
    film.terminal.wait_for("1 min ago.*now")
    for axis in "1 min ago.*now", "2 min ago.*now", "3 min ago.*now":
        film.step()
        film.terminal.wait_for(axis)
    press(film, "[", "3 min ago.*now")  # there is nothing before
    while film.now < 45 * 60:
        film.step()
    film.terminal.wait_for("10 min ago.*now")
    press(film, "z", "5 min ago.*now")
    press(film, "[", "450 s ago.*150 s ago")
    press(film, "x x", "1950 s ago.*150 s ago")
    press(film, "] ]", "30 min ago.*now")
    press(film, "x", "45 min ago.*now")
    film.step()
    film.terminal.wait_for("60 min ago.*now")


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm/" + os.environ.get("TT_TEST_RUN", "")) as work:
        film = screen_film.Film(Path(sys.argv[1]).resolve(), Path(work), ["-b", "n150"], 60, 100, 30)
        try:
            check(film)
        finally:
            film.close()


main()
