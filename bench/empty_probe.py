"""Attaches empty BPF programs at the places of the tracer's probes, to measure the kernel's part of their cost."""

import ctypes
import os
import pathlib
import struct

SYS_BPF = 321
PROG_LOAD, OBJ_GET, OBJ_INFO, LINK_CREATE = 5, 7, 15, 28
KPROBE, UPROBE_MULTI, LINK_UPROBE_MULTI = 2, 48, 12
RETURN_0 = struct.pack("=BBhi", 0xb7, 0, 0, 0) + struct.pack("=BBhi", 0x95, 0, 0, 0)
libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, *parts):
    attributes = ctypes.create_string_buffer(b"".join(parts))
    result = libc.syscall(SYS_BPF, command, attributes, ctypes.sizeof(attributes) - 1)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def offsets_of(link):
    """(path of the file, offsets of its probes) of a pinned multi-uprobe link; None for other links."""
    name = ctypes.create_string_buffer(str(link).encode())
    fd = bpf(OBJ_GET, struct.pack("=QII", ctypes.addressof(name), 0, 0))
    path, offsets = ctypes.create_string_buffer(4096), (ctypes.c_uint64 * 64)()
    info = ctypes.create_string_buffer(
        struct.pack("=16xQQQQIIII", ctypes.addressof(path), ctypes.addressof(offsets), 0, 0, len(path), len(offsets), 0, 0))
    bpf(OBJ_INFO, struct.pack("=IIQ", fd, len(info) - 1, ctypes.addressof(info)))
    os.close(fd)
    if struct.unpack_from("=I", info)[0] != LINK_UPROBE_MULTI:
        return None
    return path.value.decode(), offsets[:struct.unpack_from("=I", info, 52)[0]]


def attach(library, like):
    """Attaches to `library` at the offsets of the tracer's probes on `like`. Returns the descriptor of the link."""
    for link in sorted(pathlib.Path("/run/tt-smi/bpf/links").iterdir()):
        found = offsets_of(link) if link.name.isdigit() else None
        if found and found[0] == str(like):
            break
    else:
        raise OSError(0, "the tracer does not use a multi-uprobe link")
    licence, path = ctypes.create_string_buffer(b"GPL"), ctypes.create_string_buffer(str(library).encode())
    code = ctypes.create_string_buffer(RETURN_0)
    program = bpf(PROG_LOAD, struct.pack("=IIQQIIQII16sII", KPROBE, 2, ctypes.addressof(code), ctypes.addressof(licence),
                                         0, 0, 0, 0, 0, b"nothing", 0, UPROBE_MULTI))
    offsets = (ctypes.c_uint64 * len(found[1]))(*found[1])
    return bpf(LINK_CREATE, struct.pack("=IIIIQQQQIIII", program, 0, UPROBE_MULTI, 0, ctypes.addressof(path),
                                        ctypes.addressof(offsets), 0, 0, len(offsets), 0, 0, 0))
