"""docs/schema.json is generated from the field tables, so that both agree.

    schema.py          fails if the file differs from the tables
    schema.py --write  writes the file
"""

import json
import pathlib
import sys

import fields

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema.json"

U32_MAX = 4294967295
KINDS = {
    "K_STRING": {"type": "string"},
    "K_TEXT": {"type": "string"},
    "K_ENUM": {"type": "string"},
    "K_U32": {"type": "integer", "minimum": 0, "maximum": U32_MAX},
    "K_U64": {"type": "integer", "minimum": 0},
    "K_I32": {"type": "integer"},
    "K_DOUBLE": {"type": "number"},
    "K_BOOL": {"type": "boolean"},
    "K_HEX64": {"type": "string", "pattern": "^[0-9A-F]{16}$"},
    "K_HEX16": {"type": "string", "pattern": "^0x[0-9a-f]{4}$"},
    "K_NEVER": {"type": "null"},
}

# Values that are always there, so that null is not allowed.
ALWAYS = {"DEV_NAME", "DEV_ARCHITECTURE", "DEV_STATE", "DEV_HEALTH", "DEV_REMOTE", "PROC_PID", "PROC_HOLDING", "PROC_ROLE",
          "USE_TRACKING"}

DEVICE_ID = {
    "description": "number N of /dev/tenstorrent/N; a text such as \"0R\" for the chip without PCIe behind it, a PCI address for a card that the driver does not serve",
    "oneOf": [
        {"type": "integer", "minimum": 0, "maximum": 9999},
        {"type": "string", "pattern": "^[0-9]+R$"},
        {"type": "string", "pattern": "^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]$"},
    ],
}


def enums():
    return {
        "DEV_NAME": fields.names("model/board.c", "arch_names"),
        "DEV_ARCHITECTURE": fields.names("model/board.c", "arch_identifiers"),
        "DEV_STATE": fields.names("model/device_state.c", "device_state_names"),
        "PROC_STATE": fields.names("model/process.c", "process_state_names"),
        "PROC_HOLDING": fields.names("model/process.c", "holding_names"),
        "PROC_ROLE": fields.names("model/role.c", "role_names"),
        "USE_TRACKING": fields.names("model/process.c", "tracking_names"),
        "DEV_BOUND": fields.names("model/utilization.c", "utilization_bounds"),
        "USE_BOUND": fields.names("model/utilization.c", "utilization_bounds"),
    }


def value(field, units, choices):
    schema = dict(KINDS[field.kind])
    unit = units[field.unit]
    if field.id in choices:
        schema["enum"] = list(choices[field.id])
    if field.id not in ALWAYS and field.kind != "K_NEVER":
        schema["type"] = [schema["type"], "null"]
        if "enum" in schema:
            schema["enum"].append(None)
    return {"description": field.help + (f" [{unit}]" if unit else ""), **schema}


def new_object(description=None):
    schema = {"description": description} if description else {}
    return {**schema, "type": "object", "additionalProperties": False, "required": [], "properties": {}}


def add(schema, key, property):
    schema["required"].append(key)
    schema["properties"][key] = property
    return property


def add_fields(schema, table, units, choices):
    for field in table:
        if field.json is None or field.json == "id":
            continue
        *groups, key = field.json.split(".")
        at = schema
        for group in groups:
            at = at["properties"].get(group) or add(at, group, new_object())
        add(at, key, value(field, units, choices))


def reasons(table):
    return {
        "description": "the reason for each value of this object that is null; a key is the path of the value in this object",
        "type": "object",
        "propertyNames": {"enum": [field.json for field in table if field.json and field.id not in ALWAYS and field.json != "id"]},
        "additionalProperties": {"$ref": "#/$defs/reason"},
    }


def array(items, description):
    return {"description": description, "type": "array", "items": items}


def device(units, choices):
    table = fields.device_fields()
    schema = new_object("one chip")
    add(schema, "id", {"$ref": "#/$defs/device_id"})
    add_fields(schema, table, units, choices)
    add(schema, "unseen_holders", {"description": "how often processes that are not visible have it open", "type": "integer", "minimum": 0})
    add(schema, "lost_openers", {"description": "the part of unseen_holders whose opener has exited; the others are outside the pid namespace of tt_smi",
                                 "type": "integer", "minimum": 0})
    short = new_object()
    add(short, "pid", {"type": "integer", "minimum": 1})
    add(short, "name", {"type": ["string", "null"]})
    add(short, "memory", {"description": "DRAM on this device [byte]", "type": ["integer", "null"], "minimum": 0})
    add(schema, "processes", array(short, "the processes that have it open, with the main values; /processes has all of them"))
    left = new_object()
    add(left, "ns_pid", {"description": "process id in the pid namespace of the process that wrote it", "type": "integer"})
    add(left, "name", {"type": "string"})
    add(left, "dram", {"description": "[byte]", "type": "integer", "minimum": 0})
    add(left, "l1", {"description": "[byte]", "type": "integer", "minimum": 0})
    add(left, "reason", {"$ref": "#/$defs/reason"})
    add(schema, "leftovers", array(left, "figures in TT-Metal's file of processes that have exited or are not visible; they are not counted"))
    add(schema, "unavailable", reasons(table))
    return schema


def usage(units, choices):
    table = fields.usage_fields()
    schema = new_object("a process on a device")
    add(schema, "id", {"$ref": "#/$defs/device_id"})
    add_fields(schema, table, units, choices)
    add(schema, "unavailable", reasons(table))
    return schema


def process(units, choices):
    table = fields.process_fields()
    schema = new_object("one process that has devices open")
    add_fields(schema, table, units, choices)
    add(schema, "ns_pids", array({"type": "integer"}, "its process ids, from the outermost pid namespace to its own; empty: unknown"))
    add(schema, "devices", array({"$ref": "#/$defs/usage"}, "the devices it has open"))
    add(schema, "unavailable", reasons(table))
    return schema


def unit_table(units):
    schema = new_object("the base unit of each kind of number, and of single values by their path")
    for what, unit in [
        ("temperature", "U_CELSIUS"), ("power", "U_WATT"), ("voltage", "U_VOLT"), ("current", "U_AMPERE"),
        ("clocks", "U_HERTZ"), ("fan", "U_RPM"), ("memory", "U_BYTE"), ("rate", "U_BYTE_RATE"),
        ("utilization", "U_RATIO"), ("cpu", "U_RATIO"), ("elapsed", "U_SECOND"),
        ("fan.ratio", "U_RATIO"), ("heartbeat.uptime", "U_SECOND"), ("quiet", "U_SECOND"),
        ("dirty_time", "U_TIME"), ("start_time", "U_TIME"),
        ("utilization.dram_read", "U_BYTE_RATE"), ("utilization.dram_write", "U_BYTE_RATE"),
        ("utilization.programs", "U_PER_SECOND"), ("utilization.running", "U_SECOND"),
        ("utilization.last_program", "U_SECOND"),
    ]:
        add(schema, what, {"const": units[unit]})
    return schema


def document():
    units, choices = fields.unit_names(), enums()
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tt_smi --json",
        "description": "One sample. Numbers are in base units; an unknown value is null, and \"unavailable\" has its reason. "
        "schema_version increases when a key changes or is removed, not when one is added.",
    }
    top = new_object()
    add(top, "schema", {"const": "tt-smi"})
    add(top, "schema_version", {"const": 1})
    add(top, "version", {"description": "version of tt_smi", "type": "string"})
    add(top, "timestamp", {"description": "UTC", "type": "string", "pattern": "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$"})
    add(top, "simulated", {"description": "true: a simulated machine (tt_smi sim)", "type": "boolean"})
    add(top, "recorded", {"description": "true: read from a recorded machine", "type": "boolean"})
    add(top, "units", unit_table(units))
    host = add(top, "host", new_object())
    add_fields(host, fields.host_fields(), units, choices)
    add(host, "unavailable", reasons(fields.host_fields()))
    server = add(top, "server", new_object("the allocation server"))
    add(server, "running", {"description": "true: it has answered", "type": "boolean"})
    add(server, "pid", {"type": ["integer", "null"], "minimum": 1})
    add(top, "devices", array({"$ref": "#/$defs/device"}, "in the order of their indices; a chip without PCIe follows the chip through which it is reached"))
    add(top, "processes", array({"$ref": "#/$defs/process"}, "in the order of their pids"))
    error = new_object()
    add(error, "source", {"type": "string"})
    add(error, "message", {"type": "string"})
    add(top, "errors", array(error, "what failed while the sample was taken"))
    schema.update(top)
    schema["$defs"] = {
        "device_id": DEVICE_ID,
        "reason": {"description": "why a value is unknown", "enum": fields.reason_codes()},
        "device": device(units, choices),
        "process": process(units, choices),
        "usage": usage(units, choices),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(document(), encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != document():
        sys.exit("docs/schema.json is not what src/model says: run tests/docs/schema.py --write and read the difference")
