"""Clients of tt_smi serve with passwords.

    login.py flood PORT NAME PASSWORD     wrong passwords from many addresses; scrapes with a right one are answered meanwhile
    login.py guess PORT NAME              wrong passwords from one address; prints how many were looked at, and the last status
    login.py stall PORT                   TLS handshakes that never end are hung up; others are served meanwhile
"""

import base64
import http.client
import select
import socket
import ssl
import sys

PATIENCE = 300  # seconds; only ends a test that hangs


def request(name, password):
    login = base64.b64encode(f"{name}:{password}".encode()).decode()
    return f"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {login}\r\n\r\n".encode()


def ask(port, name, password, address="127.0.0.1"):
    """Sends a request. Returns the status of the answer, and its Retry-After."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE, (address, 0)) as client:
        client.sendall(request(name, password))
        answer = http.client.HTTPResponse(client)
        answer.begin()
        answer.read()
        return answer.status, answer.headers["Retry-After"]


def status_of(client):
    line = client.recv(15)
    return int(line[9:12]) if line else 0


def flood(port, name, password):
    assert ask(port, name, password, "127.0.1.1")[0] == 200
    clients = []
    for i in range(200):  # two from each address, which is more than the queue holds
        client = socket.create_connection(("127.0.0.1", port), PATIENCE, (f"127.0.2.{1 + i // 2}", 0))
        client.sendall(request(name if i % 2 else "nobody", f"wrong{i}"))
        clients.append(client)
    # This password was verified before, so these requests are not queued.
    for _ in range(30):
        assert ask(port, name, password, "127.0.1.1")[0] == 200
        assert ask(port, name, password, "127.0.1.2")[0] == 200
    waiting = [client for client in clients if not select.select([client], [], [], 0)[0]]
    assert waiting, "all wrong passwords were verified before 60 scrapes"
    refused = [client for client in clients if client not in waiting and status_of(client) == 503]
    assert len(refused) >= 100, "the queue has no bound"
    assert status_of(waiting[0]) == 401


def guess(port, name):
    looked_at = 0
    for i in range(100):
        status, later = ask(port, name, f"wrong{i}")
        if status != 401:
            break
        looked_at += 1
    assert later and later.isdigit(), later
    print(looked_at, status)


def stall(port):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    hello = ssl.MemoryBIO()
    halves = context.wrap_bio(ssl.MemoryBIO(), hello)
    try:
        halves.do_handshake()
    except ssl.SSLWantReadError:
        pass
    hello = hello.read()
    begun = [b"", hello[:1], hello[: len(hello) // 2], hello, b"\x16\x03\x01\xff\xff", b"GET / HTTP/1.1\r\n\r\n"]
    clients = []
    for i in range(60):
        client = socket.create_connection(("127.0.0.1", port), PATIENCE, ("127.0.2.1", 0))
        client.sendall(begun[i % len(begun)])
        clients.append(client)
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as plain, context.wrap_socket(plain) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert status_of(client) == 200
    for client in clients:
        try:
            while client.recv(10000):
                pass
        except ConnectionError:
            pass


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    globals()[command](*(int(word) if word.isdigit() else word for word in words))
