"""Validates the JSON documents on standard input, one per line or one in all, against docs/schema.json."""

import json
import pathlib
import sys

import jsonschema

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema.json"


def documents(text):
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        yield document
        while at < len(text) and text[at].isspace():
            at += 1


def nulls(value, path=""):
    """Paths of all nulls below an object, but not inside arrays or the reasons."""
    for key, below in value.items():
        here = path + key
        if below is None:
            yield here
        elif isinstance(below, dict) and key != "unavailable":
            yield from nulls(below, here + ".")


def check_reasons(object, what):
    """Asserts that every null has a reason, and that every reason belongs to a null."""
    missing = set(nulls(object)) ^ set(object["unavailable"])
    if missing:
        sys.exit(f"{what}: null and \"unavailable\" differ: {sorted(missing)}")


schema = json.loads(FILE.read_text(encoding="utf-8"))
validator = jsonschema.Draft202012Validator
validator.check_schema(schema)
count = 0
for document in documents(sys.stdin.read()):
    for error in validator(schema).iter_errors(document):
        sys.exit(f"{error.json_path}: {error.message}")
    check_reasons(document["host"], "host")
    for device in document["devices"]:
        check_reasons(device, f"device {device['id']}")
    for process in document["processes"]:
        check_reasons(process, f"process {process['pid']}")
        for usage in process["devices"]:
            check_reasons(usage, f"process {process['pid']} on {usage['id']}")
    count += 1
if not count:
    sys.exit("no document")
print(count)
