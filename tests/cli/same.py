"""A field has the same value in every query.

same.py TT_SMI ROOT [KEY...]: every field (or only these) is queried alone, together with all
others, and looked up in the JSON document. All three values must agree, and so must the exit codes.

Reads have deadlines, so on a busy machine a value may be missing in one output. Fields that
differ are therefore queried again: if the difference is a defect, it occurs every time.
"""
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
import fields  # noqa: E402

tt_smi, root, *chosen = sys.argv[1:]
UNITS = {
    unit: (eval(scale), int(digits))
    for unit, scale, digits in re.findall(
        r'\[(U_\w+)\] = \{ "[^"]*", (?:NULL|"[^"]*"), ([^,]+), (\d+)\b',
        (fields.SOURCE / "model/field.c").read_text(encoding="utf-8"),
    )
}
ATTEMPTS = 10
pool = concurrent.futures.ThreadPoolExecutor(4)  # a query that needs two samples takes a third of a second
failures = {}  # by query and key


def run(*arguments):
    done = subprocess.run([tt_smi, "--root", root, *arguments], capture_output=True, text=True, check=False,
                          env=dict(os.environ, TZ="UTC"))
    return done.stdout, done.returncode


def ask(query, keys):
    out, code = run(f"--{query}=" + ",".join(keys), "--format=csv,noheader,nounits")
    return list(csv.reader(io.StringIO(out), skipinitialspace=True)), code


def differ(query, key, what, one, other):
    if one != other:
        failures[query, key] = f"{root}: --{query}={key}: {one} alone, {other} {what}"


def at(node, path):
    for name in path.split("."):
        node = node[name]
    return node


LOWER = ("memory.used", "memory.trace", "memory.l1.used", "memory.l1.small", "memory.l1.circular_buffers",
         "utilization.memory")
UPPER = ("memory.free", "memory.l1.free")


def bound_of(field, row):
    """What a figure is if it is not complete, by other members of the JSON object: "lower" or "upper"."""
    if field.json == "utilization.dispatch":
        return row["utilization"]["bound"]
    if "memory" in row:
        incomplete = row["memory"]["complete"] is False
        return "lower" if incomplete and field.json in LOWER else "upper" if incomplete and field.json in UPPER else None
    return "lower" if row.get("exact") is False and field.unit == "U_BYTE" else None


def close(text, field, value, bound):
    """Is the text of a CSV cell what the JSON document says? A bound is rounded so that it stays true."""
    if value is None:
        return text == "[N/A]"
    if field.kind in ("K_STRING", "K_TEXT", "K_ENUM", "K_HEX64", "K_HEX16"):
        return text == str(value)
    if field.kind == "K_BOOL":
        return text == ("yes" if value else "no")
    if field.unit == "U_TIME":
        return text == time.strftime("%Y/%m/%d %H:%M:%S", time.gmtime(value))
    scale, digits = UNITS[field.unit]
    if text == "[N/A]":
        return False
    above = (float(text) - value / scale) * 10**digits
    if digits == 0 and bound in ("lower", "upper"):
        return -1 < above < 1e-6 if bound == "lower" else -1e-6 < above < 1
    return abs(above) <= 0.500001


def compare(query, table, rows, asked):
    """table: (field, function from a JSON row to the object it is in). asked: fields to compare; None: all."""
    keys = [field.key for field, _ in table]
    together, code = ask(query, keys)
    differ(query, "(all)", "rows in JSON", len(together), len(rows))
    columns = [
        column for column, key in enumerate(keys)
        if (asked is None or (query, key) in asked) and (not chosen or key in chosen)
    ]
    answers = pool.map(lambda column: ask(query, [keys[column]]), columns)
    for column, (alone, alone_code) in zip(columns, answers):
        field, find = table[column]
        alone = [row[0] if row else "" for row in alone]
        differ(query, field.key, "with all others", alone, [row[column] for row in together])
        differ(query, field.key, "is the exit code with all others", alone_code, code)
        if not field.json or len(alone) != len(rows):
            continue
        for text, row in zip(alone, rows):
            value = at(find(row), field.json)
            if not close(text, field, value, bound_of(field, find(row))):
                failures[query, field.key] = f"{root}: --{query}={field.key}: {text} alone, {value!r} in JSON"


def compare_all(asked):
    document, code = run("--json")
    document = json.loads(document)
    devices = fields.device_fields()
    compare(
        "query-gpu",
        [(field, lambda device: device) for field in devices]
        + [(field, lambda _: document["host"]) for field in fields.host_fields()],
        document["devices"],
        asked,
    )
    differ("query-gpu", "(exit code)", "is the exit code of JSON", ask("query-gpu", ["index"])[1], code)

    by_id = {str(device["id"]): device for device in document["devices"]}
    processes = fields.process_fields()
    usages = fields.usage_fields()
    taken = {name for field in processes + usages for name in [field.key, *field.aliases]}
    compare(
        "query-compute-apps",
        [(field, lambda row: row[0]) for field in processes]
        + [(field, lambda row: row[1]) for field in usages]
        + [(field, lambda row: by_id[str(row[1]["id"])]) for field in devices if field.key not in taken],
        [(process, usage) for process in document["processes"] for usage in process["devices"]],
        asked,
    )


compare_all(None)
for _ in range(ATTEMPTS):
    if not failures:
        break
    again = None if any(key == "(all)" for _, key in failures) else set(failures)
    failures.clear()
    compare_all(again)
print("\n".join(failures.values()))
sys.exit(bool(failures))
