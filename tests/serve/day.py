"""Checks the output of day.c: no series decreases, and each has the true value, also in the JSON document."""

import json
import math
import sys

import client

LABELS = {"temperature": ("temperature_celsius", ',sensor="asic"'), "power": ("power_watts", ',domain="chip"')}


def check_document(series, document):
    known = 0
    for device in document["devices"]:
        for path, (name, labels) in LABELS.items():
            name = client.series_of(name, device, labels)
            assert series.get(name) == device[path], f"{name}: {series.get(name)}, not {device[path]}"
            known += device[path] is not None
        up = series[client.series_of("device_up", device)]
        assert up == (device["temperature"] is not None), f"device {device['id']} up: {up}"
    assert series["ttsmi_devices"] == len(document["devices"])
    return known


def main():
    last, moments, known, absent = {}, 0, 0, 0
    for line in sys.stdin:
        moment = json.loads(line)
        series, truth = client.read_series(moment["metrics"]), moment["truth"]
        shown = {name: number for name, number in series.items() if "_total{" in name}
        assert shown.keys() == truth.keys(), shown.keys() ^ truth.keys()
        for name, number in shown.items():
            assert number >= last.get(name, 0), f"{name} fell from {last[name]} to {number}"
            step = 1000 if "_bytes_total" in name else 1  # down to whole kilobytes, whole joules
            expected = truth[name] // step * step
            near = step if "energy" in name else 0  # the integral is computed in another order
            assert math.isclose(number, expected, rel_tol=1e-9, abs_tol=near), f"{name}: {number}, not {expected}"
        last.update(shown)
        known += check_document(series, moment["document"])
        absent += sum(device["temperature"] is None for device in moment["document"]["devices"])
        moments += 1
    resets = sum(number for name, number in last.items() if "resets_total" in name)
    moved = max(number for name, number in last.items() if "received_bytes" in name)
    slots = {name for name in last if "resets_total" in name}
    print(f"{moments} moments, {known} values, {absent} without readings, {resets} resets, {moved / 2**32 / 32:.0f} wraps, {len(slots)} slots")
    # Checks that the day had enough events.
    assert moments > 300 and resets > 50 and absent > 50 and moved > 2**32 * 32 * 1000 and len(slots) > 6


main()
