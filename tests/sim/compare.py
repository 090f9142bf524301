#!/usr/bin/env python3
"""Compares a tree of tt_smi sim with one that was recorded with the driver running.

Names, types, targets of links and the format of every text must be the same; numbers
may differ. Files that only the simulated tree has must be on the list below, with the
reason why they were not recorded.

usage: compare.py OBSERVED MADE
"""

import os
import re
import stat
import sys

# Files that exist with the driver, but are left out of the recorded tree (see its README).
EXTRA = [
    r"sys/devices/.*/config",  # binary
    r"sys/bus/pci/drivers/tenstorrent/(bind|unbind|new_id|remove_id|uevent)",  # write-only
    r"sys/devices/.*/power(/(async|control|runtime_\w+))?",  # generic
]
# Files that are not the driver's, and are not recorded. The emulated PCIe port had no AER.
OURS = r"(sys/devices/pci[^/]*/[^/]*/aer_dev_\w+|dev|etc|proc/\d+|proc/bus|proc/stat|proc/uptime|simulated|captured_at)(/.*)?"

MODES = [
    (r"sys/devices/.*/tenstorrent!\d+/(tt_\w+|dev|pcie_perf_counters/\w+)", 0o444),
    (r"sys/devices/.*/hwmon\d+/(name|\w+_(label|input|max))", 0o444),
    (r"sys/devices/.*/uevent", 0o644),
    (r"sys/module/tenstorrent/parameters/idle_power_down_grace_ms", 0o644),
    (r"sys/module/tenstorrent/(version|refcnt|parameters/\w+)", 0o444),
    (r"sys/bus/pci/drivers/tenstorrent/(bind|unbind|new_id|remove_id|uevent)", 0o200),
    (r"sys/kernel/debug", 0o700),
    (r"sys/kernel/debug/tenstorrent/\d+", 0o755),
    (r"sys/kernel/debug/tenstorrent/\d+/mappings", 0o444),
    (r"proc/driver/tenstorrent/\d+", 0o555),
    (r"proc/driver/tenstorrent/\d+/pids", 0o444),
    (r"dev/tenstorrent/\d+", 0o666),
    (r"dev/shm/tt_device_\d+_memory", 0o600),
]


def listing(root):
    """{path: lstat} of everything below root."""
    found = {}
    for directory, directories, files in os.walk(root):
        for name in directories + files:
            path = os.path.join(directory, name)
            found[os.path.relpath(path, root)] = os.lstat(path)
    return found


def shape(path, text):
    """The text with every number replaced by its format."""
    name = os.path.basename(path)
    if name == "mappings":  # only lines of the kind that tt_smi sim writes
        text = "".join(l for l in text.splitlines(True) if not re.match(r"\d", l) or "OPEN_FD" in l)
        text = re.sub(r"(?m)^\d+ +\w+ +", lambda m: "P" * 9 + "C" * (len(m[0]) - 9), text)
    if name in ("mappings", "pids"):  # as many lines as there are descriptors
        return "".join(sorted(set(re.sub(r"\d+", "9", text).splitlines(True))))
    if name in ("tt_asic_id", "tt_serial"):
        return re.sub(r"\b[0-9A-F]{16}\b", "H" * 16, text)
    text = re.sub(r"0x[0-9a-f]+", lambda m: "0x" + "h" * (len(m[0]) - 2), text)
    return re.sub(r"\d+", "9", text)


def exact(path):
    """Is this a file whose text is the same for all cards of one kind?"""
    name = os.path.basename(path)
    return name.endswith("_label") or name in (
        "name", "uevent", "modalias", "vendor", "device", "class", "subsystem_device",
        "subsystem_vendor", "revision", "tt_card_type", "devices", "dev", "numa_node", "driver_override",
        "current_link_speed", "current_link_width", "max_link_speed", "max_link_width", "dma_mask_bits",
        "consistent_dma_mask_bits", "version", "tt_axiclk", "tt_arcclk", "max_devices", "power_policy",
    )


def compare_file(observed, made, path):
    with open(os.path.join(observed, path), encoding="utf-8") as f:
        want = f.read()
    with open(os.path.join(made, path), encoding="utf-8") as f:
        have = f.read()
    if exact(path):
        return [] if want == have else [f"{path}: text {have!r}, observed {want!r}"]
    if shape(path, want) != shape(path, have):
        return [f"{path}: shape {shape(path, have)!r}, observed {shape(path, want)!r}"]
    return []


def compare_entry(observed, made, path, want, have):
    if stat.S_IFMT(want.st_mode) != stat.S_IFMT(have.st_mode):
        return [f"{path}: another kind of file"]
    if stat.S_ISLNK(want.st_mode):
        a, b = (os.readlink(os.path.join(r, path)) for r in (observed, made))
        return [] if a == b else [f"{path}: link to {b}, observed {a}"]
    if stat.S_ISREG(want.st_mode):
        return compare_file(observed, made, path)
    return []


def compare_process(observed, made):
    """Compares the formats of /proc/PID files, with one process of each tree."""
    def first(root, name):
        pid = sorted(p for p in os.listdir(root + "/proc") if p.isdigit())[0]
        with open(f"{root}/proc/{pid}/{name}", encoding="utf-8") as f:
            return f.read()

    problems = []
    if len(first(observed, "stat").split()) != len(first(made, "stat").split()):
        problems.append("proc/PID/stat: another number of fields")
    pairs = {l.split(":")[0]: shape("status", l) for l in first(observed, "status").splitlines(True)}
    for line in first(made, "status").splitlines(True):
        key = line.split(":")[0]
        if key not in pairs:
            problems.append(f"proc/PID/status: {key} was not observed")
        elif re.sub(r" +", " ", shape("status", line)) != re.sub(r" +", " ", pairs[key]) and key != "Name":
            problems.append(f"proc/PID/status: {line!r}, observed {pairs[key]!r}")
    form = r"[0-9a-f]{12}-[0-9a-f]{12} r[-w]-s [0-9a-f]{8} 00:05 \d+ +/dev/tenstorrent/\d+\n"
    for tree in observed, made:
        if not re.fullmatch(f"({form})+", first(tree, "maps")):
            problems.append(f"{tree}: maps are of another form")
    where = [first(tree, "maps").index("/dev") for tree in (observed, made)]
    if where[0] != where[1]:
        problems.append("proc/PID/maps: names begin in another column")
    return problems


def main():
    observed, made = sys.argv[1:]
    want, have = listing(observed), listing(made)
    problems = []
    for path in sorted(want):
        if not re.match(r"(sys|proc)/", path) or re.fullmatch(r"proc/\d+(/.*)?", path):
            continue  # files that were added for other tests; processes are compared below
        if path not in have:
            problems.append(f"{path}: missing")
        else:
            problems += compare_entry(observed, made, path, want[path], have[path])
    for path in sorted(set(have) - set(want)):
        if not any(re.fullmatch(e, path) for e in EXTRA + [OURS]):
            problems.append(f"{path}: was not observed")
    for path, st in have.items():
        for pattern, mode in MODES:
            if re.fullmatch(pattern, path):
                if stat.S_IMODE(st.st_mode) != mode:
                    problems.append(f"{path}: mode {stat.S_IMODE(st.st_mode):o}, should be {mode:o}")
                break
    problems += compare_process(observed, made)
    print("\n".join(problems) if problems else f"{len(want)} files compared")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
