#!/usr/bin/env python3
"""Runs the benchmarks and prints docs/benchmarks.md with the new tables.

usage: record.py [OPTIONS OF compare.py] DOCUMENT OTHER BUILD

Replaces the text between <!-- NAME --> and <!-- end -->, for NAME machine, floor (BUILD compared with the floor)
and other (BUILD compared with OTHER, another build).
"""

import os
import pathlib
import platform
import re
import subprocess
import sys

COMPARE = pathlib.Path(__file__).with_name("compare.py")


def processor():
    names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return names[0] if names else platform.machine()


def machine():
    """A description of this machine, without its name."""
    kind = subprocess.run(["systemd-detect-virt", "--vm"], capture_output=True, text=True).stdout.strip()
    kind = "A physical machine" if kind in ("", "none") else f"A virtual machine ({kind})"
    kernel = ".".join(platform.release().split(".")[:2])
    return f"{kind}: {os.cpu_count()} processors ({processor()}), Linux {kernel}, trees in memory.\n"


def table(*arguments):
    done = subprocess.run([sys.executable, COMPARE, "--markdown", *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr or "record.py: not everything could be measured:\n" + done.stdout)
    return done.stdout


def main():
    *options, document, other, build = sys.argv[1:]
    parts = {
        "machine": machine(),
        "floor": table(*options, build),
        "other": table(*options, "--against", other, build),
    }
    text = pathlib.Path(document).read_text()
    for name, part in parts.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        text, found = re.subn(pattern, lambda match, part=part: match[1] + part + match[2], text, flags=re.DOTALL)
        assert found == 1, f"{document} has no place for {name}"
    print(text, end="")


if __name__ == "__main__":
    main()
