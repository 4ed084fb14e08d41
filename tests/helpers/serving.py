"""heaptap fleet serve as the tests treat it: started, asked, ended."""
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess

HEAPTAP = os.environ["HEAPTAP"]


class Server:
    """`authority` is the file of the certificate by which one with TLS is known, `patience` how many seconds an answer may take."""

    def __init__(self, *arguments, authority=None, patience=60):
        self.patience = patience
        self.process = subprocess.Popen([HEAPTAP, "fleet", "serve", "--listen", "127.0.0.1:0", *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.url = self.process.stdout.readline().decode().strip()
        self.tls = ssl.create_default_context(cafile=authority) if authority else None
        found = re.fullmatch(("https" if authority else "http") + r"://127\.0\.0\.1:(\d+)", self.url)
        self.port = int(found[1]) if found else 0

    def connect(self, timeout=None):
        timeout = timeout or self.patience
        if self.tls:
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=self.tls)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, target, body=None, headers=None):
        connection = self.connect()
        try:
            connection.request(method, target, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer
        finally:
            connection.close()

    def post(self, target, body, headers=None):
        return self.ask("POST", target, body, headers)[:2]

    def raw(self, data, seconds=30):
        """What comes back for these bytes, until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.settimeout(seconds)
            got = b""
            try:
                connection.sendall(data)
                while part := connection.recv(65536):
                    got += part
            except OSError:
                pass
            return got

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        stderr = self.process.communicate()[1].decode()
        return self.process.returncode, stderr


def total(store, *conditions):
    done = subprocess.run([HEAPTAP, "top", "--json", f"store:{store}", *conditions], capture_output=True, check=False)
    return json.loads(done.stdout)["total"] if done.returncode == 0 else None
