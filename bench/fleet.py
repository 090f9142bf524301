#!/usr/bin/env python3
"""Measures the cost of many machines in an engine: Prometheus and VictoriaMetrics scrape tt_smi sim --fleet on loopback and evaluate the rules of share/.

usage: fleet.py [--machines N] [--boards LIST] [--interval S] [--write DOCUMENT] BUILD

The engines run one after the other. When all machines were scraped three times, it measures the number of series, memory, CPU time
per interval, and the time of queries and of tt_smi fleet (minima of several runs). --write replaces the text between
<!-- fleet --> and <!-- end --> of a document; without it, that text is printed. The last column multiplies the figures for 10,000
machines, except for times, which depend on how busy the machine is.

If something cannot be measured, for example because an engine ends, the reason is printed, the table has what was measured, and
the exit code is 1; --write then leaves the document as it is.
"""

import argparse
import gzip
import os
import pathlib
import re
import subprocess
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


def run_command(build, command, until):
    """(wall time in ms, CPU time in ms, resident memory in KB), each the minimum of several runs."""
    try:
        [runs] = cost.alternating(build, [command], ROUNDS, until)
    except cost.NotMeasured as error:
        message = "" if until else subprocess.run(command, capture_output=True, text=True).stderr.strip()
        raise cost.NotMeasured(f"{error} {message}") from error
    return [min(getattr(run, name) for run in runs) for name in ("wall_ms", "cpu_ms", "resident_kb")]


def measure_engine(engine, fleet, interval, figures):
    engines.wait_until("all machines are scraped", lambda: engine.number("sum(up)") == fleet.machines, 600)
    time.sleep(2 * interval)  # two more rounds of scrapes
    pid, before, start = engine.process.pid, cpu_seconds(engine.process.pid), time.monotonic()
    time.sleep(interval)
    figures["share"] = (cpu_seconds(pid) - before) / (time.monotonic() - start)
    engines.wait_until("rules were evaluated", lambda: engine.query("instance:ttsmi_devices_up:count"), 300)
    figures["series"] = engine.number("sum(scrape_samples_scraped)")
    figures["memory"] = memory_bytes(pid)
    figures["scrape"] = engine.number("avg(scrape_duration_seconds)")


def end_of_log(work):
    """The last lines of the engines, which say why one has ended."""
    lines = []
    for log in sorted(pathlib.Path(work).glob("*.log")):
        lines += [f"  {log.name}: {line}" for line in log.read_text(errors="replace").splitlines()[-3:]]
    return "\n".join(lines)


def measure(kind, fleet, work, interval, build, figures):
    """Fills in the figures. Returns what could not be measured, with the reasons."""
    rules = [f"{engines.SHARE}/{name}" for name in engines.RULES]
    problems = []

    def attempt(what, action, *arguments):
        try:
            return action(*arguments)
        except (OSError, AssertionError, cost.NotMeasured, engines.http.client.HTTPException, ValueError) as error:
            answered = isinstance(error, (engines.urllib.error.HTTPError, cost.NotMeasured))
            problems.append(f"{kind.name}: {what}: {error}" + ("" if answered else f"\n{end_of_log(work)}"))
            return None

    def measure_all():
        with kind(fleet, work, interval, rules) as engine:
            attempt("scrapes", measure_engine, engine, fleet, interval, figures)
            figures["queries"] = {title: attempt(title, query_time, engine, text) for title, text in QUERIES.items()}
            server = ["--prometheus", f"http://{engine.address}"]
            commands = [(words, words.split()[1:], None) for words in COMMANDS]
            commands.append(("fleet -w, until machines are shown", ["-w"], f" of {fleet.machines} "))
            figures["commands"] = {title: attempt(title, run_command, build, [build / "tt_smi", "fleet", *options, *server], until)
                                   for title, options, until in commands}

    attempt("start", measure_all)
    return problems


def rows(machines, interval, scrape, measured):
    factor = MANY / machines
    yield "series of a machine", f"{scrape['series']:,}", ""
    yield "scrape, plain", f"{scrape['bytes'] / 1000:.0f} KB", ""
    yield "scrape, gzip", f"{scrape['gzip'] / 1000:.1f} KB", ""
    yield "scrape, CPU of the server", f"{scrape['cpu'] * 1000:.1f} ms", ""
    yield f"network, all machines every {interval} s", f"{scrape['gzip'] * machines / interval / 1000:.0f} KB/s", f"{scrape['gzip'] * MANY / interval / 1000:,.0f} KB/s"
    for name, figures in measured.items():
        if "scrape" in figures:
            yield f"{name}: series", f"{figures['series']:,.0f}", f"{figures['series'] * factor:,.0f}"
            yield f"{name}: samples per second", f"{figures['series'] / interval:,.0f}", f"{figures['series'] * factor / interval:,.0f}"
            yield f"{name}: memory", f"{figures['memory'] / 1e6:,.0f} MB", f"{figures['memory'] * factor / 1e9:,.1f} GB"
            yield f"{name}: memory per series", f"{figures['memory'] / figures['series']:,.0f} bytes", ""
            yield f"{name}: processors, scraping and rules", f"{figures['share']:.2f}", f"{figures['share'] * factor:.1f}"
            yield f"{name}: mean time of a scrape", f"{figures['scrape'] * 1000:.0f} ms", ""
        for title, seconds in figures.get("queries", {}).items():
            yield f"{name}: query, {title}", "not measured" if seconds is None else f"{seconds * 1000:.0f} ms", ""
        for words, run in figures.get("commands", {}).items():
            yield f"{name}: tt_smi {words}", "not measured" if run is None else f"{run[0]:.0f} ms, {run[1]:.0f} ms of CPU, {run[2] / 1000:.1f} MB", ""


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
    measured, problems = {}, []
    with tempfile.TemporaryDirectory() as work:
        build = pathlib.Path(arguments.build).resolve()
        with engines.Fleet(str(build / "tt_smi"), arguments.machines, arguments.boards, work) as fleet:
            scrape = scrape_figures(fleet)
            for kind in engines.ENGINES.values():
                if engines.missing_programs(kind):
                    print(f"skipped: {kind.name} is not installed", file=sys.stderr)
                    continue
                measured[kind.name] = {}
                problems += measure(kind, fleet, work, arguments.interval, build, measured[kind.name])
    text = report(arguments, scrape, measured)
    for problem in problems:
        print(f"not measured: {problem}", file=sys.stderr)
    if problems or not arguments.write:
        print(text, end="")
        sys.exit(1 if problems else 0)
    document = pathlib.Path(arguments.write)
    new, found = re.subn(r"(<!-- fleet -->\n).*?(<!-- end -->)", lambda match: match[1] + text + match[2], document.read_text(), flags=re.DOTALL)
    assert found == 1, f"{document} has no place for the table"
    document.write_text(new)


if __name__ == "__main__":
    main()
