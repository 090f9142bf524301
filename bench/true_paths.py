"""Mounts a simulated machine at /sys, /dev and /proc/driver, for programs without an option like --root.

The mounts are in a mount namespace of this process and its children, and disappear with them.
"""

import contextlib
import fcntl
import os
import pathlib
import shutil
import struct
import subprocess
import sys

INSIDE = "TT_BENCH_INSIDE"
TERMINAL_MAJOR = 136  # pseudo terminals are used as devices, since any process can open them
TIOCSPTLCK = 0x40045431  # <asm-generic/ioctls.h>
NODES = "null", "zero", "full", "random", "urandom", "tty"


def enter():
    """Executes this script again in a mount namespace of its own and returns in there; exits if that is not permitted."""
    if INSIDE in os.environ:
        return
    unshare = ["unshare", "--mount", "--propagation", "private", *(["--map-root-user"] if os.geteuid() else [])]
    if subprocess.run([*unshare, "true"], capture_output=True).returncode:
        sys.exit("bench: no mount namespace can be created: run it as root")
    os.environ[INSIDE] = "1"
    os.execvp(unshare[0], [*unshare, sys.executable, *sys.argv])


@contextlib.contextmanager
def mounted(*arguments):
    """Runs mount with these arguments, of which the last is the mount point."""
    subprocess.run(["mount", *map(str, arguments)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(arguments[-1])], check=True)


def open_terminals(ptmx, count):
    """Opens pseudo terminals of a new devpts instance, numbered from 0. They exist while the descriptors are open."""
    masters = [os.open(ptmx, os.O_RDWR | os.O_NOCTTY) for _ in range(count)]
    for master in masters:
        fcntl.ioctl(master, TIOCSPTLCK, struct.pack("i", 0))
    return masters


def add_nodes(stack, dev):
    """Adds the nodes of /dev that programs need, and a new devpts instance."""
    for name in NODES:
        (dev / name).touch()
        stack.enter_context(mounted("--bind", f"/dev/{name}", dev / name))
    stack.enter_context(mounted("-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=0620", "devpts", dev / "pts"))
    (dev / "ptmx").symlink_to("pts/ptmx")
    (dev / "fd").symlink_to("/proc/self/fd")


def add_devices(stack, dev, count):
    """Mounts the first pseudo terminals at dev/tenstorrent/N, so that N is their minor number."""
    for i, master in enumerate(open_terminals(dev / "pts/ptmx", count)):
        stack.callback(os.close, master)
        node = dev / "tenstorrent" / str(i)
        node.touch()
        stack.enter_context(mounted("--bind", dev / "pts" / str(i), node))


@contextlib.contextmanager
def shown(tree, place):
    """Mounts the machine of this tree, except for its /proc/PID. place: a directory that is not mounted over."""
    tree, place = pathlib.Path(tree), pathlib.Path(place)
    dev, numbers = place / "dev", place / "devices"
    for name in ("shm", "pts", "tenstorrent"):
        (dev / name).mkdir(parents=True)
    numbers.write_text(f"Character devices:\n{TERMINAL_MAJOR} tenstorrent\n\nBlock devices:\n")
    with contextlib.ExitStack() as stack:
        add_nodes(stack, dev)
        add_devices(stack, dev, sum(name.isdigit() for name in os.listdir(tree / "dev/tenstorrent")))
        stack.enter_context(mounted("-t", "tmpfs", "none", "/run"))  # hides a server of this machine
        stack.enter_context(mounted("-t", "tmpfs", "none", "/proc/driver"))
        shutil.copytree(tree / "proc/driver/tenstorrent", "/proc/driver/tenstorrent")
        for source, target in ((numbers, "/proc/devices"), (tree / "dev/shm", dev / "shm"), (tree / "sys", "/sys"),
                               (dev, "/dev")):
            stack.enter_context(mounted("--rbind", source, target))
        yield
