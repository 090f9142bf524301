"""Clients of tt_smi serve, friendly and hostile.

    client.py parse FILE             a strict reader of OpenMetrics; prints the number of families
    client.py compare PORT           values of /metrics are those of the JSON document of that sample
    client.py grows FILE FILE...     no counter of a file is lower in a later one
    client.py slow PORT              sends its request byte by byte until the server hangs up
    client.py huge PORT              requests that are too large
    client.py crowd PORT             a thousand connections from one address
    client.py occupy PORT            480 connections from eight addresses, all answered once and kept; others are served
    client.py follow PORT            a stream: consecutive samples, each a whole document
    client.py skip PORT PID          streams that are not read skip samples, and cost no memory; prints its growth
    client.py documents HOST PORT PREFIX
                                     saves /metrics, /api/v1/snapshot and the first event of the stream
    client.py named PREFIX           the saved documents have the owners of processes
    client.py hidden PREFIX NAMED    they have no owners, and are otherwise equal to those of NAMED
    client.py streams PORT COUNT     opens COUNT streams of one address; prints how many were served, and the status of the last one
    client.py share PORT             90 streams of three addresses: the last one gets its share of the 64
    client.py activate KIND COMMAND  executes it as systemd would, with a socket that is tcp, two, udp or unix
    client.py port                   a free port of the loopback address
"""

import base64
import fcntl
import json
import os
import socket
import sys
import time
import urllib.request

PATIENCE = 300  # seconds; only ends a test that hangs

# NAME:PASSWORD, sent with every request.
LOGIN = os.environ.get("TT_LOGIN")
AUTHORIZATION = {"Authorization": "Basic " + base64.b64encode(LOGIN.encode()).decode()} if LOGIN else {}


def get(port, path, host="127.0.0.1"):
    request = urllib.request.Request(f"http://{host}:{port}{path}", headers=AUTHORIZATION)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer.read().decode()


def read_openmetrics(text):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    return list(text_string_to_metric_families(text))


def read_series(text):
    """Parses the plain text format: {series: number}."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines}


def series_of(name, device, labels=""):
    uuid = f',uuid="{device["uuid"]}"' if device["uuid"] else ""
    return f'ttsmi_{name}{{device="{device["id"]}"{uuid}{labels}}}'


# Path in the JSON document, metric, further labels.
COMPARED = [
    ("temperature", "temperature_celsius", ',sensor="asic"'),
    ("temperature_limit", "temperature_limit_celsius", ',sensor="asic",kind="throttle"'),
    ("power", "power_watts", ',domain="chip"'),
    ("power_limit", "power_limit_watts", ',domain="chip"'),
    ("voltage", "voltage_volts", ""),
    ("current", "current_amperes", ""),
    ("clocks.ai", "clock_hertz", ',clock="ai"'),
    ("clocks.arc", "clock_hertz", ',clock="arc"'),
    ("fan.rpm", "fan_rpm", ""),
    ("memory.total", "memory_size_bytes", ',pool="dram"'),
    ("memory.used", "memory_used_bytes", ',pool="dram"'),
    ("memory.l1.used", "memory_used_bytes", ',pool="l1"'),
    ("memory.trace", "memory_used_bytes", ',pool="trace"'),
    ("memory.complete", "memory_complete", ""),
    ("quiet", "quiet_seconds", ""),
    ("dirty", "device_dirty", ""),
    ("heartbeat.value", "firmware_heartbeats_total", ""),
    ("thermal_trips", "thermal_trips_total", ""),
    ("pci.link.generation", "pcie_link_generation", ""),
    ("pci.link.width_expected", "pcie_link_lanes_expected", ""),
    ("pci.errors.fatal", "pcie_errors_total", ',port="device",severity="fatal"'),
    ("pci.upstream.errors.correctable", "pcie_errors_total", ',port="upstream",severity="correctable"'),
]


def look_up(document, path):
    for key in path.split("."):
        document = document[key]
    return document


def same_sample(port):
    """Fetches metrics and document until both are of the same sample."""
    for _ in range(PATIENCE * 10):
        series = read_series(get(port, "/metrics"))
        document = json.loads(get(port, "/api/v1/snapshot"))
        moment = document["timestamp"]
        seconds = series["ttsmi_sample_timestamp_seconds"]
        if moment == time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{round(seconds * 1000) % 1000:03}Z":
            return series, document
        time.sleep(0.1)
    sys.exit("no two answers were of one sample")


def compare(port):
    series, document = same_sample(port)
    known = 0
    for device in document["devices"]:
        for path, name, labels in COMPARED:
            expected, name = look_up(device, path), series_of(name, device, labels)
            if expected is None:
                assert name not in series, f"{name} is unknown, and has a series"
            else:
                assert series[name] == expected, f"{name}: {series[name]}, not {expected}"
                known += 1
        holders = [p for p in document["processes"] for use in p["devices"] if use["id"] == device["id"]]
        for role in "job", "monitor":
            name = series_of("holders", device, f',role="{role}"')
            if name in series:
                assert series[name] == sum(p["role"] == role for p in holders), name
    print(known)


def grows(*paths):
    last = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            series = read_series(file.read())
        for name, number in series.items():
            if "_total" in name:
                assert number >= last.get(name, number), f"{path}: {name} fell from {last[name]} to {number}"
                last[name] = number
    assert last


def slow(port):
    client = socket.create_connection(("127.0.0.1", port))
    client.settimeout(0.2)
    sent = 0
    for byte in b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 600:
        try:
            client.sendall(bytes([byte]))
            sent += 1
            if client.recv(100) == b"":
                break
        except TimeoutError:
            continue
        except OSError:
            break
        sys.exit("an answer to half a request")
    else:
        sys.exit("the server waits for ever")
    assert sent > 20, f"closed after {sent} bytes"


def answer_to(port, request):
    """The first line of the answer; empty if the connection was closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        try:
            client.sendall(request)
            return client.recv(1000).split(b"\r\n")[0].decode()
        except OSError:
            return ""


def huge(port):
    host = b"Host: localhost\r\n"
    cases = {
        "header": b"GET /metrics HTTP/1.1\r\n" + host + b"X: " + b"x" * 10**6 + b"\r\n\r\n",
        "headers": b"GET /metrics HTTP/1.1\r\n" + host + b"X: y\r\n" * 10**5 + b"\r\n",
        "path": b"GET /" + b"x" * 10**6 + b" HTTP/1.1\r\n" + host + b"\r\n",
        "body": b"GET /metrics HTTP/1.1\r\n" + host + b"Content-Length: 1000000000\r\n\r\n" + b"x" * 10**6,
        "post": b"POST /metrics HTTP/1.1\r\n" + host + b"Content-Length: 1000000000\r\n\r\n" + b"x" * 10**6,
        "nothing": b"\r\n" * 10**6,
        "noise": bytes(range(256)) * 4000,
    }
    for name, request in cases.items():
        line = answer_to(port, request)
        assert line == "" or line.split()[1].startswith("4"), f"{name}: {line}"
        assert "ttsmi_devices " in get(port, "/metrics"), name


def crowd(port):
    clients, answered = [], 0
    for _ in range(1000):
        clients.append(socket.create_connection(("127.0.0.1", port), PATIENCE, ("127.0.0.3", 0)))
    # Clients from another address are served meanwhile.
    assert "ttsmi_devices " in get(port, "/metrics")
    for client in clients:
        try:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answered += client.recv(15) == b"HTTP/1.1 200 OK"
        except OSError:
            pass
    print(answered)


def ask(client):
    """Sends a request on a connection that may be closed. Returns whether it was answered."""
    try:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return client.recv(1000).startswith(b"HTTP/1.1 200 OK")
    except OSError:
        return False


def occupy(port):
    lone = socket.create_connection(("127.0.0.1", port), PATIENCE, ("127.0.0.2", 0))
    assert ask(lone)
    crowd = []
    for i in range(480):
        crowd.append(socket.create_connection(("127.0.0.1", port), PATIENCE, (f"127.0.0.{3 + i % 8}", 0)))
        assert ask(crowd[-1]), f"connection {i} was not answered"
    # The newest ones are still open, those of an address with one connection only, too; and there is room for new ones.
    assert ask(crowd[-1])
    assert ask(lone)
    assert "ttsmi_devices " in get(port, "/metrics")


class Stream:
    """Server-sent events, read one by one."""

    def __init__(self, port, host="127.0.0.1", **options):
        self.socket = socket.socket()
        self.socket.settimeout(PATIENCE * 3)
        if "receive" in options:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, options["receive"])
        if "source" in options:
            self.socket.bind((options["source"], 0))
        self.socket.connect((host, port))
        lines = ["GET /api/v1/stream HTTP/1.1", "Host: localhost"] + [": ".join(item) for item in AUTHORIZATION.items()]
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode())
        self.file = self.socket.makefile("rb")
        self.status = self.file.readline().split()[1].decode()
        self.headers = dict(line.lower().split(": ", 1) for line in iter(self.header, ""))
        self.text = ""

    def header(self):
        return self.file.readline().decode().rstrip("\r\n")

    def chunk(self):
        size = int(self.file.readline(), 16)
        assert size, "the stream ended"
        text = b""
        while len(text) < size:
            text += self.file.read(size - len(text))
        assert self.file.readline() == b"\r\n"
        return text.decode()

    def event(self):
        """The number of the next sample, and its document."""
        while True:
            while "\n\n" not in self.text:
                self.text += self.chunk()
            event, self.text = self.text.split("\n\n", 1)
            fields = dict(line.split(": ", 1) for line in event.splitlines() if not line.startswith(":"))
            if fields:
                return int(fields["id"]), json.loads(fields["data"])


def follow(port):
    stream = Stream(port)
    assert stream.status == "200" and stream.headers["content-type"] == "text/event-stream", stream.headers
    events = [stream.event() for _ in range(4)]
    numbers = [number for number, _ in events]
    assert numbers == sorted(set(numbers)), numbers
    moments = [document["timestamp"] for _, document in events]
    assert moments == sorted(set(moments)), moments
    snapshot = json.loads(get(port, "/api/v1/snapshot"))
    for _, document in events:
        assert document.keys() == snapshot.keys() and len(document["devices"]) == len(snapshot["devices"])


def memory_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:"))


def skip(port, pid):
    reader = Stream(port)
    last, _ = reader.event()
    lazy = [Stream(port, receive=32768) for _ in range(30)]
    first = [stream.event()[0] for stream in lazy]
    before = memory_of(pid)
    while last < max(first) + 10:
        last, _ = reader.event()
    print(memory_of(pid) - before)
    numbers = [first[0]] + [lazy[0].event()[0] for _ in range(5)]
    assert numbers == sorted(set(numbers)), numbers
    assert numbers[-1] - numbers[0] > 5, f"none was skipped: {numbers}"


def documents(host, port, prefix):
    event = Stream(port, host).event()[1]
    texts = {"metrics": get(port, "/metrics", host), "json": get(port, "/api/v1/snapshot", host), "event": json.dumps(event)}
    for name, text in texts.items():
        with open(f"{prefix}.{name}", "w", encoding="utf-8") as file:
            file.write(text)


# The paths of fields that identify the owner of a process.
OWNER = ["program", "command", "user", "uid", "owner", "container.id", "container.runtime", "container.name", "pod.uid", "pod.name",
         "pod.namespace", "slurm.job_id", "slurm.step", "slurm.job_name", "slurm.user", "unit"]


def saved(prefix, name):
    with open(f"{prefix}.{name}", encoding="utf-8") as file:
        return file.read()


def named(prefix):
    for name in "json", "event":
        for process in json.loads(saved(prefix, name))["processes"]:
            for path in "command", "user", "uid", "owner", "slurm.job_id", "slurm.job_name":
                assert look_up(process, path) is not None, f"{name}: {path} is not known"


def without_owner(document):
    """Removes the fields that identify owners from a document, and returns them."""
    taken = []
    for process in document["processes"]:
        for path in OWNER:
            *above, key = path.split(".")
            place = process[above[0]] if above else process
            taken.append((place.pop(key), process["unavailable"].pop(path, None)))
    return taken


def hidden(prefix, open_prefix):
    for name in "json", "event":
        document, shown = json.loads(saved(prefix, name)), json.loads(saved(open_prefix, name))
        assert document["processes"]
        for value, reason in without_owner(document):
            assert value is None and reason == "permission_denied", (value, reason)
        texts = [value for value, _ in without_owner(shown) if isinstance(value, str) and len(value) > 3]
        assert document == shown, f"{name}: more than owners differs"
        for text in texts:
            assert json.dumps(text) not in saved(prefix, name) and f'"{text}"' not in saved(prefix, "metrics"), text


def streams(port, count):
    clients = [Stream(port) for _ in range(count)]
    print(sum(client.status == "200" for client in clients), clients[-1].status)
    for client in clients:
        client.socket.close()


def has_ended(stream):
    """Discards what a stream has sent."""
    stream.socket.setblocking(False)
    try:
        while stream.socket.recv(1 << 16):
            pass
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def share(port):
    clients = [Stream(port, source=f"127.0.0.{3 + i // 30}") for i in range(90)]
    served = [client.status == "200" for client in clients]
    assert served == [i < 81 for i in range(90)], served
    end = time.monotonic() + PATIENCE
    ended = set()
    while len(ended) < 81 - 64:
        assert time.monotonic() < end, f"only {len(ended)} streams have ended"
        ended.update(i for i in range(90) if i not in ended and has_ended(clients[i]))
    assert max(ended) < 60, f"the address with the fewest streams has lost some: {ended}"


def activate(kind, *command):
    """Executes a command with a socket, like systemd. Prints the port first, since the socket already accepts connections."""
    if kind == "udp":
        sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM)]
        sockets[0].bind(("127.0.0.1", 0))
    elif kind == "unix":
        sockets = [socket.socket(socket.AF_UNIX)]
        sockets[0].bind("")  # any abstract name
        sockets[0].listen()
    else:
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2 if kind == "two" else 1)]
    print(sockets[0].getsockname()[1] if kind in ("tcp", "two") else "", flush=True)
    given = [fcntl.fcntl(one.fileno(), fcntl.F_DUPFD, 100) for one in sockets]
    for i, fd in enumerate(given):
        os.dup2(fd, 3 + i)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(given)))
    os.execv(command[0], command)


def port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(server.getsockname()[1])


def parse(path):
    with open(path, encoding="utf-8") as file:
        print(len(read_openmetrics(file.read())))


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    globals()[command](*(int(word) if word.isdigit() else word for word in words))
