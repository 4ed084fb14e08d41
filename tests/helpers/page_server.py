"""The page's server, as a test asks it."""
import ctypes
import json
import re
import signal
import socket
import subprocess
import time
import urllib.parse


LIBC, PR_SET_PDEATHSIG = ctypes.CDLL(None), 1


def end_with_parent():
    """In a process that has just begun: it ends when the test does, however that comes."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class PageServer:
    """`heaptap view` on files, which it has read."""

    def __init__(self, heaptap, *files, folder=None):
        self.process = subprocess.Popen([heaptap, "view", "--no-browser", *files], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=folder,
                                        preexec_fn=end_with_parent)
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/(\w+)/\n", self.process.stdout.readline().decode())
        self.port, self.token = int(found[1]), found[2]
        while self.ask("about")["state"] == "reading":
            time.sleep(0.02)

    def ask(self, subject, **parameters):
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(f"GET /{self.token}/api/{subject}?{urllib.parse.urlencode(parameters)} HTTP/1.1\r\n"
                               f"Host: 127.0.0.1:{self.port}\r\nConnection: close\r\n\r\n".encode())
            got = b"".join(iter(lambda: connection.recv(1 << 16), b""))
        return json.loads(got.partition(b"\r\n\r\n")[2])

    def end(self):
        self.process.terminate()
        self.process.wait()
