"""Checks that a JSON document agrees with the files of the machine, is complete and consistent.

check_json.py [--schema SCHEMA] FILE[=ROOT]...: FILE holds the output of --json, one
document per line or one document in all. With ROOT its values are compared with the
driver's files below it, which this script parses independently of tt_smi.
"""
import json
import os
import re
import sys

# Fields of the driver's files: path, divisor, least and greatest plausible value.
NUMBERS = {
    "temperature": ("hwmon/temp1_input", 1000, -40, 150),
    "temperature_limit": ("hwmon/temp1_max", 1000, -40, 150),
    "power": ("hwmon/power1_input", 1000000, 0, 1000),
    "power_limit": ("hwmon/power1_max", 1000000, 0, 1000),
    "voltage": ("hwmon/in0_input", 1000, 0, 2),
    "voltage_limit": ("hwmon/in0_max", 1000, 0, 2),
    "current": ("hwmon/curr1_input", 1000, 0, 2000),
    "current_limit": ("hwmon/curr1_max", 1000, 0, 2000),
    "clocks.ai": ("tt_aiclk", 1e-6, 0, 1e10),
    "clocks.axi": ("tt_axiclk", 1e-6, 0, 1e10),
    "clocks.arc": ("tt_arcclk", 1e-6, 0, 1e10),
    "fan.rpm": ("hwmon/fan1_input", 1, 0, 20000),
    "heartbeat.value": ("tt_heartbeat", 1, 0, 2**32 - 2),
    "thermal_trips": ("tt_therm_trip_count", 1, 0, 2**32 - 2),
    "pci.numa_node": ("device/numa_node", 1, -1, 65535),
    "pci.link.width": ("device/current_link_width", 1, 1, 32),
    "pci.link.width_max": ("device/max_link_width", 1, 1, 32),
}
TEXTS = {
    "serial": ("tt_serial", "FFFFFFFFFFFFFFFF"),
    "asic_id": ("tt_asic_id", "FFFFFFFFFFFFFFFF"),
    "firmware.bundle": ("tt_fw_bundle_ver", "255.255.255.255"),
    "firmware.dm_app": ("tt_m3app_fw_ver", "255.255.255.255"),
    "firmware.dm_bl": ("tt_m3bl_fw_ver", "255.255.255.255"),
    "firmware.cm": ("tt_arc_fw_ver", "255.255.255.255"),
    "firmware.eth": ("tt_eth_fw_ver", "255.15.4095"),
    "firmware.tt_flash": ("tt_ttflash_ver", "255.255.255.255"),
    "pci.vendor_id": ("device/vendor", ""),
    "pci.device_id": ("device/device", ""),
    "pci.subsystem_vendor_id": ("device/subsystem_vendor", ""),
    "pci.subsystem_device_id": ("device/subsystem_device", ""),
}
# DRAM by the code of the board, in units of 1/8 GiB.
DRAM = {0x14: 96, 0x18: 96, 0x35: 96, 0x36: None, 0x40: 255, 0x41: 255, 0x42: 255, 0x43: 223.125,
        0x44: 255, 0x45: 255, 0x46: 255, 0x47: 255}
GENERATIONS = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5}


class Wrong(Exception):
    pass


def expect(have, want, what):
    same = have == want if not isinstance(want, float) else (
        have is not None and abs(have - want) <= 1e-9 * max(1, abs(want)))
    if not same or isinstance(have, bool) != isinstance(want, bool):
        raise Wrong(f"{what}: {have!r}, not {want!r}")


def leaves(value, path=""):
    """Paths and values of an object, without its lists and its reasons."""
    for key, item in value.items():
        where = f"{path}.{key}" if path else key
        if isinstance(item, dict) and key != "unavailable":
            yield from leaves(item, where)
        elif not isinstance(item, (dict, list)):
            yield where, item


def check_reasons(value, what):
    nulls = {path for path, item in leaves(value) if item is None}
    reasons = value["unavailable"]
    expect(set(reasons), nulls, f"{what}: unavailable")
    for path, reason in reasons.items():
        if not re.fullmatch("[a-z_]+", reason) or reason in ("known", "not_asked"):
            raise Wrong(f"{what}: {path} is not known because of {reason}")


def check_pool(memory, parts, what):
    used, total, free = memory["used"], memory["total"], memory["free"]
    known = [part for part in parts if part is not None]
    if used is not None:
        expect(sum(known), used, f"{what}: sum of the processes")
        if total is not None and not 0 <= used <= total:
            raise Wrong(f"{what}: {used} used of {total}")
    if None not in (used, total):
        expect(free, total - used, f"{what}: free")


def check_device(document, device):
    what = f"device {device['id']}"
    check_reasons(device, what)
    usages = {process["pid"]: usage for process in document["processes"]
              for usage in process["devices"] if usage["id"] == device["id"]}
    expect([p["pid"] for p in device["processes"]], sorted(usages), f"{what}: processes")
    for short in device["processes"]:
        expect(short["memory"], usages[short["pid"]]["dram"], f"{what}: memory of {short['pid']}")
        process = next(p for p in document["processes"] if p["pid"] == short["pid"])
        expect(short["name"], process["name"], f"{what}: name of {short['pid']}")
    if device["process_count"] is not None:
        expect(device["process_count"], len(usages), f"{what}: process_count")
    memory = device["memory"]
    check_pool(memory, [u["dram"] for u in usages.values()], f"{what}: DRAM")
    check_pool(memory["l1"], [u["l1"] for u in usages.values()], f"{what}: L1")
    if memory["used"] is not None:
        expect(memory["trace"], sum(u["trace"] or 0 for u in usages.values()), f"{what}: trace")
        jobs = [process["pid"] for process in document["processes"] if process["role"] == "job"]
        complete = all(usage["dram"] is not None for pid, usage in usages.items() if pid in jobs)
        if memory["complete"] and not complete:
            raise Wrong(f"{what}: complete, but not all jobs are tracked")
        if memory["trace"] > memory["used"] or memory["l1"]["small"] > memory["l1"]["used"]:
            raise Wrong(f"{what}: a part is larger than the whole")
        if memory["total"]:
            expect(device["utilization"]["memory"], float(memory["used"] / memory["total"]),
                   f"{what}: utilization.memory")
    if device["temperature"] is not None and device["temperature_limit"] is not None:
        expect(device["temperature_headroom"],
               float(device["temperature_limit"] - device["temperature"]), f"{what}: headroom")
    for leftover in device["leftovers"]:
        expect(set(leftover), {"ns_pid", "name", "dram", "l1", "reason"}, f"{what}: leftover")


def check_document(document):
    expect(document["schema"], "tt-smi", "schema")
    expect(document["schema_version"], 1, "schema_version")
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", document["timestamp"]):
        raise Wrong(f"timestamp {document['timestamp']}")
    ids = [device["id"] for device in document["devices"]]
    # Sorted by number, a chip without PCIe after its gateway; then cards that have only an address.
    order = [(1, 0, i) if ":" in str(i) else (0, int(str(i).rstrip("R")), str(i)) for i in ids]
    expect(order, sorted(order), "order of the devices")
    pids = [process["pid"] for process in document["processes"]]
    expect(pids, sorted(set(pids)), "order of the processes")
    for device in document["devices"]:
        check_device(document, device)
    for process in document["processes"]:
        check_reasons(process, f"process {process['pid']}")
        for usage in process["devices"]:
            check_reasons(usage, f"process {process['pid']} on {usage['id']}")
            if usage["id"] not in ids:
                raise Wrong(f"process {process['pid']} on a device {usage['id']} that is not there")
    for error in document["errors"]:
        expect(set(error), {"source", "message"}, "errors")


def slurp(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


class Device:
    def __init__(self, root, index):
        self.path = f"{root}/sys/class/tenstorrent/tenstorrent!{index}"
        hwmon = f"{self.path}/device/hwmon"
        names = sorted(os.listdir(hwmon)) if os.path.isdir(hwmon) else []
        self.hwmon = f"{hwmon}/{names[0]}" if names else f"{hwmon}/none"

    def text(self, name):
        """The one line of a file, None if there is no such file or no such line."""
        path = f"{self.hwmon}/{name[6:]}" if name.startswith("hwmon/") else f"{self.path}/{name}"
        text = slurp(path)
        if text is None or text.count("\n") != 1 or not text.endswith("\n"):
            return None
        return text[:-1]


def pick(value, path):
    for key in path.split("."):
        value = value[key]
    return value


def check_unserved(device, root, what):
    """Checks a card that is on the bus, bound to no driver or to another one."""
    path = f"{root}/sys/bus/pci/devices/{device['id']}"
    expect(slurp(f"{path}/vendor"), "0x1e52\n", what)
    expect(device["pci"]["bus_id"], device["id"], what)
    driver = os.path.basename(os.readlink(f"{path}/driver")) if os.path.lexists(f"{path}/driver") else None
    if driver == "tenstorrent":
        raise Wrong(f"{what}: bound to its driver")
    expect(device["state"], "other driver" if driver else "no driver", what)
    expect(device["health"], f"bound to {driver}" if driver else "no driver", what)


def check_files(document, root):
    found = {}
    for name in os.listdir(f"{root}/sys/class/tenstorrent"):
        match = re.fullmatch("tenstorrent!(0|[1-9][0-9]{0,3})", name)
        if match:
            found[int(match[1])] = Device(root, int(match[1]))
    expect([d["id"] for d in document["devices"] if isinstance(d["id"], int)], sorted(found),
           "devices")
    expect(document["host"]["driver_version"],
           (slurp(f"{root}/sys/module/tenstorrent/version") or "").strip() or None, "driver")
    for device in document["devices"]:
        what = f"device {device['id']}"
        if isinstance(device["id"], str):
            expect(device["location"]["remote"], device["id"].endswith("R"), what)
            expect(device["temperature"], None, what)
            if ":" in device["id"]:
                check_unserved(device, root, what)
            continue
        files = found[device["id"]]
        for key, (name, divisor, low, high) in NUMBERS.items():
            text = files.text(name)
            value = None
            if text is not None and re.fullmatch("-?[0-9]{1,18}", text):
                value = int(text) / divisor
                if not low <= value <= high:
                    value = None
            expect(pick(device, key), value if value is None else float(value), f"{what}: {key}")
        for key, (name, ones) in TEXTS.items():
            text = files.text(name)
            if text is not None and (text == ones or not re.fullmatch("[0-9A-Fa-fx.]+", text)):
                text = None
            if text is not None and name.endswith("_ver") and not re.fullmatch(
                    r"\d+\.\d+\.\d+(\.\d+)?", text):
                text = None
            expect(pick(device, key), text, f"{what}: {key}")
        for name in ("", "_max"):
            text = files.text(f"device/{'max' if name else 'current'}_link_speed")
            want = GENERATIONS.get(text.split(" ")[0]) if text else None
            expect(device["pci"]["link"]["generation" + name], want, f"{what}: link{name}")
        for name, value in device["pci"].get("counters", {}).items():
            text = files.text(f"pcie_perf_counters/{name}")
            if value is not None or (text and text != "4294967295"):
                expect(value, None if text is None else int(text), f"{what}: {name}")
        link = os.path.basename(os.readlink(f"{files.path}/device"))
        expect(device["pci"]["bus_id"], link if ":" in link else None, f"{what}: bus")
        code = int(files.text("device/subsystem_device") or "0", 16)
        if DRAM.get(code):
            expect(device["memory"]["total"], int(DRAM[code] * 2**27), f"{what}: DRAM")


def load_schema(path):
    import jsonschema
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def check_file(argument, validator):
    path, _, root = argument.partition("=")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not text.endswith("\n"):
        raise Wrong("the last line has no end")
    for line in text.splitlines() if text.startswith("{\"") else [text]:
        document = json.loads(line)
        if validator:
            for error in validator.iter_errors(document):
                raise Wrong(f"schema: {list(error.absolute_path)}: {error.message[:300]}")
        check_document(document)
        if root:
            check_files(document, root)


def main(arguments):
    validator = None
    if arguments[0] == "--schema":
        validator = load_schema(arguments[1])
        arguments = arguments[2:]
    for argument in arguments:
        try:
            check_file(argument, validator)
        except Wrong as wrong:
            sys.exit(f"{argument}: {wrong}")


main(sys.argv[1:])
