"""Processes whose /proc/PID/environ, cmdline and maps block.

A process maps a file of a FUSE mount that never answers a read, reads it through /proc/self/mem, which
holds its mmap lock meanwhile, and has a writer wait for that lock: every later reader waits behind it.
"""

import ctypes
import os
import signal
import struct
import subprocess
import threading

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long)
LOOKUP, FORGET, GETATTR, OPEN, READ, FLUSH, INIT, READDIR = 1, 2, 3, 14, 15, 25, 26, 28
INTERRUPT, READDIRPLUS = 36, 44
ENOSYS = 38


def attributes(node):
    mode, size = (0o40555, 0) if node == 1 else (0o100444, 1 << 20)
    return struct.pack("=6Q10I", node, size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


class Mount:
    """A FUSE mount with one file. Reads of the file and listings of its directory are never answered. Needs root."""

    unanswered = (FORGET, INTERRUPT, READ, READDIR, READDIRPLUS)

    def __init__(self, directory):
        self.path = directory + "/mute"
        os.mkdir(self.path, 0o755)
        self.fd = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.fd},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
        if libc.mount(b"mute", self.path.encode(), b"fuse", 0, options) < 0:
            raise OSError(ctypes.get_errno(), "mount of a FUSE file system")
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        try:
            while True:
                self.answer(os.read(self.fd, 1 << 17))
        except OSError:
            pass  # unmounted

    def answer(self, request):
        _, opcode, unique, node = struct.unpack_from("=IIQQ", request)
        body, error = b"", 0
        if opcode in self.unanswered:
            return
        if opcode == INIT:
            body = struct.pack("=IIIIHHIIHHI28x", 7, 31, 0, 0, 12, 9, 4096, 1, 1, 0, 0)
        elif opcode == LOOKUP:
            body = struct.pack("=4QII", 2, 0, 3600, 3600, 0, 0) + attributes(2)
        elif opcode == GETATTR:
            body = struct.pack("=QII", 3600, 0, 0) + attributes(node)
        elif opcode == OPEN:
            body = struct.pack("=QII", 0, 2, 0)  # FOPEN_KEEP_CACHE: the pages whose reads hang stay cached
        else:
            error = -ENOSYS
        os.write(self.fd, struct.pack("=IiQ", 16 + len(body), error, unique) + body)

    def end(self):
        """Unmounts by force, so that hanging reads fail. May be called more than once."""
        if self.fd >= 0:
            libc.umount2(self.path.encode(), 1 | 2)
            os.close(self.fd)
            self.fd = -1


class OpenMount(Mount):
    """The same, and closing the file is never answered either."""

    unanswered = (*Mount.unanswered, FLUSH)


def wait_for_ever(memory, address):
    try:
        os.pread(memory, 1, address)
    except OSError:
        pass  # unmounted


def fall_silent(path, go):
    """Makes reads of this process's /proc files block, and does not return. go: a pipe that can be read from when
    is_reading() is true."""
    file = os.open(path + "/file", os.O_RDONLY)
    address = libc.mmap(None, 4096, 1, 2, file, os.getpid() % 256 * 4096)
    memory = os.open("/proc/self/mem", os.O_RDONLY)
    threading.Thread(target=wait_for_ever, args=(memory, address), daemon=True).start()
    os.read(go, 1)
    libc.mmap(None, 4096, 3, 0x22, -1, 0)
    signal.pause()  # unmounted


# Numbers of system calls: pread64; and mmap, mprotect, munmap, brk, of which any may be the first to need the lock.
PREAD, CHANGE_MEMORY = {
    "x86_64": (17, (9, 10, 11, 12)),
    "aarch64": (67, (222, 226, 215, 214)),
}[os.uname().machine]


def blocked_in(pid, thread):
    """The system call in which the thread is blocked, or None. Needs root."""
    with open(f"/proc/{pid}/task/{thread}/syscall", encoding="ascii") as file:
        number = file.read().split()[0]
    return int(number) if number.isdigit() else None


def is_reading(pid):
    """Does a thread of the process hold the lock, in a read that never ends?"""
    return any(blocked_in(pid, thread) == PREAD for thread in os.listdir(f"/proc/{pid}/task"))


def is_changing_memory(pid):
    """Does its main thread wait for the lock, so that all later readers wait too?"""
    return blocked_in(pid, pid) in CHANGE_MEMORY


def answers(pid, file="environ"):
    """Can this /proc file of the process be read? The reader is a separate process, since it can only be killed."""
    return subprocess.run(["timeout", "-s", "KILL", "0.3", "cat", f"/proc/{pid}/{file}"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0
