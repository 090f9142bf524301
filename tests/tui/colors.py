#!/usr/bin/env python3
"""Checks which colours are written to terminals that have 8, 256, all or no colours.

usage: colors.py TT_SMI ROOT

TERMINFO has a terminal called xterm-direct, whose colours are given as red, green and blue.
"""

import os
import re
import sys

from terminal import Terminal

# The yellow of "SIMULATED": its number in the palette, its three parts, or one of the first eight
# colours. Attributes may precede it: "0;" if the text before has another style.
PALETTE, DIRECT, BASIC = (
    rb"\x1b\[(?:\d;)*" + colour for colour in (rb"38;5;221m", rb"38:2::255:215:95m", rb"33m")
)


def written(term, *options):
    terminal = Terminal(sys.argv[1], sys.argv[2], "--view", "grid", *options, term=term)
    # "Quit" is the last word of a frame, also of the frame before the first sample.
    data = terminal.until(b"SIMULATED", b"Quit")
    terminal.press(b"q")
    assert terminal.end() == 0, term
    assert b"Overview" in data, (term, data)
    return data


def expect(term, palette, direct, basic, *options):
    data = written(term, *options)
    found = tuple(bool(re.search(p, data)) for p in (PALETTE, DIRECT, BASIC))
    print(term, *options, "palette, direct, basic:", found)
    assert found == (palette, direct, basic), (term, options, data)


def colours(parameters, text, ground):
    """The colours after \\x1b[...m, on a terminal with eight colours."""
    for code in (int(p or 0) for p in parameters.split(b";")):
        if code in (0, 39) or 30 <= code <= 37:
            text = code % 10 if code >= 30 and code != 39 else None
        if code in (0, 49) or 40 <= code <= 47:
            ground = code % 10 if code >= 40 and code != 49 else None
    return text, ground


def expect_legible(term, *options):
    """No text is written in the colour of its background."""
    data = written(term, *options)
    text = ground = None
    parts = re.split(rb"\x1b\[([0-9;]*)m", data)
    for i, part in enumerate(parts):
        if i % 2:
            text, ground = colours(part, text, ground)
            continue
        signs = re.sub(rb"\x1b(\[[0-9;?]*[A-Za-z]|[()].|[=>78])|[\x00-\x20]", b"", part)
        assert not signs or text is None or text != ground, (term, options, part)
    print(term, *options, "legible")


os.environ.pop("COLORTERM", None)
expect("xterm-256color", True, False, False)
expect("tmux-256color", True, False, False)
expect("xterm", False, False, True)
expect("linux", False, False, True)
for theme in "default", "light", "colorblind":
    expect_legible("xterm", "--theme", theme, "--view", "overview")
expect("vt100", False, False, False)
expect("xterm-256color", False, False, False, "--color=never")
expect("xterm-256color", False, False, False, "--theme=mono")
expect("xterm-direct", False, True, False)
# A terminal with TERM for 256 colours and COLORTERM for 24 bits, and one whose direct entry is missing.
os.environ["COLORTERM"] = "truecolor"
expect("xterm-256color", False, True, False)
expect("tmux-256color", True, False, False)
