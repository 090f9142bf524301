"""Reads the JSON lines of a loop until expected conditions have been seen.

follow.py STEP... -- COMMAND...: each STEP is a Python expression over d (the first
device), p (its processes by pid) and doc (the whole document). The steps must become true in
this order, each in a later sample than the one before. Then COMMAND is ended. The STEP
"next" makes the next fault of the tt_smi sim whose pid is in SIM begin or end.
The time limit only ends a test that hangs.
"""
import json
import os
import signal
import subprocess
import sys

separator = sys.argv.index("--")
steps = sys.argv[1:separator]
command = subprocess.Popen(sys.argv[separator + 1:], stdout=subprocess.PIPE)
signal.signal(signal.SIGALRM, lambda *_: command.kill())
signal.alarm(300)
seen = 0
doc = None
for line in command.stdout:
    doc = json.loads(line)  # every line is whole
    d = doc["devices"][0]
    p = {process["pid"]: process for process in doc["processes"]}
    if eval(f"({steps[seen]})"):
        print(f"seen: {steps[seen]}")
        seen += 1
        if seen < len(steps) and steps[seen] == "next":
            os.kill(int(os.environ["SIM"]), signal.SIGUSR1)
            seen += 1
        if seen == len(steps):
            break
command.terminate()
command.wait()
if seen < len(steps):
    sys.exit(f"never seen: {steps[seen]}; the last sample: {json.dumps(doc)}")
