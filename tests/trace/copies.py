"""copies.py NODE FILE...: opens a device and loads each FILE with RTLD_LOCAL. Then it reads commands, one per line: the
number of a file, from 1, and a word of odd.c. An empty line ends it."""

import ctypes
import os
import sys

os.open(sys.argv[1], os.O_RDWR)
files = [ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW) for path in sys.argv[2:]]
for file in files:
    file.odd_prepare()
print("ready", flush=True)
while words := sys.stdin.readline().split():
    files[int(words[0]) - 1].odd_do(words[1].encode())
    print("ready", flush=True)
