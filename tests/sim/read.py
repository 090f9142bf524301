#!/usr/bin/env python3
"""Prints the text of a file, or "open:ERRNO" or "read:ERRNO"."""

import errno
import os
import sys

try:
    fd = os.open(sys.argv[1], os.O_RDONLY)
except OSError as e:
    print("open:" + errno.errorcode[e.errno])
    sys.exit(0)
try:
    print(os.pread(fd, 65536, 0).decode(), end="")
except OSError as e:
    print("read:" + errno.errorcode[e.errno])
