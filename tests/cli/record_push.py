#!/usr/bin/python3
"""heaptap record --push: what arrives at a server that is there, away, slow, unwilling, and what waits meanwhile.  Prints TAP."""

import collections
import gzip
import http.server
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from protobuf import message, varint
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
PHASES_SECONDS, PHASES = "1.3", "2"
ALLOCATED = 300 + 26 # blocks of tests/targets/phases.c


class Server:
    """Takes profiles and keeps them; answers with `status`; 0: not at all."""

    def __init__(self, port=0, status=200):
        self.taken, self.asked, self.headers, self.status = [], 0, [], status
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked += 1
                outer.headers.append(dict(self.headers))
                if outer.status == 0:
                    time.sleep(60)
                    return
                if outer.status == 200:
                    outer.taken.append((self.path, body))
                self.send_response(outer.status)
                self.end_headers()
                self.wfile.write(b"says so")

            def log_message(self, *_):
                pass

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.http = Listener(("127.0.0.1", port), Handler)
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def url(self, path=""):
        return f"http://127.0.0.1:{self.port}{path}"

    def end(self):
        self.http.shutdown()
        self.http.server_close()


def total(body):
    """alloc_objects of a profile."""
    samples = [message(sample) for sample in message(gzip.decompress(body)).get(2, [])]
    return sum(varint(sample[2][0], 0)[0] for sample in samples)


def record(*options, seconds=PHASES_SECONDS, phases=PHASES):
    start = time.monotonic()
    done = subprocess.run([HEAPTAP, "record", "--all", "--every", "1s", *options, "--", "./phases", seconds, phases],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    done.seconds = time.monotonic() - start
    return done


def waiting(folder="spool"):
    return sorted(pathlib.Path(folder).glob("*.profile"))


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def test_there():
    server = Server()
    token = pathlib.Path("token")
    token.write_text("0123456789abcdef-token\n")
    token.chmod(0o600)
    done = record("--push", server.url(), "--label", "version=1.4", "--label", "team=a b&c", "--token", "token", "--spool", "spool")
    queries = {path for path, _ in server.taken}
    check("all that was allocated arrives", sum(total(body) for _, body in server.taken) == ALLOCATED,
          f"{[total(body) for _, body in server.taken]} {done.stderr}")
    check("... in a profile for each interval", len(server.taken) == 3, done.stderr)
    host = urllib.parse.quote(socket.gethostname())
    check("... with labels", len(queries) == 1 and dict(urllib.parse.parse_qsl(queries.pop().split("?")[1])) == {
        "service": "phases", "version": "1.4", "team": "a b&c", "host": urllib.parse.unquote(host), "process": "1"}, queries)
    check("... with the token", all(head.get("Authorization") == "Bearer 0123456789abcdef-token" for head in server.headers))
    check("... and that is said", done.stderr == f"3 profiles sent to {server.url('/profiles')}\n", done.stderr)
    check("nothing waits any more", not waiting())
    server.end()


def test_pyroscope():
    server = Server()
    done = record("--push", server.url("/ingest"), "--label", "service=api", "--label", "host=h", "--spool", "spool", phases="1")
    query = dict(urllib.parse.parse_qsl(server.taken[0][0].split("?")[1])) if server.taken else {}
    check("to /ingest they go as from Pyroscope's agents", query.get("name") == "api{host=h,process=1}" and
          query.get("format") == "pprof" and 0 <= int(query["until"]) - int(query["from"]) <= 3, (query, done.stderr))
    server.end()


def test_away():
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    done = record("--push", url, "--spool", "spool")
    check("a server that is away: the program does not wait", done.returncode == 0 and done.seconds < 6, done.seconds)
    check("... it is said once, and at the end", done.stderr.count("profiles wait in spool\n") == 1 and
          "3 profiles wait in spool until the next recording" in done.stderr, done.stderr)
    check("... and the profiles wait", len(waiting()) == 3, done.stderr)
    server = None
    process = subprocess.Popen([HEAPTAP, "record", "--all", "--every", "1s", "--push", url, "--spool", "spool", "--",
                                "./phases", "3", PHASES], stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    server = Server(port)
    error = process.communicate()[1]
    bodies = collections.Counter(body for _, body in server.taken)
    check("it comes back: those that waited, and the new ones, arrive", sum(map(total, bodies)) == ALLOCATED + 300 + 60,
          (sum(map(total, bodies)), error))
    check("... each once", set(bodies.values()) == {1}, bodies.values())
    check("... and it is said that it is back", "takes profiles again" in error, error)
    check("... and nothing waits", not waiting())
    server.end()


def test_unwilling():
    server = Server(status=422)
    done = record("--push", server.url(), "--spool", "spool", phases="1")
    check("profiles that a server refuses do not wait", not waiting() and server.asked == 2, (server.asked, done.stderr))
    check("... and that is said", "2 profiles were refused: it answers 422: says so" in done.stderr, done.stderr)
    server.end()
    server = Server(status=401)
    done = record("--push", server.url(), "--spool", "spool", phases="1")
    check("without the right token they wait", len(waiting()) == 2 and "it answers 401" in done.stderr, done.stderr)
    server.end()
    for path in waiting():
        path.unlink()


def test_silent():
    server = Server(status=0)
    done = record("--push", server.url(), "--spool", "spool", phases="1")
    check("a server that never answers: ten seconds after the program's end all ends", 9 < done.seconds - 1.5 < 13, done.seconds)
    check("... and the profiles wait", len(waiting()) == 2, done.stderr)
    server.end()
    for path in waiting():
        path.unlink()


def test_limit():
    done = record("--push", f"http://127.0.0.1:{free_port()}", "--spool", "spool", "--spool-size", "2k", "-o", "kept")
    kept = sorted(pathlib.Path("kept").iterdir())
    left = waiting()
    check("the spool's limit holds", 0 < sum(path.stat().st_size for path in left) <= 2048, left)
    dropped = re.search(r"(\d+) of the oldest profiles? (?:was|were) dropped", done.stderr)
    check("... what is dropped is counted", dropped and int(dropped[1]) + len(left) == len(kept) == 3, done.stderr)
    check("... and it is the oldest", [path.read_bytes().split(b"\n", 1)[1] for path in left] ==
          [path.read_bytes() for path in kept[len(kept) - len(left):]])


def test_memory():
    server = Server()
    process = subprocess.Popen([HEAPTAP, "record", "--all", "--every", "1s", "-q", "--push", server.url(), "--spool", "spool", "--",
                                "./phases", "12", "1"])

    def resident():
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())[1])

    time.sleep(4.5)
    early = resident()
    time.sleep(6)
    late = resident()
    process.wait()
    check("memory does not grow with time", late - early < 512, f"{early} kB, {late} kB")
    server.end()


def test_serve():
    server = subprocess.Popen([HEAPTAP, "fleet", "serve", "--store", "s.db", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().strip()
    done = record("--push", url, "--label", "service=api", "--spool", "spool")
    result = subprocess.run([HEAPTAP, "top", "--json", "--sample=alloc_objects", "store:s.db", "service=api"], capture_output=True, text=True)
    check("heaptap fleet serve has them", f'"total": {ALLOCATED},' in result.stdout, done.stderr + result.stdout + result.stderr)
    server.terminate()
    server.wait()


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcc", "-O2", "-g", os.environ["SOURCE"] + "/tests/targets/phases.c", "-o", folder + "/phases"], check=True)
        for name in ["MEMTRACE", "MEMTRACE_RATE", "LD_PRELOAD", "DEBUGINFOD_URLS", "HEAPTAP_PRELOAD", "http_proxy", "HTTP_PROXY"]:
            os.environ.pop(name, None)
        os.chdir(folder)
        for test in [test_there, test_pyroscope, test_away, test_unwilling, test_silent, test_limit, test_memory]:
            test()
        if os.environ.get("VIEWER"):
            test_serve()
    end()


main()
