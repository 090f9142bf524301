"""Converts a terminal's screen, as tmux prints it with its attributes, to an SVG picture.

Letters are text, one element per run, with the width of their cells as textLength, so that
columns are aligned in any font. Lines, blocks and braille are drawn as shapes, since few
fonts have all of them in the same width. The picture has its own background, so it looks
the same on a light and on a dark page.
"""
import re
import unicodedata
from html import escape

WIDTH, HEIGHT, SIZE = 8.4, 18, 14  # of a cell; font size
MARGIN = 12
GROUND, INK = "#14181f", "#d3d9e3"
FONTS = "ui-monospace,'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace"
NAMED = ["#2b303b", "#e06c75", "#6fbf73", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4",
         "#6b7280", "#ff7b86", "#8fdc93", "#ffd68a", "#82c4ff", "#dd9bf0", "#74d3df", "#ffffff"]
# The arms of each box-drawing character: left, right, up, down.
ARMS = {"─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu", "├": "rud", "┤": "lud",
        "┬": "lrd", "┴": "lru", "┼": "lrud"}
SHADES = {"█": 1, "▓": 0.75, "▒": 0.5, "░": 0.22}
# Bits of a Braille character, from top to bottom in each of its two columns.
BRAILLE = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


class Style:
    """The style of the next character, as set by the escape sequences so far."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.ink = self.ground = None
        self.bold = self.dim = self.reverse = self.underline = False

    def colour(self, codes):
        if codes.pop(0) == 2:
            return "#%02x%02x%02x" % (codes.pop(0), codes.pop(0), codes.pop(0))
        n = codes.pop(0)
        if n < 16:
            return NAMED[n]
        if n >= 232:
            return "#%02x%02x%02x" % ((8 + 10 * (n - 232),) * 3)
        steps = (0, 95, 135, 175, 215, 255)
        n -= 16
        return "#%02x%02x%02x" % (steps[n // 36], steps[n // 6 % 6], steps[n % 6])

    def apply(self, text):
        codes = [int(code or 0) for code in re.split("[;:]", text)]
        flags = {1: ("bold", True), 2: ("dim", True), 4: ("underline", True), 7: ("reverse", True),
                 24: ("underline", False), 27: ("reverse", False)}
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code == 22:
                self.bold = self.dim = False
            elif code in flags:
                setattr(self, *flags[code])
            elif code == 38:
                self.ink = self.colour(codes)
            elif code == 48:
                self.ground = self.colour(codes)
            elif code == 39:
                self.ink = None
            elif code == 49:
                self.ground = None
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.ink = NAMED[code - 30 if code < 40 else code - 82]
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.ground = NAMED[code - 40 if code < 50 else code - 92]

    def cell(self):
        """Colour of the letter, of its background (None: none), weight, underline."""
        ink, ground = self.ink or INK, self.ground
        if self.reverse:
            ink, ground = ground or GROUND, ink
        if self.dim and not self.reverse:
            ink = blend(ink, ground or GROUND, 0.8)
        return ink, ground, self.bold, self.underline


def blend(a, b, share):
    parts = [(int(a[i:i + 2], 16), int(b[i:i + 2], 16)) for i in (1, 3, 5)]
    return "#%02x%02x%02x" % tuple(round(x * share + y * (1 - share)) for x, y in parts)


def cells(line, style):
    """Yields the characters of a line with escape sequences: (column, character, width in cells, style)."""
    column = 0
    for part in re.split("(\x1b\\[[0-9;:]*m|\x1b\\(.|[\x0e\x0f])", line):
        if part.startswith("\x1b["):
            style.apply(part[2:-1])
        elif part and part[0] not in "\x1b\x0e\x0f":
            for c in part:
                wide = 2 if unicodedata.east_asian_width(c) in "WF" else 1
                yield column, c, wide, style.cell()
                column += wide


def number(value):
    return ("%.1f" % value).rstrip("0").rstrip(".")


class Picture:
    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.grounds, self.shapes, self.texts = [], {}, []

    def shape(self, key, path):
        self.shapes.setdefault(key, []).append(path)

    def rectangle(self, ink, opacity, column, row, wide):
        x = number(column * WIDTH)
        # Slightly lower than its cell, so that adjacent bars are separated.
        self.shape(("fill", ink, opacity), f"M{x} {row * HEIGHT + 1}h{number(wide * WIDTH)}"
                   f"v{HEIGHT - 2}H{x}z")

    def line(self, ink, column, row, wide, arms):
        x, y = column * WIDTH, row * HEIGHT
        middle, right = x + WIDTH / 2, x + wide * WIDTH
        if "l" in arms or "r" in arms:
            self.shape(("stroke", ink), f"M{number(x if 'l' in arms else middle)} {y + HEIGHT // 2}"
                       f"H{number(right if 'r' in arms else middle)}")
        if "u" in arms or "d" in arms:
            self.shape(("stroke", ink), f"M{number(middle)} {y if 'u' in arms else y + HEIGHT // 2}"
                       f"V{y + HEIGHT if 'd' in arms else y + HEIGHT // 2}")

    def text(self, run, column, row, wide, style):
        ink, _, bold, underline = style
        x = column * WIDTH
        more = f' fill="{ink}"' if ink != INK else ""
        more += ' font-weight="700"' if bold else ""
        more += ' text-decoration="underline"' if underline else ""
        if len(run) == 1 and not run.isalnum():
            place = f'x="{number(x + wide * WIDTH / 2)}" text-anchor="middle"'
        else:
            place = f'x="{number(x)}" textLength="{number(wide * WIDTH)}"'
        self.texts.append(f'<text {place} y="{row * HEIGHT + 13}"{more}>{escape(run)}</text>')

    def add_row(self, row, line, state, dots):
        runs = []  # neighbours of one kind and style: (column, wide, kind, style, text)
        for column, c, wide, style in cells(line, state):
            if style[1]:
                self.add_ground(column, row, wide, style[1])
            if 0x2800 < ord(c) < 0x2900:
                add_dots(dots, column, row, ord(c), style[0])
                continue
            kind = c if c in SHADES or c in "─" else ARMS.get(c) or "text"
            # Other characters are placed individually: they may come from a font with another width.
            alone = kind == "text" and ord(c) > 0x17f or kind in ARMS.values()
            if c == " " and not (runs and runs[-1][2] == "text"):
                continue
            last = runs[-1] if runs else None
            if last and not alone and not last[5] and last[2:4] == [kind, style] and \
                    last[0] + last[1] == column and not (c == " " and last[4][-1] == " "):
                last[1] += wide
                last[4] += c
            elif c != " ":
                runs.append([column, wide, kind, style, c, alone])
        for column, wide, kind, style, text, _ in runs:
            if kind in SHADES:
                self.rectangle(style[0], SHADES[kind], column, row, wide)
            elif kind == "text":
                stripped = text.rstrip()
                self.text(stripped, column, row, wide - len(text) + len(stripped), style)
            else:
                self.line(style[0], column, row, wide, ARMS.get(kind, kind))

    def add_ground(self, column, row, wide, colour):
        last = self.grounds[-1] if self.grounds else None
        if last and last[1:] == [row, last[2], colour] and last[0] + last[2] == column:
            last[2] += wide
        else:
            self.grounds.append([column, row, wide, colour])

    def add_dots(self, dots):
        """Draws dots above each other as one dashed line, four dashes per row."""
        step, size = HEIGHT / 4, 2.4
        for (ink, x), rows in sorted(dots.items()):
            rows.sort()
            start = previous = rows[0]
            for row in rows[1:] + [None]:
                if row != previous + 1:
                    self.shape(("dots", ink), f"M{number(x * WIDTH / 2 + WIDTH / 4)} "
                               f"{number(start * step + 1)}V{number(previous * step + 1 + size)}")
                    start = row
                previous = row

    def write(self, title):
        width, height = self.columns * WIDTH + 2 * MARGIN, self.rows * HEIGHT + 2 * MARGIN
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" '
               f'height="{height}" viewBox="{-MARGIN} {-MARGIN} {number(width)} {height}" '
               f'font-family="{FONTS}" font-size="{SIZE}" fill="{INK}">',
               f"<title>{escape(title)}</title>",
               f'<rect x="{-MARGIN}" y="{-MARGIN}" width="{number(width)}" height="{height}" '
               f'rx="8" fill="{GROUND}"/>']
        for column, row, wide, colour in self.grounds:
            out.append(f'<path fill="{colour}" d="M{number(column * WIDTH)} {row * HEIGHT}'
                       f'h{number(wide * WIDTH)}v{HEIGHT}H{number(column * WIDTH)}z"/>')
        for key, paths in self.shapes.items():
            attributes = {"fill": lambda: f'fill="{key[1]}" fill-opacity="{key[2]}"',
                          "stroke": lambda: f'stroke="{key[1]}" fill="none"',
                          "dots": lambda: f'stroke="{key[1]}" stroke-width="2.4" '
                          f'stroke-dasharray="2.4 {number(HEIGHT / 4 - 2.4)}" fill="none"'}[key[0]]()
            out.append(f'<path {attributes} d="{"".join(paths)}"/>')
        return "\n".join(out + self.texts + ["</svg>\n"])


def add_dots(dots, column, row, code, ink):
    for side, bits in enumerate(BRAILLE):
        for i, bit in enumerate(bits):
            if code - 0x2800 & bit:
                dots.setdefault((ink, 2 * column + side), []).append(4 * row + i)


def draw(screen, columns, title):
    """Returns the picture of a screen with this many columns; empty lines at its end are left out."""
    lines = screen.rstrip("\n").split("\n")
    picture, dots = Picture(columns, len(lines)), {}
    state = Style()  # continues from line to line
    for row, line in enumerate(lines):
        picture.add_row(row, line, state, dots)
    picture.add_dots(dots)
    return picture.write(title)
