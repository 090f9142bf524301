"""docs/mem-schema.json is generated from the field tables, so that both agree.

    schema.py          fails if the file differs from the tables
    schema.py --write  writes the file
    schema.py --check  validates the documents on standard input, one per line
"""

import importlib.util
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
FILE = HERE.parents[1] / "docs" / "mem-schema.json"

# The generator of docs/schema.json has the parts that both schemas share.
sys.path.insert(0, str(HERE.parent / "docs"))
spec = importlib.util.spec_from_file_location("main_schema", HERE.parent / "docs" / "schema.py")
main_schema = importlib.util.module_from_spec(spec)
spec.loader.exec_module(main_schema)
import fields  # noqa: E402

add, array, new_object = main_schema.add, main_schema.array, main_schema.new_object

BYTES = {"description": "[byte]", "type": "integer", "minimum": 0}
BYTES_OR_NULL = {"description": "[byte]", "type": ["integer", "null"], "minimum": 0}


def allocation():
    schema = new_object("a live allocation")
    add(schema, "pool", {"enum": fields.names("model/pool.c", "names")})
    add(schema, "id", {"description": "address or number, as the program reports it", "type": "integer", "minimum": 0})
    add(schema, "size", BYTES)
    add(schema, "age", {"description": "[second]", "type": ["number", "null"], "minimum": 0})
    return schema


def growth():
    schema = new_object("change of DRAM and L1 while the monitor was running, over at most ten minutes")
    add(schema, "trend", {"enum": fields.names("model/growth.c", "names")})
    add(schema, "seconds", {"description": "time between the first and the last sample [second]", "type": "number", "minimum": 0})
    add(schema, "bytes", {"description": "change from the first to the last sample [byte]", "type": ["integer", "null"]})
    add(schema, "frees", {"description": "frees in that time; null: not reported", "type": ["integer", "null"], "minimum": 0})
    return schema


def memory_fields():
    return [field for field in fields.usage_fields() if not field.json.startswith("utilization.")]


def process(units, choices):
    schema = new_object("a process on this device")
    add(schema, "pid", {"type": "integer", "minimum": 1})
    for key in "name", "program", "user":
        add(schema, key, {"type": ["string", "null"]})
    add(schema, "role", {"enum": choices["PROC_ROLE"]})
    main_schema.add_fields(schema, memory_fields(), units, choices)
    add(schema, "growth", growth())
    add(schema, "list", {"description": "its allocations, in no order; null: see list_unavailable", "type": ["array", "null"], "items": {"$ref": "#/$defs/allocation"}})
    add(schema, "list_complete", {"description": "false: some allocations are missing from the list", "type": ["boolean", "null"]})
    add(schema, "list_unavailable", {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/reason"}]})
    add(schema, "unavailable", main_schema.reasons(memory_fields()))
    return schema


def device(units, choices):
    table = [field for field in fields.device_fields() if (field.json or "").startswith("memory.")]
    schema = new_object("one chip")
    add(schema, "id", {"$ref": "#/$defs/device_id"})
    for key in "name", "board", "bdf", "state":
        add(schema, key, {"type": ["string", "null"]})
    main_schema.add_fields(schema, table, units, choices)
    watched = add(schema, "watched", new_object("values that depend on the samples of this monitor"))
    for key in "dram", "l1":
        pool = add(watched, key, new_object())
        add(pool, "peak", {**BYTES_OR_NULL, "description": "the highest value that the monitor saw, or that a process reports as its peak [byte]"})
        add(pool, "change", {"description": "change since its first sample [byte]", "type": ["integer", "null"]})
    point = {"type": "array", "minItems": 3, "maxItems": 3, "prefixItems": [{"type": "number", "minimum": 0}, BYTES_OR_NULL, BYTES_OR_NULL]}
    add(schema, "history", array(point, "a point for each second with a sample, for at most ten minutes: seconds before this sample, DRAM, L1"))
    add(schema, "processes", array({"$ref": "#/$defs/process"}, "in the order of their pids"))
    add(schema, "unavailable", main_schema.reasons(table))
    return schema


def document():
    units, choices = fields.unit_names(), main_schema.enums()
    whole = json.loads(main_schema.document())
    schema = {
        "$schema": whole["$schema"],
        "title": "tt_smi mem --json",
        "description": whole["description"],
    }
    top = new_object()
    add(top, "schema", {"const": "tt-smi-mem"})
    for key in "schema_version", "version", "timestamp", "simulated", "recorded", "server":
        add(top, key, whole["properties"][key])
    add(top, "devices", array({"$ref": "#/$defs/device"}, whole["properties"]["devices"]["description"]))
    add(top, "errors", whole["properties"]["errors"])
    schema.update(top)
    schema["$defs"] = {
        "device_id": whole["$defs"]["device_id"],
        "reason": whole["$defs"]["reason"],
        "device": device(units, choices),
        "process": process(units, choices),
        "allocation": allocation(),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def check(lines):
    import jsonschema

    validator = jsonschema.Draft202012Validator(json.loads(FILE.read_text(encoding="utf-8")))
    count = 0
    for count, line in enumerate(lines, 1):
        for error in validator.iter_errors(json.loads(line)):
            sys.exit(f"{error.json_path}: {error.message}"[:500])
    if not count:
        sys.exit("no document")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(document(), encoding="utf-8")
    elif sys.argv[1:] == ["--check"]:
        check(sys.stdin)
    elif FILE.read_text(encoding="utf-8") != document():
        sys.exit("docs/mem-schema.json is not what src says: run tests/mem/schema.py --write and read the difference")
