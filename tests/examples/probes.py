"""Checks and runs the probes of a Kubernetes manifest.

    probes.py MANIFEST check    checks that pods and probes can have its fields
    probes.py MANIFEST compare  standard input: the manifest as kubectl has parsed it; nothing may be missing
    probes.py MANIFEST run      runs the probes like a kubelet; prints "NAME success" or "NAME failure"
"""

import json
import subprocess
import sys

import jsonschema
import yaml


def closed(required, **properties):
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


COUNT = {"type": "integer", "minimum": 1}
WORDS = {"type": "array", "minItems": 1, "items": {"type": "string"}}
PROBE = closed(["exec"], exec=closed(["command"], command=WORDS), periodSeconds=COUNT, timeoutSeconds=COUNT,
               failureThreshold=COUNT, successThreshold=COUNT, initialDelaySeconds={"type": "integer", "minimum": 0})
KINDS = ["startupProbe", "livenessProbe", "readinessProbe"]
CONTAINER = closed(["name", "image", *KINDS], name={"type": "string"}, image={"type": "string"},
                   resources=closed([], limits={"type": "object"}), **{kind: PROBE for kind in KINDS})
POD = closed(["apiVersion", "kind", "metadata", "spec"], apiVersion={"const": "v1"}, kind={"const": "Pod"},
             metadata=closed(["name"], name={"type": "string"}),
             spec=closed(["containers"], containers={"type": "array", "minItems": 1, "items": CONTAINER}))


def contained(part, whole, path=""):
    """Does `whole` contain everything of `part`?"""
    if isinstance(part, dict):
        for key, value in part.items():
            assert key in whole, f"{path}.{key} is unknown"
            contained(value, whole[key], f"{path}.{key}")
    elif isinstance(part, list):
        assert len(part) == len(whole), path
        for i, value in enumerate(part):
            contained(value, whole[i], f"{path}[{i}]")
    else:
        assert str(part) == str(whole), f"{path} is {whole}"


def run(container):
    for kind in KINDS:
        probe = container[kind]
        done = subprocess.run(probe["exec"]["command"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        print(kind, "failure" if done.returncode else "success")


with open(sys.argv[1]) as file:
    manifest = yaml.safe_load(file)
if sys.argv[2] == "check":
    jsonschema.Draft202012Validator(POD).validate(manifest)
elif sys.argv[2] == "compare":
    contained(manifest, json.load(sys.stdin))
else:
    run(manifest["spec"]["containers"][0])
