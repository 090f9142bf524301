"""Accesses the pinned maps and programs like the tracer."""

import ctypes
import os
import struct

from staged import PINS

SYS_BPF = 321
LOOKUP, NEXT_KEY, OBJ_GET, TEST_RUN = 1, 4, 7, 10
libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, attributes):
    result = libc.syscall(SYS_BPF, command, attributes, len(attributes))
    return -ctypes.get_errno() if result < 0 else result


def get(path):
    name = ctypes.create_string_buffer(f"{PINS}/{path}".encode())
    fd = bpf(OBJ_GET, struct.pack("=QII", ctypes.addressof(name), 0, 0))
    assert fd >= 0, (path, os.strerror(-fd))
    return fd


def run(program, *arguments):
    """Runs a pinned program with arguments of 64 bits each. Returns its return value as an int."""
    fd = get("progs/" + program)
    context = ctypes.create_string_buffer(struct.pack(f"={len(arguments)}Q", *arguments))
    attributes = ctypes.create_string_buffer(
        struct.pack("=IIIIQQIIIIQQIII", fd, 0, 0, 0, 0, 0, 0, 0, 8 * len(arguments), 0, ctypes.addressof(context), 0, 0,
                    0, 0))
    result = bpf(TEST_RUN, attributes)
    os.close(fd)
    assert result == 0, os.strerror(-result)
    return struct.unpack_from("=i", attributes, 4)[0]


def process(pid):
    """The entry of a process in the map of processes."""
    fd, key, value = get("maps/processes"), ctypes.c_uint32(pid), ctypes.create_string_buffer(8192)
    result = bpf(LOOKUP, struct.pack("=IIQQQ", fd, 0, ctypes.addressof(key), ctypes.addressof(value), 0))
    os.close(fd)
    assert result == 0, os.strerror(-result)
    return value.raw


def entries(name, size):
    """The entries of a map whose keys are process and pointer: [(tgid, pointer, value)]."""
    fd, found, before = get("maps/" + name), [], None
    key, value = ctypes.create_string_buffer(16), ctypes.create_string_buffer(size)
    while bpf(NEXT_KEY, struct.pack("=IIQQ", fd, 0, ctypes.addressof(before) if before else 0,
                                    ctypes.addressof(key))) == 0:
        before = ctypes.create_string_buffer(key.raw[:16], 16)
        if bpf(LOOKUP, struct.pack("=IIQQQ", fd, 0, ctypes.addressof(key), ctypes.addressof(value), 0)) == 0:
            tgid, pointer = struct.unpack("=I4xQ", key.raw[:16])
            found.append((tgid, pointer, value.raw[:size]))
    os.close(fd)
    return found
