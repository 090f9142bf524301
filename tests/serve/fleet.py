"""Tests of tt_smi sim --fleet.

    fleet.py machines TT_SMI WORK                      series, values and faults of the machines themselves
    fleet.py engine NAME TT_SMI WORK MACHINES BOARDS   prometheus or victoria scrapes them, with our rules
"""

import json
import re
import subprocess
import sys

import yaml
from engines import ENGINES, PATIENCE, RULES, SHARE, Fleet, fast_rules, get, running, wait_until

PERIOD = 25
BOARDS = "n300,2xp150a"  # three devices, and a chip without PCIe
ALERTS = {
    5: "TenstorrentDeviceDown",
    10: "TenstorrentDeviceHot",
    15: "TenstorrentDeviceMissing",
    20: "TenstorrentDeviceDirty",
    0: "TenstorrentPcieDegraded",
}


def read_series(text):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines}


def without_uuid(name):
    return re.sub(r'uuid="[^"]*",?', "", name).replace(",}", "}").replace("{}", "")


def shape(text):
    """The names of series, without the parts that differ from chip to chip."""
    return {re.sub(r'serial="[^"]*"', "", without_uuid(name)) for name in read_series(text)}


def shape_of_server(tt_smi, work, options):
    """The same for tt_smi serve on a machine with these options."""
    command = [tt_smi, "sim", "-b", BOARDS, *options, "--", tt_smi, "serve", "--listen", "127.0.0.1:0", "--expect", "3"]
    log = f"{work}/serve.log"
    with running(command, log):

        def fetch():
            with open(log, encoding="utf-8") as file:
                urls = [word for word in file.read().split() if word.endswith("/metrics")]
            text = get(urls[0]) if urls else ""
            return text if "ttsmi_energy_joules_total{" in text and "ttsmi_quiet_seconds{" in text else None

        return shape(wait_until("tt_smi serve answers", fetch))


# Series that may differ: those that need the allocation server, that depend on when the fault began, the chip behind a dead
# one, which has its serial number from that, and owners.
OTHERWISE = ("ttsmi_device_dirty", "ttsmi_quiet_seconds", 'ttsmi_device_info{device="0R"', "ttsmi_owner_")


def check_shapes(tt_smi, work, fleet, options):
    """A simulated machine has the same series as tt_smi serve, also with a device that does not answer."""
    for number, fault in (1, []), (5, ["--fault", "dead:0"]):
        served = shape_of_server(tt_smi, work, [*options, *fault])
        assert len(served) > 100, served

        different = set()

        def is_same(number=number, served=served, different=different):
            different.clear()
            different.update(name for name in served ^ shape(fleet.metrics(number)) if not name.startswith(OTHERWISE))
            return not different

        try:
            wait_until(f"node {number} has the series of tt_smi serve", is_same, 60)
        except AssertionError as error:
            raise AssertionError(f"only one of them has {different}") from error
        owners = [name for name in shape(fleet.metrics(number)) if name.startswith("ttsmi_owner_processes{")]
        assert any('slurm_job="' in name for name in owners) and any('pod="' in name for name in owners), owners


def check_faults(fleet):
    for number in range(1, 2 * PERIOD + 1):
        plain = {without_uuid(name): value for name, value in read_series(fleet.metrics(number)).items()}
        up = [value for name, value in plain.items() if name.startswith("ttsmi_device_up{")]
        hot = plain.get('ttsmi_temperature_celsius{device="2",sensor="asic"}')
        limit = plain.get('ttsmi_temperature_limit_celsius{device="2",sensor="asic",kind="throttle"}')
        dirty = [value for name, value in plain.items() if name.startswith("ttsmi_device_dirty{")]
        place = number % PERIOD
        assert plain["ttsmi_devices_expected"] == 3, number
        assert plain["ttsmi_devices"] == (2 if place == 15 else 3), number
        assert up.count(0) == (place == 5), (number, up)
        assert sum(dirty) == (place == 20), (number, dirty)
        assert (place == 15) == (hot is None), number
        if hot is not None:
            assert (hot >= limit - 3) == (place == 10), (number, hot, limit)
        lanes = plain.get('ttsmi_pcie_link_lanes{device="0"}')
        assert (lanes is not None and lanes < plain['ttsmi_pcie_link_lanes_expected{device="0"}']) == (place == 0), (number, lanes)


def check_growth(fleet):
    """Counters grow and never decrease; machines differ from each other, and values change."""
    first = read_series(fleet.metrics(7))
    others = read_series(fleet.metrics(8))
    power = sorted(value for name, value in first.items() if name.startswith("ttsmi_power_watts"))
    assert power != sorted(value for name, value in others.items() if name.startswith("ttsmi_power_watts"))
    assert not {n for n in first if 'uuid="' in n} & {n for n in others if 'uuid="' in n}, "two machines have a chip in common"
    last = first

    def grown():
        nonlocal last
        now = read_series(fleet.metrics(7))
        for name, value in now.items():
            assert "energy" not in name or value == round(value), f"{name} is {value}"
            assert "_total" not in name or value >= last.get(name, value), f"{name} fell from {last[name]} to {value}"
        last = now
        counters = [n for n in now if n.startswith(("ttsmi_energy_joules_total", "ttsmi_firmware_heartbeats_total"))]
        return len(counters) == 6 and all(now[n] > first[n] for n in counters) and now != first

    wait_until("counters grow", grown)


def machines(tt_smi, work):
    options = ["-w", "dev=0,dram=3G,l1=2M,trace=64M,cb=1M,name=train,busy=50", "-w", "dev=1,dram=4G,name=serve"]
    with Fleet(tt_smi, 2 * PERIOD, BOARDS, work, options) as fleet:
        targets = json.loads(get(f"{fleet.url}/targets"))
        assert [t["labels"]["instance"] for t in targets] == [f"node{n:04}" for n in range(1, 51)]
        assert len({t["labels"]["rack"] for t in targets}) == 7
        faulty = [m["name"] for m in json.loads(get(f"{fleet.url}/machines")) if m["fault"] != "none"]
        assert faulty == [f"node{n:04}" for n in range(5, 51, 5)], faulty
        check_faults(fleet)
        check_growth(fleet)
        check_shapes(tt_smi, work, fleet, options)


def expected_alerts(count):
    return {(f"node{n:04}", ALERTS[n % PERIOD]) for n in range(1, count + 1) if n % PERIOD in ALERTS}


def firing(engine):
    rows = engine.query('ALERTS{alertstate="firing",alertname=~"Tenstorrent.+"}')
    return {(row["metric"]["instance"], row["metric"]["alertname"]) for row in rows}


def recording_rules():
    with open(f"{SHARE}/{RULES[1]}", encoding="utf-8") as file:
        return [(rule["record"], rule["expr"]) for group in yaml.safe_load(file)["groups"] for rule in group["rules"]]


def labelled(rows):
    return {tuple(sorted((k, v) for k, v in row["metric"].items() if k != "__name__")): float(row["value"][1]) for row in rows}


def same_as_raw(engine, record, expression, interval):
    """Is the recorded value that of the expression a moment before? VictoriaMetrics shows samples with a delay."""
    times = engine.values(f"timestamp({record})", "instance")
    if not times:
        return False
    moment = max(times.values())
    left = labelled(engine.query(record, time=moment))
    ages = [number * interval / 4 for number in range(4 * 4)] if left else []  # a sample lasts an interval
    for age in ages:
        raw = labelled(engine.query(expression, time=moment - age))
        if age == 0 and raw.keys() != left.keys():
            return False
        left = {key: value for key, value in left.items() if abs(value - raw.get(key, value + 1)) > 1e-9 * abs(value)}
        if not left:
            return True
    return False


def check_rules(engine, machines_count, devices):
    faulty = expected_alerts(machines_count)
    count = lambda alert: sum(name == alert for _, name in faulty)  # noqa: E731
    missing, down = count("TenstorrentDeviceMissing"), count("TenstorrentDeviceDown")
    sums = {
        "sum(instance:ttsmi_devices_expected:max)": machines_count * devices,
        "sum(instance:ttsmi_devices:count)": machines_count * devices - missing,
        "sum(instance:ttsmi_devices_up:count)": machines_count * devices - missing - down,
        "sum(instance:ttsmi_devices_dirty:count)": count("TenstorrentDeviceDirty"),
        "sum(instance:ttsmi_alerts:count)": len(faulty),
        "count(instance:ttsmi_alerts:count)": machines_count,
        "count(instance:ttsmi_alerts:count > 0)": len(faulty),
    }
    wait_until("the alerts of the faulty machines", lambda: firing(engine) >= faulty)
    for expression, number in sums.items():
        wait_until(f"{expression} is {number}", lambda e=expression, n=number: engine.number(e) == n)
    assert firing(engine) == faulty, firing(engine) ^ faulty


def fleet_document(engine, tt_smi, *words):
    command = [tt_smi, "fleet", *words, "--json", "--prometheus", f"http://{engine.address}"]
    return json.loads(subprocess.check_output(command, text=True, timeout=PATIENCE))


def check_command(engine, tt_smi, machines_count, devices):
    """tt_smi fleet, which uses the recording rules, shows the values of the engine."""

    def recorded():
        document = fleet_document(engine, tt_smi)
        return document["from_recording_rules"] and document

    document = wait_until("tt_smi fleet uses the rules", recorded)
    totals = document["totals"]
    assert len(document["machines"]) == totals["machines"] == machines_count
    assert totals["devices_target"] == machines_count * devices
    assert totals["devices_up"] == engine.number("sum(instance:ttsmi_devices_up:count)")
    alerts = {(machine["machine"], alert["name"]) for machine in document["machines"] for alert in machine["alerts"]}
    assert alerts == expected_alerts(machines_count), alerts
    who = fleet_document(engine, tt_smi, "who")
    assert who["machines"] == machines_count and who["machines_without_owners"] == 0
    assert sum(owner["devices"] for owner in who["owners"]) == engine.number("sum(ttsmi_owner_devices)")


def has_fleet(tt_smi):
    return "built without" not in subprocess.run([tt_smi, "fleet", "--version"], capture_output=True, text=True).stderr


def engine(name, tt_smi, work, count, boards):
    kind = ENGINES[name]
    devices = 32 if boards.startswith("galaxy") else 3
    interval = 30 if count > 200 else 2
    # Workloads that do not end by themselves, so that an expression and its rule are evaluated for the same series.
    options = ["-w", "dev=0,dram=3G,l1=2M,name=train,busy=50", "-w", "dev=1,dram=4G,name=serve"]
    with Fleet(tt_smi, count, boards, work, options) as fleet, kind(fleet, work, interval, fast_rules(work)) as server:
        wait_until("all machines are scraped", lambda: server.number("sum(up)") == count)
        check_rules(server, count, devices)
        for record, expression in recording_rules():
            wait_until(f"{record} is what its expression says", lambda r=record, e=expression: same_as_raw(server, r, e, interval))
        if has_fleet(tt_smi):
            check_command(server, tt_smi, count, devices)
        print(f"{count} machines, {server.number('sum(scrape_samples_scraped)'):.0f} series")


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    {"machines": machines, "engine": engine}[command](*(int(word) if word.isdigit() else word for word in words))
