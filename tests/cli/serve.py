#!/usr/bin/python3
"""heaptap fleet serve as its senders treat it, good ones and others: what is taken, what is refused and why, and what is left when
it is killed.  Prints TAP."""

import gzip
import http.client
import json
import math
import os
import pathlib
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time


sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from pprof_profile import profile  # noqa: E402
from serving import HEAPTAP, Server, total  # noqa: E402
from tap import check, end  # noqa: E402

TRACE = pathlib.Path(os.environ["SOURCE"] + "/tests/golden/valid/irmin-replay-v2.ctf").read_bytes()

folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
server = Server("--store", "app.db", "--max-age", "9000d")
check("it listens", server.port > 0)
check("/healthz", server.ask("GET", "/healthz")[:2] == (200, "ok\n"))

# ---- What is taken
small = profile({("malloc", "main"): (10, 1000), ("calloc", "work", "main"): (2, 500)})
got = server.post("/profiles?service=api&version=1.3&host=a", small)
check("a profile of pprof", got == (200, "added\n"), got)
got = server.post("/profiles?host=a&version=1.3&service=api", gzip.compress(small))
check("... is one with itself, packed and in other words", got == (200, "there before\n"), got)
for name, body in [("a packed file, packed on its way", gzip.compress(gzip.compress(small))),
                   ("... at another level", gzip.compress(gzip.compress(small, 1), 0))]:
    got = server.post("/profiles?host=a&version=1.3&service=api", body, {"Content-Encoding": "gzip"})
    check(f"{name}: is that file", got == (200, "there before\n"), got)
got = server.post("/profiles?service=api&version=1.3&host=b", gzip.compress(small))
check("... of another host is another", got == (200, "added\n"), got)
for said in ["&from=100", f"&from={int(time.time()) - 60}", f"&until={int(time.time()) - 5}"]:
    got = server.post("/profiles?service=api&version=1.3&host=a" + said, small)
    check(f"... as the profile has a time, it is the same with {said}", got == (200, "there before\n"), got)
got = server.post("/profiles?service=irmin", TRACE)
check("a trace of heaptap", got == (200, "added\n"), got)
check("figures: of both hosts", total("app.db", "service=api") == 3000, total("app.db", "service=api"))
check("figures: of one", total("app.db", "service=api", "host=a") == 1500)
wanted = json.loads(subprocess.run([HEAPTAP, "top", "--json", "-"], input=TRACE, stdout=subprocess.PIPE, check=True).stdout)["total"]
check("figures: of the trace", abs(total("app.db", "service=irmin") - wanted) <= 1)
now = int(time.time())
form = (b'--xyz\r\nContent-Disposition: form-data; name="sample_type_config"; filename="config.json"\r\n\r\n{}\r\n--xyz\r\n'
        b'Content-Disposition: form-data; name="profile"; filename="profile.pprof"\r\nContent-Type: application/octet-stream\r\n\r\n'
        + gzip.compress(small) + b"\r\n--xyz--\r\n")
kind = {"Content-Type": "multipart/form-data; boundary=xyz"}
target = f"/ingest?name=web%7Bversion%3D1.4%2C__session_id__%3D7f%7D&from={now - 10}&until={now}&spyName=gospy&sampleRate=100&format=pprof"
got = server.post(target, form, kind)
check("Pyroscope's form", got == (200, "added\n"), got)
got = server.post(target.replace(str(now), f"{now}000000000").replace(str(now - 10), f"{now - 10}000000000"), gzip.compress(small))
check("... the same body alone, with times in nanoseconds, is the same", got == (200, "there before\n"), got)
got = server.post(target, form, {"Content-Type": 'multipart/form-data; boundary="xyz"'})
check("... with the boundary in quotes", got == (200, "there before\n"), got)
check("... its labels", total("app.db", "service=web", "version=1.4") == 1500)
rows = sqlite3.connect("app.db").execute("SELECT labels FROM series ORDER BY labels").fetchall()
check("... and no id of a session", rows == [('host="a",service="api",version="1.3"',), ('host="b",service="api",version="1.3"',),
                                             ('service="irmin"',), ('service="web",version="1.4"',)], rows)
# n = objects p blocks were seen, of s bytes each, with p = 1 - exp(-s / period).
p = -math.expm1(-100 / 524288), -math.expm1(-250 / 524288)
wanted = 10 * p[0] * (1 - p[0]) * (100 / p[0]) ** 2 + 2 * p[1] * (1 - p[1]) * (250 / p[1]) ** 2
row = sqlite3.connect("app.db").execute("SELECT variance FROM total JOIN type ON type.id = type WHERE profile = 1 AND name = 'alloc_space'").fetchone()
check("the variance that follows from the period", abs(row[0] / wanted - 1) < 1e-9, (row, wanted))

# ---- What is refused
for name, wanted, target, body, headers in [
        ("no such page", 404, "/profile", small, {}), ("another way round", 404, "//profiles", small, {}),
        ("no profile", 422, "/profiles?service=x", b"hello", {}), ("nothing", 422, "/profiles?service=x", b"", {}),
        ("half of one", 422, "/profiles?service=x", small[:len(small) // 2], {}),
        ("half of a packed one", 422, "/profiles?service=x", gzip.compress(small)[:60], {}),
        ("half of a trace", 422, "/profiles?service=x", TRACE[:100000], {}),
        ("a label without a name", 400, "/profiles?=x", small, {}), ("one without a value", 400, "/profiles?service", small, {}),
        ("one that is empty", 400, "/profiles?service=", small, {}), ("one that is too long", 400, "/profiles?service=" + "a" * 257, small, {}),
        ("one that is no text", 400, "/profiles?service=%ff", small, {}), ("one that moves cursors", 400, "/profiles?service=%1b[2J", small, {}),
        ("one with a 0 in it", 400, "/profiles?service=a%00b", small, {}), ("a wrong escape", 400, "/profiles?service=%zz", small, {}),
        ("a name of a label that is none", 400, "/profiles?ser%20vice=a", small, {}),
        ("33 labels", 400, "/profiles?" + "&".join(f"l{i}=1" for i in range(33)), small, {}),
        ("a URL without end", 414, "/profiles?" + "a" * 20000 + "=1", small, {}),
        ("times the wrong way round", 400, f"/profiles?service=x&from={now}&until={now - 1}", small, {}),
        ("no time", 400, "/profiles?service=x&until=noon", small, {}), ("a time before all", 400, "/profiles?service=x&from=-5", small, {}),
        ("one that is too large", 400, "/profiles?service=x&from=99999999999999999999", small, {}),
        ("the future", 422, f"/profiles?service=x&until={now + 3600}", small, {}),
        ("the distant past", 422, "/profiles?service=x&until=1000", small, {}),
        ("a label twice", 400, "/profiles?service=a&service=b", small, {}), ("an equal one", 400, "/profiles?service=a&host=b&service=a", small, {}),
        ("one in other letters of a URL", 400, "/profiles?service=a&s%65rvice=b", small, {}),
        ("two times", 400, f"/profiles?service=x&until={now}&until={now}", small, {}),
        ("two beginnings", 400, f"/ingest?name=x&from={now}&from={now - 1}", small, {}), ("two names", 400, "/ingest?name=x&name=y", small, {}),
        ("three times compressed", 422, "/profiles?service=x", gzip.compress(gzip.compress(gzip.compress(small))), {}),
        ("another format", 415, "/ingest?name=x&format=jfr", small, {}), ("no name", 400, "/ingest?format=pprof", small, {}),
        ("a name that does not end", 400, "/ingest?name=x%7Ba%3Db&format=pprof", small, {}),
        ("a form without a profile", 400, "/ingest?name=x", b"--xyz\r\n\r\n--xyz--\r\n", kind),
        ("a form with two", 400, "/ingest?name=x", form[:-9] + form, kind), ("a form that does not end", 400, "/ingest?name=x", form[:-9], kind),
        ("half a form", 400, "/ingest?name=x", form[:len(form) // 2], kind), ("an empty form", 400, "/ingest?name=x", b"", kind),
        ("a form of another boundary", 400, "/ingest?name=x", form.replace(b"xyz", b"abc"), kind),
        *((f"a boundary that is none: {text[:20]}", 400, "/ingest?name=x", form, {"Content-Type": "multipart/form-data" + text})
          for text in ("", ";", "; boundary", "; boundary=", '; boundary=""', '; boundary="', "; boundary=" + "x" * 5000)),
        ("a form that counts from the start", 415, "/ingest?name=x", form.replace(b"sample_type_config", b"prev_profile"), kind),
        ("a page of the web", 403, "/profiles?service=x", small, {"Origin": "https://example.com"}),
        ("another Host", 403, "/profiles?service=x", small, {"Host": "evil.example"}),
        ("a bomb", 422, "/profiles?service=x", gzip.compress(bytes(300 << 20)), {}),
        ("a bomb in one field", 422, "/profiles?service=x", gzip.compress(b"\x0a\x04\x08\x01\x10\x02\x1a\x80\x80\x80\x80\x04" + bytes(280 << 20)), {})]:
    got = server.post(target, body, headers)
    check(f"{name}: {wanted}, and a sentence", got[0] == wanted and re.fullmatch(r"[^\n]{12,}\n", got[1]), got)
for method in ["GET", "PUT", "DELETE"]:
    status, body, answer = server.ask(method, "/profiles?service=x")
    check(f"{method}: 405", status == 405 and answer.getheader("Allow") == "POST", (status, body))
status, body, answer = server.ask("POST", "/metrics", b"x")
check("POST /metrics: 405", status == 405 and answer.getheader("Allow") == "GET", (status, body))
head = b"POST /profiles?service=x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n" % server.port
got = server.raw(head + b"Content-Length: 99999999999\r\n\r\n")
check("too large, by its own word: 413", b" 413 " in got.split(b"\r\n")[0], got[:100])
chunk = b"100000\r\n" + bytes(1 << 20) + b"\r\n"
got = server.raw(head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 20 + b"0\r\n\r\n")
check("too large, in pieces: 413", b" 413 " in got.split(b"\r\n")[0], got[:100])
got = server.raw(b"POST /profiles?service=x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc")
check("no Host: refused", b" 40" in got.split(b"\r\n")[0], got[:100])
with socket.create_connection(("127.0.0.1", server.port)) as silent:
    silent.sendall(head + b"Content-Length: 100\r\n\r\nabc")
    check("one who falls silent holds up nobody", server.ask("GET", "/healthz")[0] == 200)
check("nothing of all that is in the store", total("app.db", "service=x") is None)
status, text, _ = server.ask("GET", "/metrics")
check("/metrics", status == 200 and 'heaptap_profiles_total{result="added"} 4\n' in text and 'heaptap_profiles_total{result="repeated"} 8\n' in text
      and "heaptap_series 3\n" in text and re.search(r'heaptap_refused_total\{status="413"\} 2\n', text), text)
lines = [line for line in text.splitlines() if not re.fullmatch(r"# (HELP|TYPE) heaptap_\w+ .+|heaptap_\w+(\{\w+=\"\w+\"\})? [0-9.e+-]+", line)]
check("... as Prometheus reads it", not lines, lines)
other = subprocess.run([HEAPTAP, "fleet", "serve", "--store", "other.db", "--listen", f"127.0.0.1:{server.port}"],
                       capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
check("a port that is taken is told", other.returncode == 4 and f"cannot listen on 127.0.0.1, port {server.port}: " in other.stderr, (other.returncode, other.stderr))
check("it ends when it is told to", server.end() == (0, ""))

# ---- Limits
server = Server("--store", "few.db", "--max-series", "2", "--max-rate", "3", "--max-age", "1h", "--max-size", "0.01")
got = [server.post(f"/profiles?service=s{i}", small)[0] for i in range(3)]
check("a third set of labels where two may be: 429", got == [200, 200, 429], got)
got = [server.post("/profiles?service=s0", small)[0] for _ in range(5)]
check("too many a second: 429", 429 in got, got)
check("... to be sent again", server.ask("POST", "/profiles?service=s0", small)[2].getheader("Retry-After") == "1")
time.sleep(1.1)
check("... a second later it is taken", server.post("/profiles?service=s0", small)[0] == 200)
check("more than --max-size", server.post("/profiles?service=s0", bytes(20000))[0] == 413)
got = server.post(f"/profiles?service=s0&until={now - 7200}", small)
check("older than --max-age", got[0] == 422 and "this server takes those of the last 3600" in got[1], got)
server.end()

server = Server("--store", "few.db", "--max-size", "10 kB", "--max-rate", "1e3", "--max-depth", "1k", "--max-nodes", "1e6", "--max-series", "2k")
got = [server.post("/profiles?service=s0", bytes(size))[0] for size in (10 * 1024, 10 * 1024 + 1)]
check("limits with units: 10 kB are read, and a byte more is not", got[0] in (415, 422) and got[1] == 413, got)
server.end()

# ---- A token
pathlib.Path("token").write_text("0123456789abcdef0123\n")
server = Server("--store", "app.db", "--token", "token")
for name, wanted, headers in [("none", 401, {}), ("a wrong one", 401, {"Authorization": "Bearer 0123456789abcdef0124"}),
                              ("a part", 401, {"Authorization": "Bearer 0123"}), ("another scheme", 401, {"Authorization": "Basic 0123456789abcdef0123"}),
                              ("it", 200, {"Authorization": "Bearer 0123456789abcdef0123"}),
                              ("it, under another name", 200, {"Authorization": "Bearer 0123456789abcdef0123", "Host": "profiles.example"})]:
    got = server.post("/profiles?service=token", small, headers)
    check(f"a token is wanted, {name} is given: {wanted}", got[0] == wanted, got)
check("/metrics wants it, too", server.ask("GET", "/metrics")[0] == 401)
check("/healthz does not", server.ask("GET", "/healthz")[0] == 200)
server.end()
for name, arguments in [("other machines and no token", ["--listen", "0.0.0.0:0"]), ("no address", ["--listen", "here"]),
                        ("a short token", ["--token", "short"]), ("a file that is no store", ["--store", "token"]), ("no store", ["--store", ""]),
                        ("a wrong size", ["--max-size", "0"]), ("a larger size than there may be", ["--max-size", "2GB"]), ("another unit", ["--max-size", "10s"]),
                        ("half a node", ["--max-nodes", "1.5"]), ("more than there may be", ["--max-nodes", "1e9"]), ("a size of series", ["--max-series", "1kB"]), ("an argument", ["more"])]:
    pathlib.Path("short").write_text("abc\n")
    done = subprocess.run([HEAPTAP, "fleet", "serve", "--store", "other.db", "--listen", "127.0.0.1:0", *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=20, check=False)
    check(f"{name}: not started", done.returncode in (2, 3, 4) and done.stderr.startswith("heaptap fleet serve: "), (done.returncode, done.stderr))

# ---- Killed under load: what was acknowledged is there, and what is sent again is counted once.
acknowledged, lock = set(), threading.Lock()
bodies = [profile({("f%d" % (i % 7), "g%d" % i, "main"): (1, 100 + i)}) for i in range(300)]


def send(target, numbers):
    for number in numbers:
        try:
            if target.post("/profiles?service=load", bodies[number])[0] == 200:
                with lock:
                    acknowledged.add(number)
        except (OSError, http.client.HTTPException):
            return


server = Server("--store", "load.db", "--max-rate", "100000")
threads = [threading.Thread(target=send, args=(server, range(i, 300, 3))) for i in range(3)]
for thread in threads:
    thread.start()
while len(acknowledged) < 60:
    time.sleep(0.005)
server.process.kill()
for thread in threads:
    thread.join()
server.process.communicate()
wanted = sum(100 + i for i in acknowledged)
got = total("load.db")
check(f"killed: {len(acknowledged)} of 300 were acknowledged, and are there", got >= wanted and 60 <= len(acknowledged) < 300, (got, wanted))
check("... in a store that holds together", subprocess.run([HEAPTAP, "fleet", "store", "check", "load.db"], stdout=subprocess.DEVNULL, check=False).returncode == 0)
server = Server("--store", "load.db", "--max-rate", "100000")
send(server, range(300))
wanted = sum(100 + i for i in range(300))
check("sent again, all of them: each is counted once", len(acknowledged) == 300 and total("load.db") == wanted, (len(acknowledged), total("load.db"), wanted))
server.end()
end()
