"""Fake servers for clients of Prometheus, on the loopback address. Prints the port.

    server.py hang              accepts connections and never answers
    server.py garbage           a page that is not JSON
    server.py half              JSON that ends in the middle
    server.py deep              JSON that is nested a million times
    server.py huge              an answer without end
    server.py cut               closes the connection in the middle of an answer
    server.py status N          answers with this status
    server.py refuse N          the same, with a document of Prometheus that has the reason
    server.py below PREFIX      a server without series below this path; 404 elsewhere
    server.py redirect URL      leads to another server
    server.py auth HEADER       401 without this Authorization header, else a server without series
    server.py tls FILE HEADER   the same with TLS; certificate and key are in the file
    server.py hostile           machines whose labels have control characters, quotes and 5,000 letters
    server.py stall FILE [LOG [PORT]]   a server with a thousand machines, which does not answer while the file
                                exists; logs which machines are asked for
    server.py metrics FILE      a file as the metrics of a machine
    server.py port              a free port; no server
"""

import json
import os
import re
import socket
import ssl
import sys
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODE, ARGUMENTS = sys.argv[1], sys.argv[2:]
EVIL = 'evil\x1b[31m\x1b]0;title\x07\r\n"q",\\;=1+1\u202e\u0000' + "x" * 5000


def vector(series):
    """The answer to a query with these series: [(labels, value)]."""
    result = [{"metric": labels, "value": [time.time(), str(value)]} for labels, value in series]
    return {"status": "success", "data": {"resultType": "vector", "result": result}}


def hostile(query):
    if query.startswith("ALERTS"):
        return vector([({"instance": "ok", "alertname": "Tenstorrent" + EVIL, "device": EVIL}, 1)])
    if "ttsmi_owner" in query:
        names = ("instance", "user", "pod", "namespace", "container", "slurm_job", "device", "uuid", "kind", "owner")
        return vector([(dict.fromkeys(names, EVIL) | {"pool": "dram"}, 7)])
    if "count by" in query or "unless" in query:
        return vector([])
    if query.startswith("topk"):
        return vector([({"instance": EVIL, "device": EVIL}, 1)])
    names = {"device": EVIL, "uuid": EVIL, "pool": "dram", "role": "job"}
    return vector([({"instance": EVIL} | names, 1), ({"instance": "ok"} | names, 2)])


MACHINES = [f"node{n:04}" for n in range(1000)]


def fleet(query):
    """The answer of a server with a thousand machines of four devices each, of which node0417 is the hottest."""
    if query.startswith("ALERTS") or "count by (__name__)" in query or "unless" in query or "owner" in query:
        return vector([])
    names = MACHINES
    wanted = re.search(r'instance=~?"([^"]*)"', query)
    if wanted:
        pattern = re.compile(wanted.group(1).replace("\\\\", "\\"))
        names = [name for name in MACHINES if pattern.fullmatch(name)]
    per_device = "by (instance, device" in query
    value = 4
    if "temperature" in query:
        value = 60
    elif "power" in query:
        value = 100
    elif "memory_size" in query:
        value = 8e9
    elif "memory_used" in query:
        value = 2e9
    elif "complete" in query or per_device:
        value = 1
    labels = {"pool": "dram", "role": "job"}
    if per_device:
        return vector([({"instance": n, "device": str(d)} | labels, value) for n in names for d in range(4)])
    return vector([({"instance": n} | labels, 88 if n == "node0417" and value == 60 else value) for n in names])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, text, **headers):
        data = text if isinstance(text, bytes) else text.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        chunk = b'{"status":"success","data":' + b" " * 65536
        while True:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    def answer(self, query):
        if MODE == "hang":
            time.sleep(600)
        elif MODE == "garbage":
            self.send(200, "<html>Welcome to nginx!</html>")
        elif MODE == "half":
            self.send(200, json.dumps(vector([({"instance": "a"}, 1)]))[:-20])
        elif MODE == "deep":
            self.send(200, "[" * 1000000)
        elif MODE == "huge":
            self.stream()
        elif MODE == "cut":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"status\":")
            self.close_connection = True
        elif MODE == "status":
            self.send(int(ARGUMENTS[0]), "upstream \x1b[31mis away\nsecond line")
        elif MODE == "refuse":
            self.send(int(ARGUMENTS[0]), json.dumps({"status": "error", "errorType": "timeout", "error": "query \x1b[31mtimed out"}))
        elif MODE == "below":
            self.send(200 if self.path.startswith(ARGUMENTS[0] + "/api/v1/") else 404, json.dumps(vector([])))
        elif MODE == "redirect":
            self.send(302, "", Location=ARGUMENTS[0] + self.path)
        elif MODE in ("auth", "tls"):
            known = self.headers.get("Authorization") == ARGUMENTS[-1]
            self.send(200 if known else 401, json.dumps(vector([])))
        elif MODE == "hostile":
            self.send(200, json.dumps(hostile(query)))
        elif MODE == "stall":
            while os.path.exists(ARGUMENTS[0]):
                time.sleep(0.05)
            if len(ARGUMENTS) > 1 and "instance=" in query:
                with open(ARGUMENTS[1], "a", encoding="utf-8") as log:
                    print(query, file=log)
            self.send(200, json.dumps(fleet(query)))

    def do_POST(self):
        form = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        try:
            self.answer(urllib.parse.parse_qs(form).get("query", [""])[0])
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def do_GET(self):
        if MODE == "metrics":
            with open(ARGUMENTS[0], encoding="utf-8") as metrics:
                self.send(200, metrics.read(), **{"Content-Type": "text/plain; version=0.0.4"})
        else:
            self.answer("")


def main():
    if MODE == "port":
        with socket.create_server(("127.0.0.1", 0)) as free:
            print(free.getsockname()[1])
        return
    port = int(ARGUMENTS[2]) if MODE == "stall" and len(ARGUMENTS) > 2 else 0
    ThreadingHTTPServer.request_queue_size = 64
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    if MODE == "tls":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(ARGUMENTS[0])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()


main()
