"""The options that a text names, one per line.

    options.py help      `tt_smi --help` on standard input
    options.py docs/options.md, man/tt_smi.1
    options.py man/tt_smi-mem.1 items    only options that have a paragraph of their own
"""

import pathlib
import re
import sys

WORD = r"(--?[A-Za-z][\w-]*)"


def from_help(text):
    for line in text.splitlines():
        match = re.match(rf"(?:  |      ){WORD}(?:, {WORD})?(?:[ \[]|$)", line)
        if match:
            yield from filter(None, match.groups())


def from_manual(text):
    """In mdoc an option is Fl name, or Fl \\-name for a long one."""
    for line in text.splitlines():
        if not re.match(r"\.(It|Fl|Op|Pq|Nm|Ar|Cm)\b", line):
            continue
        for dashes, name in re.findall(r"\bFl ((?:\\-)?)([A-Za-z][\w-]*)", line):
            yield ("--" if dashes else "-") + name
        # "Fl a , b" means both.
        for names in re.findall(r"\bFl ((?:\\-)?[\w-]+(?: , (?:\\-)?[\w-]+)+)", line):
            for name in names.split(" , "):
                if not name.startswith("Fl"):
                    yield "-" + name.replace("\\-", "-")


def from_items(text):
    return from_manual("\n".join(line for line in text.splitlines() if line.startswith(".It Fl")))


def from_readme(text):
    """The first column of the table of options."""
    for line in text.splitlines():
        if line.startswith("| `-"):
            cell = re.split(r"(?<!\\)\|", line)[1]
            yield from re.findall(rf"(?<![\w-]){WORD}", cell)


READERS = {".1": from_manual, ".md": from_readme}

what, part = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
if what == "help":
    found = set(from_help(sys.stdin.read()))
else:
    path = pathlib.Path(what)
    text = path.read_text(encoding="utf-8")
    if part == "items":
        found = set(from_items(text))
    else:
        found = set(READERS[path.suffix](text))
if len(found) < 5:
    sys.exit(f"{what}: only {len(found)} options found: has its form changed?")
print("\n".join(sorted(found)))
