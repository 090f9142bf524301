#!/usr/bin/env python3
"""Reports a few allocations from Python."""

import ttalloc

MIB = 1 << 20

ttalloc.set_program("ttalloc python example")
with ttalloc.allocation(0, ttalloc.DRAM, 0x1000, 25 * MIB):
    ttalloc.report_alloc(0, ttalloc.L1, 0x80000, MIB)
    print("held:", ttalloc.usage(0, ttalloc.DRAM).now_bytes)
ttalloc.report_free(0, ttalloc.L1, 0x80000)
print("after:", ttalloc.usage(0, ttalloc.DRAM).now_bytes)
print("at most:", ttalloc.usage(0, ttalloc.DRAM).peak_bytes)
