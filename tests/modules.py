#!/usr/bin/env python3
"""Checks the sources: no include cycles between modules, and no struct tag that is defined twice.

    modules.py TOP

A module is a header and the .c file of the same name.
"""

import pathlib
import re
import sys

FOLDERS = ("src", "sim", "include")


def sources(top):
    for folder in FOLDERS:
        for path in sorted((top / folder).rglob("*.[ch]")):
            yield path, path.read_text(encoding="utf-8")


def modules(top):
    """{module: modules that it includes}. In sim/ and include/, #include lines have no folder."""
    graph = {}
    for path, text in sources(top):
        base = top / ("src" if path.is_relative_to(top / "src") else path.parent)
        name = str(path.relative_to(base).with_suffix(""))
        known = graph.setdefault((base, name), set())
        for other in re.findall(r'^#include "(.+)\.h"', text, re.MULTILINE):
            if other != name:
                known.add((base, other))
    return graph


def cycles(graph):
    """Groups of modules that reach each other (Tarjan's strongly connected components)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if at < len(stack) - 1:
                found.append(sorted(name for _, name in stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def tags(top):
    """{tag: files that define it}"""
    places = {}
    for path, text in sources(top):
        for tag in re.findall(r"^\s*(?:typedef )?((?:struct|enum|union) \w+)\s*\{", text, re.MULTILINE):
            places.setdefault(tag, []).append(str(path.relative_to(top)))
    return {tag: files for tag, files in places.items() if len(files) > 1}


def main():
    top = pathlib.Path(sys.argv[1])
    sys.setrecursionlimit(10000)
    graph, double = modules(top), tags(top)
    wrong = []
    if len(graph) < 100:
        wrong.append(f"only {len(graph)} modules found")
    for group in cycles(graph):
        wrong.append("include each other: " + " ".join(group))
    for tag, files in sorted(double.items()):
        wrong.append(f"{tag} is defined in {', '.join(files)}")
    print("\n".join(wrong))
    return bool(wrong)


sys.exit(main())
