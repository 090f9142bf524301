#!/usr/bin/env python3
"""Measures the cost of many machines in an engine: Prometheus and VictoriaMetrics scrape tt_smi sim --fleet on loopback and evaluate the rules of share/.

usage: fleet.py [--machines N] [--boards LIST] [--interval S] [--write DOCUMENT] BUILD

The engines run one after the other. When all machines were scraped three times, it measures the number of series, memory, CPU time
per interval, and the time of queries and of tt_smi fleet (minima of several runs). --write replaces the text between
<!-- fleet --> and <!-- end --> of a document; without it, that text is printed. The last column multiplies the figures for 10,000
machines, except for times, which depend on how busy the machine is.
"""

import argparse
import gzip
import os
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "serve"))
import cost  # noqa: E402
import engines  # noqa: E402

MANY = 10000
TICK = os.sysconf("SC_CLK_TCK")
QUERIES = {
    "devices up, recorded": "instance:ttsmi_devices_up:count",
    "devices up, from devices": "sum without (device, uuid) (ttsmi_device_up)",
    "hottest chips, recorded": "instance:ttsmi_temperature_celsius:max",
    "hottest chips, from devices": "max without (device, uuid, sensor) (ttsmi_temperature_celsius)",
    "memory, recorded": "instance:ttsmi_memory_used_bytes:sum",
    "memory, from devices": "sum without (device, uuid) (ttsmi_memory_used_bytes)",
    "chips of 20 machines": 'max by (instance, device) (ttsmi_temperature_celsius{instance=~"node000.|node001."})',
}
COMMANDS = ["fleet", "fleet --json", "fleet who"]
ROUNDS = 7


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory_bytes(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^VmRSS:\s*(\d+)", text, re.MULTILINE)[1]) * 1024


def children(pid):
    return [int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def server_of(fleet):
    """The process that renders the metrics."""
    found = [pid for pid in children(fleet.process.pid) if "tt_smi-sim-fleet" in pathlib.Path(f"/proc/{pid}/cmdline").read_text()]
    return found[0]


def scrape_figures(fleet):
    text = fleet.metrics(1)
    series = sum(not line.startswith("#") for line in text.splitlines())
    server, rounds = server_of(fleet), 100
    request = engines.urllib.request.Request(f"{fleet.url}/machines/node0001/metrics", headers={"Accept-Encoding": "gzip"})
    before = cpu_seconds(server)
    for _ in range(rounds):
        with engines.urllib.request.urlopen(request) as answer:
            packed = answer.read()
    assert gzip.decompress(packed).startswith(b"# TYPE")
    return {"series": series, "bytes": len(text), "gzip": len(packed), "cpu": (cpu_seconds(server) - before) / rounds}


def query_time(engine, expression):
    times = []
    for _ in range(ROUNDS):
        start = time.monotonic()
        assert engine.query(expression), expression
        times.append(time.monotonic() - start)
    return min(times)


def command_figures(engine, build, machines):
    """{title: (wall time in ms, CPU time in ms, resident memory in KB)}, each the minimum of several runs."""
    server = ["--prometheus", f"http://{engine.address}"]
    figures = {}
    for title, options, until in (*((words, words.split()[1:], None) for words in COMMANDS),
                                  ("fleet -w, until machines are shown", ["-w"], f" of {machines} ")):
        [runs] = cost.alternating(build, [[build / "tt_smi", "fleet", *options, *server]], ROUNDS, until)
        figures[title] = [min(getattr(run, name) for run in runs) for name in ("wall_ms", "cpu_ms", "resident_kb")]
    return figures


def measure(kind, fleet, work, interval, build):
    rules = [f"{engines.SHARE}/{name}" for name in engines.RULES]
    with kind(fleet, work, interval, rules) as engine:
        engines.wait_until("all machines are scraped", lambda: engine.number("sum(up)") == fleet.machines, 600)
        time.sleep(2 * interval)  # two more rounds of scrapes
        pid, before, start = engine.process.pid, cpu_seconds(engine.process.pid), time.monotonic()
        time.sleep(interval)
        share = (cpu_seconds(pid) - before) / (time.monotonic() - start)
        engines.wait_until("rules were evaluated", lambda: engine.query("instance:ttsmi_devices_up:count"), 300)
        return {
            "series": engine.number("sum(scrape_samples_scraped)"),
            "memory": memory_bytes(pid),
            "share": share,
            "scrape": engine.number("avg(scrape_duration_seconds)"),
            "failed": engine.number("sum(up == bool 0)"),
            "queries": {title: query_time(engine, text) for title, text in QUERIES.items()},
            "commands": command_figures(engine, build, fleet.machines),
        }


def rows(machines, interval, scrape, measured):
    factor = MANY / machines
    yield "series of a machine", f"{scrape['series']:,}", ""
    yield "scrape, plain", f"{scrape['bytes'] / 1000:.0f} KB", ""
    yield "scrape, gzip", f"{scrape['gzip'] / 1000:.1f} KB", ""
    yield "scrape, CPU of the server", f"{scrape['cpu'] * 1000:.1f} ms", ""
    yield f"network, all machines every {interval} s", f"{scrape['gzip'] * machines / interval / 1000:.0f} KB/s", f"{scrape['gzip'] * MANY / interval / 1000:,.0f} KB/s"
    for name, figures in measured.items():
        yield f"{name}: series", f"{figures['series']:,.0f}", f"{figures['series'] * factor:,.0f}"
        yield f"{name}: samples per second", f"{figures['series'] / interval:,.0f}", f"{figures['series'] * factor / interval:,.0f}"
        yield f"{name}: memory", f"{figures['memory'] / 1e6:,.0f} MB", f"{figures['memory'] * factor / 1e9:,.1f} GB"
        yield f"{name}: memory per series", f"{figures['memory'] / figures['series']:,.0f} bytes", ""
        yield f"{name}: processors, scraping and rules", f"{figures['share']:.2f}", f"{figures['share'] * factor:.1f}"
        yield f"{name}: mean time of a scrape", f"{figures['scrape'] * 1000:.0f} ms", ""
        for title, seconds in figures["queries"].items():
            yield f"{name}: query, {title}", f"{seconds * 1000:.0f} ms", ""
        for words, (wall, cpu, memory) in figures["commands"].items():
            yield f"{name}: tt_smi {words}", f"{wall:.0f} ms, {cpu:.0f} ms of CPU, {memory / 1000:.1f} MB", ""


def report(arguments, scrape, measured):
    lines = [f"{arguments.machines:,} machines, boards `{arguments.boards}`, scraped every {arguments.interval} s. "
             f"{MANY:,} machines: extrapolated, not measured.", ""]
    lines += [f"| | {arguments.machines:,} machines | {MANY:,} machines |", "| --- | --- | --- |"]
    lines += [f"| {title} | {here} | {there} |" for title, here, there in rows(arguments.machines, arguments.interval, scrape, measured)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--boards", default="galaxy-wormhole")
    parser.add_argument("--interval", type=int, default=15)
    parser.add_argument("--write", metavar="DOCUMENT")
    parser.add_argument("build")
    arguments = parser.parse_args()
    measured = {}
    with tempfile.TemporaryDirectory() as work:
        build = pathlib.Path(arguments.build).resolve()
        with engines.Fleet(str(build / "tt_smi"), arguments.machines, arguments.boards, work) as fleet:
            scrape = scrape_figures(fleet)
            for kind in engines.ENGINES.values():
                if engines.missing_programs(kind):
                    print(f"skipped: {kind.name} is not installed", file=sys.stderr)
                    continue
                measured[kind.name] = measure(kind, fleet, work, arguments.interval, build)
    text = report(arguments, scrape, measured)
    if not arguments.write:
        print(text, end="")
        return
    document = pathlib.Path(arguments.write)
    new, found = re.subn(r"(<!-- fleet -->\n).*?(<!-- end -->)", lambda match: match[1] + text + match[2], document.read_text(), flags=re.DOTALL)
    assert found == 1, f"{document} has no place for the table"
    document.write_text(new)


if __name__ == "__main__":
    main()
