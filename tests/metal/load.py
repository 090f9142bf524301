#!/usr/bin/env python3
"""load.py PLUGIN COMMAND...: like metal_load, but the plugin is loaded as Python loads its extensions."""

import ctypes
import os
import sys

plugin = ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW | os.RTLD_LOCAL)
commands = [os.fsencode(command) for command in sys.argv[2:]]
arguments = (ctypes.c_char_p * (len(commands) + 1))(*commands)
sys.exit(plugin.double_run(len(commands), arguments))
