"""Controls the clock of a program that is linked with tests/tui/clock.c.

    hour.py DIR start         creates DIR/clock
    hour.py DIR run SECONDS   advances the clock, sample by sample
"""

import mmap
import struct
import sys
import time

SECOND = 10**9
BEGIN, WALL = 1000 * SECOND, 1763200000 * SECOND
PATIENCE = 600  # seconds without a sample; only ends a test that hangs


def run(file, seconds):
    hands = mmap.mmap(file.fileno(), 24)
    end = BEGIN + seconds * SECOND
    moved = time.monotonic()
    while True:
        now, _, deadline = struct.unpack("3q", hands[:24])
        if now >= end:
            return
        # The program has taken its sample, and waits for the time of the next one.
        if deadline > now:
            hands[:8] = struct.pack("q", min(deadline, end))
            moved = time.monotonic()
        elif time.monotonic() - moved > PATIENCE:
            sys.exit(f"no sample after {(now - BEGIN) / SECOND:.0f} seconds")
        time.sleep(0.001)


work, command, *words = sys.argv[1:]
if command == "start":
    with open(f"{work}/clock", "wb") as file:
        file.write(struct.pack("3q", BEGIN, WALL - BEGIN, 0))
else:
    with open(f"{work}/clock", "r+b") as file:
        run(file, int(words[0]))
