#!/usr/bin/python3
"""heaptap fleet serve --scrape: what targets count from their start becomes what they allocated between two fetches; targets that fail are
told of, and work again; a Go program.  Prints TAP."""

import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from pprof_profile import profile  # noqa: E402
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
GO = """package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"runtime"
	"strings"
	"time"
)

var kept []string

func grow() {
	for {
		kept = append(kept, strings.Repeat("x", 1<<20))
		if len(kept) > 4 {
			kept = nil
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
}

func main() {
	go grow()
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	fmt.Println(listener.Addr())
	http.Serve(listener, nil)
}
"""


class Target(http.server.ThreadingHTTPServer):
    """Answers each GET of a path with the next of its bodies, and then with the last; None is a status of 404."""

    daemon_threads = True

    def __init__(self, **bodies):
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies, self.asked = {"/" + path: list(of_path) for path, of_path in bodies.items()}, {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server_port}/{path}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        bodies = self.server.bodies[self.path]
        body = bodies.pop(0) if len(bodies) > 1 else bodies[0]
        self.send_response(404 if body is None else 200)
        self.end_headers()
        self.wfile.write(body or b"")
        self.server.asked[self.path] = self.server.asked.get(self.path, 0) + 1

    def log_message(self, *_):
        pass


class Server:
    def __init__(self, store, targets):
        pathlib.Path("targets").write_text(targets)
        self.store = store
        self.process = subprocess.Popen([HEAPTAP, "fleet", "serve", "--store", store, "--listen", "127.0.0.1:0", "--scrape", "targets"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.process.stdout.readline()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.communicate(timeout=60)[1]


def wait_until(true, seconds=40):
    began = time.monotonic()
    while not true() and time.monotonic() - began < seconds:
        time.sleep(0.05)
    return true()


def sums(store, sample, *conditions):
    """By function, what itself has."""
    done = subprocess.run([HEAPTAP, "top", "--json", "-n", "0", "-s", sample, f"store:{store}", *conditions], capture_output=True, check=False)
    return {node["name"]: node["flat"] for node in json.loads(done.stdout)["nodes"] if node["flat"]} if done.returncode == 0 else done.stderr


def cumulative(**sizes):
    """A profile whose stacks f-main have allocated so many bytes since the start, and have half of them in use."""
    return profile({(name, "main"): (size // 10, size) for name, size in sizes.items()})


os.chdir(tempfile.mkdtemp())
target = Target(heap=[cumulative(f=1000), cumulative(f=1500, g=300), cumulative(f=200), cumulative(f=200, g=50)],
                broken=[None, None, b"no profile", cumulative(h=10), cumulative(h=30)])
server = Server("app.db", f"""# targets
{target.url("heap")} every=1s service=api version=1.4

{target.url("broken").replace("//", "//me:secret@")} every=1s service=other   # fails at first
""")
check("both are fetched, again and again", wait_until(lambda: min(target.asked.get(path, 0) for path in ("/heap", "/broken")) >= 6), target.asked)
messages = server.end()
got = sums("app.db", "alloc_space", "service=api")
check("allocated: what each stack has more than before; of the first nothing; after a new start all", got == {"f": 500 + 200, "g": 300 + 50}, got)
check("in use: a level, the mean of the profiles", 200 <= sums("app.db", "inuse_space", "service=api")["f"] <= 1500)
got = sums("app.db", "alloc_space", "service=other")
check("one that failed at first counts from the first that came", got == {"h": 20}, got)
instance = f"127.0.0.1:{target.server_port}"
check("instance is the host and port", sums("app.db", "alloc_space", f"instance={instance}", "service=api") == {"f": 700, "g": 350})
shown = target.url("broken")
lines = [line.replace("heaptap fleet serve: ", "") for line in messages.splitlines()]
check("what fails is told of once, and when it works again; no password", lines == [f"{shown}: it answers with status 404", f"{shown}: works again"], messages)

# ---- Files that are none
for name, text, wanted in [
        ("no URL", "localhost:80 every=1s\n", "line 1: a line begins with a URL, http://HOST:PORT/PATH, not with 'localhost:80'"),
        ("a wrong time", "# a\nhttp://localhost every=soon\n", "line 2: every= takes a time of a second or more, such as 30s, not 'soon'"),
        ("a wrong label", "http://localhost service\n", "line 1: "),
        ("a file", "file:///etc/passwd\n", "line 1: a line begins with a URL"),
        ("nothing", "# nothing\n", "there are no targets in it")]:
    pathlib.Path("targets").write_text(text)
    done = subprocess.run([HEAPTAP, "fleet", "serve", "--store", "x.db", "--listen", "127.0.0.1:0", "--scrape", "targets"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=20, check=False)
    check(f"{name} in place of targets", done.returncode == 2 and wanted in done.stderr, (done.returncode, done.stderr))

# ---- A Go program
if shutil.which("go"):
    pathlib.Path("grow.go").write_text(GO)
    built = subprocess.run(["go", "build", "-o", "grow", "grow.go"], env=dict(os.environ, GOFLAGS="-mod=mod", GO111MODULE="off", HOME=os.getcwd()),
                           capture_output=True, text=True, check=False)
    program = subprocess.Popen(["./grow"], stdout=subprocess.PIPE, text=True)
    address = program.stdout.readline().strip()
    server = Server("go.db", f"http://{address}/debug/pprof/heap every=1s service=grow\n")
    grown = wait_until(lambda: isinstance(found := sums("go.db", "alloc_space"), dict) and sum(found.values()) > 50 << 20)
    check("a Go program is scraped", grown, (built.stderr, sums("go.db", "alloc_space")))
    program.kill()
    done = subprocess.run([HEAPTAP, "hotspots", "--json", "-s", "alloc_space", "store:go.db"], stdout=subprocess.PIPE, check=False)
    check("... and its own function is the heaviest place", json.loads(done.stdout)["sites"][0]["function"] == "main.grow", done.stdout[:2000])
    server.end()
end()
