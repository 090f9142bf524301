"""A strict reader of the snapshot of the vendor's tt-smi.

check_vendor.py FILE[=JSON]...: FILE is the output of -s; with JSON, that of --json of
the same machine, the two must agree.
"""
import json
import re
import sys

BLACKHOLE = """BOARD_ID_HIGH BOARD_ID_LOW ASIC_ID HARVESTING_STATE UPDATE_TELEM_SPEED VCORE TDP TDC
VDD_LIMITS THM_LIMIT_SHUTDOWN ASIC_TEMPERATURE VREG_TEMPERATURE BOARD_TEMPERATURE AICLK AXICLK ARCCLK
L2CPUCLK0 L2CPUCLK1 L2CPUCLK2 L2CPUCLK3 ETH_LIVE_STATUS DDR_STATUS DDR_SPEED ETH_FW_VERSION
GDDR_FW_VERSION DM_APP_FW_VERSION DM_BL_FW_VERSION FLASH_BUNDLE_VERSION CM_FW_VERSION L2CPU_FW_VERSION
FAN_SPEED TIMER_HEARTBEAT TELEMETRY_ENUM_COUNT ENABLED_TENSIX_COL ENABLED_ETH ENABLED_GDDR
ENABLED_L2CPU PCIE_USAGE NOC_TRANSLATION FAN_RPM GDDR_0_1_TEMP GDDR_2_3_TEMP GDDR_4_5_TEMP
GDDR_6_7_TEMP GDDR_0_1_CORR_ERRS GDDR_2_3_CORR_ERRS GDDR_4_5_CORR_ERRS GDDR_6_7_CORR_ERRS
GDDR_UNCORR_ERRS MAX_GDDR_TEMP ASIC_LOCATION BOARD_POWER_LIMIT TDC_LIMIT_MAX THM_LIMIT_THROTTLE
TT_FLASH_VERSION THERM_TRIP_COUNT ASIC_ID_HIGH ASIC_ID_LOW AICLK_LIMIT_MAX TDP_LIMIT_MAX
AICLK_ARB_MIN AICLK_ARB_MAX ENABLED_MIN_ARB ENABLED_MAX_ARB NUMBER_OF_TAGS INPUT_POWER""".split()
WORMHOLE = """ENUM_VERSION DEVICE_ID ASIC_RO ASIC_IDD BOARD_ID_HIGH BOARD_ID_LOW ARC0_FW_VERSION
ARC1_FW_VERSION ARC2_FW_VERSION ARC3_FW_VERSION SPIBOOTROM_FW_VERSION ETH_FW_VERSION DM_BL_FW_VERSION
DM_APP_FW_VERSION DDR_STATUS ETH_STATUS0 ETH_STATUS1 PCIE_STATUS FAULTS ARC0_HEALTH ARC1_HEALTH
ARC2_HEALTH ARC3_HEALTH FAN_SPEED AICLK AXICLK ARCCLK THROTTLER VCORE ASIC_TEMPERATURE
VREG_TEMPERATURE BOARD_TEMPERATURE TDP TDC VDD_LIMITS THM_LIMITS WH_FW_DATE ASIC_TMON0 ASIC_TMON1
MVDDQ_POWER GDDR_TRAIN_TEMP0 GDDR_TRAIN_TEMP1 BOOT_DATE RT_SECONDS ETH_DEBUG_STATUS0
ETH_DEBUG_STATUS1 TT_FLASH_VERSION ETH_LOOPBACK_STATUS ETH_LIVE_STATUS FW_BUNDLE_VERSION
NUMBER_OF_TAGS INPUT_POWER""".split()
TYPES = {"e150", "e300", "e75", "nb_cb", "wh_4u", "n300", "n150", "tt-galaxy-wh", "bh-scrappy",
         "p150a", "p150b", "p150c", "p100a", "p300b", "p300a", "p300c", "tt-galaxy-bh", "N/A"}


class Wrong(Exception):
    pass


def keys(value, wanted, what):
    if list(value) != wanted.split():
        raise Wrong(f"{what}: keys {list(value)}, not {wanted}")


def form(value, pattern, what):
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise Wrong(f"{what}: {value!r} is not like {pattern}")


def reading(value, pattern, what):
    if value is not None:
        form(value, pattern, what)


def check_device(device, what):
    keys(device, "smbus_telem board_info telemetry firmwares limits", what)
    words = device["smbus_telem"]
    if list(words) not in (BLACKHOLE, WORMHOLE):
        raise Wrong(f"{what}: registers in another order: {list(words)}")
    for name, word in words.items():
        reading(word, "0x(0|[1-9a-f][0-9a-f]{0,7})", f"{what}: {name}")
    if words["NUMBER_OF_TAGS"] is not None:
        raise Wrong(f"{what}: NUMBER_OF_TAGS")

    board = device["board_info"]
    keys(board, "bus_id board_type board_id coords dram_status dram_speed pcie_speed pcie_width", what)
    form(board["bus_id"], r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]|N/A", f"{what}: bus_id")
    wormhole = list(words) == WORMHOLE
    name = board["board_type"]
    if name != "N/A" and wormhole:
        form(name, ".* [LR]", f"{what}: board_type")
        name = name[:-2]
    if name not in TYPES:
        raise Wrong(f"{what}: board_type {name!r}")
    form(board["board_id"], "[0-9a-f]{16}|N/A", f"{what}: board_id")
    if board["dram_status"] not in (None, True, False):
        raise Wrong(f"{what}: dram_status")
    if board["pcie_speed"] != "N/A" and (type(board["pcie_speed"]) is not int or not 1 <= board["pcie_speed"] <= 6):
        raise Wrong(f"{what}: pcie_speed {board['pcie_speed']!r}")
    form(board["pcie_width"], r"\d+|N/A", f"{what}: pcie_width")

    telemetry = device["telemetry"]
    keys(telemetry, "voltage current power board_power aiclk asic_temperature fan_speed heartbeat", what)
    for key, pattern in (("voltage", r"\d\.\d\d"), ("current", r"[ \d]{3}\.\d"),
                         ("power", r"[ \d]{3}\.\d"), ("aiclk", r"[ \d]{4}"),
                         ("asic_temperature", r"[- \d]{2,3}\.\d"), ("fan_speed", r"\d+"),
                         ("heartbeat", r"\d+")):
        reading(telemetry[key], pattern, f"{what}: {key}")
    form(telemetry["board_power"], r"N/A|[ \d]{3}\.\d", f"{what}: board_power")

    keys(device["firmwares"], "fw_bundle_version tt_flash_version cm_fw cm_fw_date eth_fw dm_bl_fw dm_app_fw gddr_fw", what)
    for key, value in device["firmwares"].items():
        form(value, r"N/A|\d+(\.\d+){2,3}", f"{what}: {key}")
    limits = device["limits"]
    keys(limits, "vdd_min vdd_max tdp_limit tdc_limit asic_fmax therm_trip_l1_limit thm_limit "
                 "bus_peak_limit fan_rpm_limit board_power_limit", what)
    for key, value in limits.items():
        reading(value, r"[ \d.]{2,5}", f"{what}: {key}")


def same(have, want, what):
    if have is None and want is None:
        return
    if None in (have, want) or abs(float(have) - want) > 0.5001 * 10 ** -len(have.partition(".")[2]):
        raise Wrong(f"{what}: {have!r}, not {want!r}")


def compare(snapshot, ours):
    """Compares both documents. The vendor's order is that of PCI addresses; a chip without PCIe follows its gateway."""
    order = {device["id"]: device["pci"]["bus_id"] or "" for device in ours["devices"]}
    devices = sorted(ours["devices"], key=lambda d: (
        order[d["id"] if d["location"]["gateway"] is None else d["location"]["gateway"]],
        str(d["id"]).endswith("R")))
    if len(devices) != len(snapshot["device_info"]):
        raise Wrong(f"{len(snapshot['device_info'])} devices, not {len(devices)}")
    for theirs, device in zip(snapshot["device_info"], devices):
        what = f"device {device['id']}"
        board, telemetry = theirs["board_info"], theirs["telemetry"]
        if board["bus_id"] != (device["pci"]["bus_id"] or "N/A"):
            raise Wrong(f"{what}: bus {board['bus_id']}")
        if board["board_id"] != (device["serial"] or "N/A").lower().replace("n/a", "N/A"):
            raise Wrong(f"{what}: board_id {board['board_id']}")
        same(telemetry["voltage"], device["voltage"], f"{what}: voltage")
        same(telemetry["current"], device["current"], f"{what}: current")
        same(telemetry["power"], device["power"], f"{what}: power")
        same(telemetry["asic_temperature"], device["temperature"], f"{what}: temperature")
        clock = device["clocks"]["ai"]
        same(telemetry["aiclk"], None if clock is None else clock / 1e6, f"{what}: aiclk")
        word = theirs["smbus_telem"]["AICLK"]
        if (None if word is None else int(word, 16) & 0xFFFF) != (None if clock is None else clock / 1e6):
            raise Wrong(f"{what}: AICLK {word}")
        for key, limit in (("vdd_max", "voltage"), ("tdp_limit", "power"), ("tdc_limit", "current")):
            same(theirs["limits"][key], device[limit + "_limit"], f"{what}: {key}")
        same(telemetry["fan_speed"], device["fan"]["rpm"], f"{what}: fan")
        beats = device["heartbeat"]["value"]
        divisor = 6 if device["architecture"] == "blackhole" else 5
        same(telemetry["heartbeat"], None if beats is None else beats // divisor, f"{what}: heartbeat")
        words = theirs["smbus_telem"]
        if device["serial"]:
            number = int(words["BOARD_ID_HIGH"], 16) << 32 | int(words["BOARD_ID_LOW"], 16)
            if number != int(device["serial"], 16):
                raise Wrong(f"{what}: BOARD_ID {number:x}")
        bundle = words["FLASH_BUNDLE_VERSION" if device["architecture"] == "blackhole" else "FW_BUNDLE_VERSION"]
        if device["firmware"]["bundle"] and device["location"]["remote"] is False:
            parts = [str(int(bundle, 16) >> shift & 255) for shift in (24, 16, 8, 0)]
            if ".".join(parts) != device["firmware"]["bundle"]:
                raise Wrong(f"{what}: bundle {bundle}")
    pairs = sorted((usage["id"], process["pid"]) for process in ours["processes"]
                   for usage in process["devices"] if isinstance(usage["id"], int))
    if [(p["device"], p["pid"]) for p in snapshot["processes"]] != pairs:
        raise Wrong(f"processes {snapshot['processes']}, not {pairs}")


def check_file(path, ours):
    with open(path, "rb") as file:
        data = file.read()
    if any(byte > 126 for byte in data) or not data.endswith(b"}\n"):
        raise Wrong("not ASCII, or not ended")
    snapshot = json.loads(data)
    if json.dumps(snapshot, indent=4) + "\n" != data.decode():
        raise Wrong("not laid out as the vendor's")
    keys(snapshot, "time host_info host_sw_vers device_info processes", "snapshot")
    form(snapshot["time"], r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}", "time")
    keys(snapshot["host_info"], "OS Distro Kernel Hostname Platform Python Memory Driver", "host_info")
    keys(snapshot["host_sw_vers"], "tt_smi pyluwen tt_umd", "host_sw_vers")
    for value in (*snapshot["host_info"].values(), *snapshot["host_sw_vers"].values()):
        form(value, ".+", "host")
    form(snapshot["host_info"]["Driver"], "TT-KMD .+", "Driver")
    for number, device in enumerate(snapshot["device_info"]):
        check_device(device, f"device_info[{number}]")
    for process in snapshot["processes"]:
        keys(process, "pid user device cmdline", "process")
        if type(process["pid"]) is not int or type(process["device"]) is not int:
            raise Wrong(f"process {process}")
        form(process["cmdline"], "[ -~]+", "cmdline")
    if ours:
        with open(ours, encoding="utf-8") as file:
            compare(snapshot, json.load(file))


for argument in sys.argv[1:]:
    path, _, ours = argument.partition("=")
    try:
        check_file(path, ours)
    except Wrong as wrong:
        sys.exit(f"{path}: {wrong}")
