"""Runs a simulated fleet, and real engines (Prometheus, VictoriaMetrics) that scrape it on loopback, for tests and
bench/fleet.py.

Each class is a context manager that ends its processes. Waiting ends when a condition is true; PATIENCE only ends hanging
tests.
"""

import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

PATIENCE = 600  # seconds; only ends a test that hangs
SHARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../share/prometheus")
RULES = ["tt_smi.rules.yml", "tt_smi.recording.yml"]


def own_address():
    """A random loopback address, where other programs do not take the port meanwhile."""
    host = f"127.{random.randint(1, 250)}.{random.randint(0, 250)}.{random.randint(1, 250)}"
    with socket.create_server((host, 0)) as server:
        return f"{host}:{server.getsockname()[1]}"


def get(url, **parameters):
    query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
    try:
        with urllib.request.urlopen(url + query, timeout=PATIENCE) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        error.msg += f": {error.read(1000).decode(errors='replace').strip()}"  # the server's reason
        raise


def wait_until(what, condition, patience=PATIENCE):
    """Repeats the condition until it returns something true, and returns that."""
    deadline = time.monotonic() + patience
    last = None
    while time.monotonic() < deadline:
        try:
            last = condition()
            if last:
                return last
        except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
            last = error
        time.sleep(0.1)
    raise AssertionError(f"{what}: not within {patience} s; last: {last!r}")


@contextlib.contextmanager
def running(command, log):
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Fleet:
    """tt_smi sim --fleet."""

    def __init__(self, tt_smi, machines, boards, work, options=()):
        self.machines = machines
        self.log = f"{work}/fleet.log"
        self.command = [tt_smi, "sim", "-b", boards, "--fleet", str(machines), "--listen", "127.0.0.1:0", *options]

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.process = self.stack.enter_context(running(self.command, self.log))
        try:
            self.url = wait_until("the fleet listens", self.find_url)
            wait_until("the fleet has a sample", lambda: "ttsmi_energy_joules_total{" in self.metrics(1))
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *error):
        self.stack.close()

    def find_url(self):
        with open(self.log, encoding="utf-8") as file:
            words = [word for word in file.read().split() if word.endswith("/targets")]
        return words[0][: -len("/targets")] if words else None

    def metrics(self, number):
        return get(f"{self.url}/machines/node{number:04}/metrics")

    def scrape_config(self, interval):
        return (
            f"global: {{ scrape_interval: {interval}s, scrape_timeout: {interval}s }}\n"
            "scrape_configs:\n"
            "  - job_name: tt_smi\n"
            f'    http_sd_configs: [ {{ url: "{self.url}/targets" }} ]\n'
        )


def fast_rules(work):
    """The shipped rules without their waiting times."""
    paths = []
    for name in RULES:
        with open(f"{SHARE}/{name}", encoding="utf-8") as file:
            lines = ["        for: 1s\n" if line.strip().startswith("for:") else line for line in file]
        paths.append(f"{work}/{name}")
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.writelines(lines)
    return paths


class Engine:
    """The HTTP API that Prometheus and VictoriaMetrics have in common."""

    def query(self, expression, **parameters):
        answer = json.loads(get(f"http://{self.address}/api/v1/query", query=expression, **parameters))
        assert answer["status"] == "success", answer
        return answer["data"]["result"]

    def values(self, expression, *labels, **parameters):
        """{labels: number}"""
        return {
            tuple(row["metric"].get(label) for label in labels): float(row["value"][1])
            for row in self.query(expression, **parameters)
        }

    def number(self, expression, **parameters):
        rows = self.query(expression, **parameters)
        return float(rows[0]["value"][1]) if rows else None

    def __exit__(self, *error):
        self.stack.close()


class Prometheus(Engine):
    name = "Prometheus"
    programs = ["prometheus"]

    def __init__(self, fleet, work, interval, rules):
        self.work = work
        self.address = own_address()
        self.config = f"{work}/prometheus.yml"
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(fleet.scrape_config(interval).replace("global: {", f"global: {{ evaluation_interval: {interval}s,"))
            file.write(f"rule_files: {json.dumps(rules)}\n")

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        command = ["prometheus", f"--config.file={self.config}", f"--storage.tsdb.path={self.work}/tsdb"]
        command += [f"--web.listen-address={self.address}", "--query.max-samples=100000000"]
        self.process = self.stack.enter_context(running(command, f"{self.work}/prometheus.log"))
        return self


class Victoria(Engine):
    """VictoriaMetrics, and vmalert, which evaluates rules for it."""

    name = "VictoriaMetrics"
    programs = ["victoria-metrics", "vmalert"]

    def __init__(self, fleet, work, interval, rules):
        self.work, self.interval, self.rules = work, interval, rules
        self.address = own_address()
        self.config = f"{work}/victoria.yml"
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(fleet.scrape_config(interval))

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        command = ["victoria-metrics", f"-promscrape.config={self.config}", f"-storageDataPath={self.work}/vm"]
        command += [f"-httpListenAddr={self.address}", "-search.latencyOffset=0s", "-promscrape.httpSDCheckInterval=1s"]
        self.process = self.stack.enter_context(running(command, f"{self.work}/victoria.log"))
        try:
            wait_until("VictoriaMetrics answers", lambda: get(f"http://{self.address}/health") == "OK")
            server = f"http://{self.address}"
            command = ["vmalert", f"-datasource.url={server}", f"-remoteWrite.url={server}", f"-httpListenAddr={own_address()}"]
            command += [f"-notifier.url=http://{own_address()}", f"-evaluationInterval={self.interval}s"]
            command += ["-remoteWrite.flushInterval=1s", *(f"-rule={path}" for path in self.rules)]
            self.stack.enter_context(running(command, f"{self.work}/vmalert.log"))
        except BaseException:
            self.stack.close()
            raise
        return self


ENGINES = {"prometheus": Prometheus, "victoria": Victoria}


def missing_programs(engine):
    return [program for program in engine.programs if not shutil.which(program)]
