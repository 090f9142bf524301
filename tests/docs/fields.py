"""Parses tables of src/ whose content documents repeat: fields, reasons, options.

The sources stay the only place where these are defined. A line that cannot be parsed
is an error, so that no field is missed.
"""

import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src"

STRING = r'(NULL|"(?:[^"\\]|\\.)*")'
LINE = re.compile(
    r"\[(?P<id>(?:DEV|PROC|USE|HOST)_\w+)\]\s*=\s*\{\s*"
    + r"\s*,\s*".join([STRING] * 6)
    + r"\s*,\s*(?P<kind>K_\w+)\s*,\s*(?P<unit>U_\w+)\s*,"
)
COUNTER = re.compile(r'\bX\(\d+, "(\w+)"\)')
# A line of the fields that devices and processes share; its section is a parameter.
SHARED = re.compile(
    r"\[\(first\) \+ UTIL_(?P<id>\w+)\]\s*=\s*\{\s*"
    + r"\s*,\s*".join([STRING] * 3 + ["section"] + [STRING] * 2)
    + r"\s*,\s*(?P<kind>K_\w+)\s*,\s*(?P<unit>U_\w+)\s*,"
)
COUNTER_HELP = re.compile(r'"(data flits[^"]*)"')


class Field:
    def __init__(self, id, key, aliases, json, help, kind, unit):
        self.id, self.key, self.json = id, key, json
        self.aliases = aliases.split() if aliases else []
        self.help, self.kind, self.unit = help, kind, unit


def text(token):
    return None if token == "NULL" else token[1:-1].replace('\\"', '"')


def shared_fields(prefix):
    """The fields of the macro UTILIZATION_DETAILS, which devices and processes share."""
    source = (SOURCE / "model/utilization.h").read_text(encoding="utf-8").replace("\\\n", "\n")
    fields = []
    for match in SHARED.finditer(source):
        key, aliases, json, _label, help = map(text, match.groups()[1:6])
        fields.append(Field(prefix + match["id"], key, aliases, json, help, match["kind"], match["unit"]))
    assert len(fields) == len(re.findall(r"\[\(first\)", source)) > 0
    return fields


def read_table(path, prefix):
    """The fields of one table, in its order."""
    source = (SOURCE / path).read_text(encoding="utf-8")
    fields = []
    for match in LINE.finditer(source):
        if match["id"].startswith(prefix):
            key, aliases, json, _section, _label, help = map(text, match.groups()[1:7])
            fields.append(
                (match.start(), Field(match["id"], key, aliases, json, help, match["kind"], match["unit"]))
            )
    if prefix == "DEV_":
        # One line of the table stands for the twelve counters.
        at = source.index("DEVICE_EACH_COUNTER(COUNTER)")
        help = COUNTER_HELP.search(source)[1]
        for name in COUNTER.findall((SOURCE / "model/device.h").read_text(encoding="utf-8")):
            at += 1
            field = Field("DEV_COUNTER", "pcie.counter." + name, None, "pci.counters." + name, help, "K_U32", "U_NONE")
            fields.append((at, field))
    shared = source.find("UTILIZATION_DETAILS(" + prefix)
    if shared >= 0:
        fields += [(shared + i, field) for i, field in enumerate(shared_fields(prefix))]
    written = len(re.findall(r"\[(?!\w+_N_FIELDS)%s\w+\]\s*=\s*\{" % prefix, source))
    read = sum(field.id != "DEV_COUNTER" for _, field in fields) - (len(shared_fields(prefix)) if shared >= 0 else 0)
    assert fields and read == written, f"{path}: {written} lines of {prefix}, {read} understood"
    return [field for _, field in sorted(fields, key=lambda pair: pair[0])]


def device_fields():
    return read_table("model/device_fields.c", "DEV_")


def process_fields():
    return read_table("model/process_fields.c", "PROC_")


def usage_fields():
    return read_table("model/process_fields.c", "USE_")


def host_fields():
    return read_table("model/snapshot.c", "HOST_")


def reason_codes():
    source = (SOURCE / "model/reason.c").read_text(encoding="utf-8")
    faults = (SOURCE / "basic/trace_fault.h").read_text(encoding="utf-8")
    faults = re.findall(r'\bFAULT\(\w+, "[\w-]+", "(\w+)", "', faults)
    states = (SOURCE / "basic/dispatch_state.h").read_text(encoding="utf-8")
    states = re.findall(r'\bX\(\w+, "[\w-]+", "(\w+)", "', states)
    codes = re.findall(r'\[[A-Z_]+\] = \{ "(\w+)", "', source) + faults + states
    assert "known" in codes and len(codes) > 10 and "trace_mesh" in faults and "no_records" in states
    return [code for code in codes if code != "known"]


def unit_names():
    """{U_…: name of the base unit, or None}"""
    source = (SOURCE / "model/field.c").read_text(encoding="utf-8")
    units = dict(re.findall(r'\[(U_\w+)\] = \{ "([^"]*)"', source))
    assert units["U_BYTE"] == "byte"
    return {unit: name or None for unit, name in units.items()}


def names(path, array):
    """The strings in the initialiser of an array."""
    source = (SOURCE / path).read_text(encoding="utf-8")
    body = re.search(r"\b%s\[\w*\] = \{(.*?)\};" % array, source, re.S)[1]
    return re.findall(r'"([^"]*)"', body)
