"""Checks that all lines of a box have the width of the box.

widths.py FILE...: the files contain tables. Widths are in columns of a terminal: control
sequences and combining marks have 0, East Asian wide characters 2.
"""
import re
import sys
import unicodedata

SEQUENCE = re.compile("\033\\[[0-9;]*m")


def width(text):
    columns = 0
    for c in SEQUENCE.sub("", text):
        if unicodedata.category(c) in ("Mn", "Me"):
            continue
        if unicodedata.category(c) in ("Cc", "Cf", "Cs"):
            raise ValueError(f"U+{ord(c):04X} reached the terminal")
        columns += 2 if unicodedata.east_asian_width(c) in "WF" else 1
    return columns


def check(name):
    boxes = 0
    expected = None
    with open(name, encoding="utf-8", newline="\n") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines, 1):
        try:
            columns = width(line)
        except ValueError as error:
            sys.exit(f"{name}:{number}: {error}")
        plain = SEQUENCE.sub("", line)
        if plain.startswith(("┌", "+-")) and expected is None:
            expected = columns
            boxes += 1
            wanted = re.search(r"table-(\d+)", name)
            if wanted and columns != int(wanted[1]):
                sys.exit(f"{name}:{number}: {columns} columns, not {wanted[1]}")
        if expected is None:
            continue
        if columns != expected:
            sys.exit(f"{name}:{number}: {columns} columns in a box of {expected}: {plain}")
        if plain[0] not in "┌│├└+|" or plain[-1] not in "┐│┤┘+|":
            sys.exit(f"{name}:{number}: no edge: {plain}")
        if plain.startswith("└") or (plain.startswith("+-") and lines[number] == ""):
            expected = None
    if boxes < 2:
        sys.exit(f"{name}: {boxes} boxes, not two")


for argument in sys.argv[1:]:
    check(argument)
