#!/usr/bin/env python3
"""Makes many of the one process that a recorded machine has: crowd.py ROOT COUNT"""

import pathlib
import shutil
import sys

proc, count = pathlib.Path(sys.argv[1]) / "proc", int(sys.argv[2])
first = 1001
pids = proc / "driver/tenstorrent/0/pids"
for pid in range(first + 1, first + count):
    folder = proc / str(pid)
    shutil.copytree(proc / str(first), folder, symlinks=True)
    for name in ("stat", "status", "comm", "cmdline"):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace(str(first), str(pid)).replace("worker", f"worker-{pid}"))
pids.write_text("".join(f"{pid}\n" for pid in range(first, first + count)))
