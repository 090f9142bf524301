"""Reports the memory of a program on Tenstorrent cards.

    import ttalloc

    ttalloc.set_program("llama trainer")
    ttalloc.report_alloc(0, ttalloc.DRAM, address, size)
    ...
    ttalloc.report_free(0, ttalloc.DRAM, address)

or, for a block of code:

    with ttalloc.allocation(0, ttalloc.L1, address, size):
        ...

A thin layer over libttalloc, whose header explains everything; standard library
only. Without the library, every function does nothing and state() says
UNAVAILABLE: a program need not care whether it is installed. Wrong reports raise
nothing either. They return a negative errno and are counted, see misuse().
"""

import ctypes
import os

DRAM, L1, SYSTEM, L1_SMALL, TRACE, CB, KERNEL = range(7)

OFF, UNAVAILABLE, LOCAL, CONNECTED = range(4)

MISUSES = (
    "double_free",
    "unknown_free",
    "duplicate",
    "zero_size",
    "overflow",
    "unknown_device",
    "unknown_pool",
    "unlisted",
    "lost",
)


class Usage(ctypes.Structure):
    """Usage of one pool of one device; allocs - frees allocations are held."""

    _fields_ = [
        (name, ctypes.c_uint64)
        for name in ("now_bytes", "peak_bytes", "allocs", "frees", "failures")
    ]


def _load():
    path = os.environ.get("TTALLOC_LIBRARY", "libttalloc.so.1")
    try:
        return ctypes.CDLL(path)
    except OSError:
        return None


_lib = _load()


def _function(name, result, *arguments):
    """The library's function, or one that returns 0 if there is no library."""
    if _lib is None:
        return lambda *_: 0
    function = getattr(_lib, "ttalloc_" + name)
    function.restype = result
    function.argtypes = arguments
    return function


_int, _uint, _u64, _text = ctypes.c_int, ctypes.c_uint, ctypes.c_uint64, ctypes.c_char_p

report_alloc = _function("report_alloc", _int, _uint, _int, _u64, _u64)
report_free = _function("report_free", _int, _uint, _int, _u64)
report_failure = _function("report_failure", _int, _uint, _int)
bind_node = _function("bind_node", _int, _uint, _uint)
bind_asic = _function("bind_asic", _int, _uint, _u64)
poll = _function("poll", None)

_bind_bdf = _function("bind_bdf", _int, _uint, _text)
_set_program = _function("set_program", _int, _text)
_get_state = _function("get_state", _int)
_get_usage = _function("get_usage", _int, _uint, _int, ctypes.POINTER(Usage), ctypes.c_size_t)
_get_misuse = _function("get_misuse", _u64, _int)


def bind_bdf(device, bdf):
    """States which card a device number refers to, by its PCI address."""
    return _bind_bdf(device, bdf.encode())


def set_program(name):
    """Sets the name to show for this program."""
    return _set_program(name.encode())


def state():
    """OFF, UNAVAILABLE, LOCAL or CONNECTED."""
    return UNAVAILABLE if _lib is None else _get_state()


def usage(device, pool):
    """The usage that this process has reported so far."""
    result = Usage()
    _get_usage(device, pool, ctypes.byref(result), ctypes.sizeof(result))
    return result


def misuse():
    """Number of invalid reports of each kind, by name."""
    return {name: _get_misuse(kind) for kind, name in enumerate(MISUSES)}


class allocation:
    """An allocation, held inside of a with statement or until free()."""

    def __init__(self, device, pool, id, size):
        self._key = (device, pool, id)
        self.result = report_alloc(device, pool, id, size)

    def free(self):
        """Reports the free, once."""
        if self._key is not None:
            report_free(*self._key)
            self._key = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.free()
