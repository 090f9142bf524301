#!/usr/bin/env python3
"""crowd.py ROOT COUNT: makes copies of the only process of a recorded machine."""

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
