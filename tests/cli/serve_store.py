#!/usr/bin/python3
"""heaptap fleet serve and its store: when it is lost and comes back, how many series it may have, files that others can read, and requests
that never end.  Prints TAP."""

import os
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from pprof_profile import profile  # noqa: E402
from serving import HEAPTAP, Server, total  # noqa: E402
from tap import check, end  # noqa: E402

folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
small = profile({("malloc", "main"): (10, 1000)})


def until(done, seconds=30):
    limit = time.monotonic() + seconds
    while not done() and time.monotonic() < limit:
        time.sleep(0.1)
    return done()


# ---- Lost and found
pathlib.Path("token").write_text("0123456789abcdef0123\n")
os.chmod("token", 0o600)
server = Server("--store", "app.db", "--token", "token")
told = {"Authorization": "Bearer 0123456789abcdef0123"}
check("/readyz needs no token", server.ask("GET", "/readyz")[:2] == (200, "ready\n"))
check("a profile is taken", server.post("/profiles?service=a", small, told) == (200, "added\n"))
os.mkdir("away")
for name in "app.db", "app.db-wal", "app.db-shm":
    os.rename(name, "away/" + name)
got = server.post("/profiles?service=b", small, told)
check("the store's file is moved: 503, to be sent again", got[0] == 503, got)
got = server.ask("GET", "/readyz")[:2]
check("... /readyz says so", got == (503, "unable to open database file\n"), got)
check("... /healthz says that the server lives", server.ask("GET", "/healthz")[:2] == (200, "ok\n"))
check("... no other file is made", not os.path.exists("app.db"))
for name in "app.db", "app.db-wal", "app.db-shm":
    os.rename("away/" + name, name)
check("it is back, and takes the profile", server.post("/profiles?service=b", small, told) == (200, "added\n"))
check("... /readyz says so", server.ask("GET", "/readyz")[:2] == (200, "ready\n"))
os.rename("app.db", "away/app.db")
check("lost while nobody sends: /readyz says so", until(lambda: server.ask("GET", "/readyz")[0] == 503))
os.rename("away/app.db", "app.db")
check("... and when it is back", until(lambda: server.ask("GET", "/readyz")[0] == 200))
status, said = server.end()
lines = said.splitlines()
check("one line when it is lost, one when it is back", status == 0 and len(lines) == 4 and all(
    line.startswith("heaptap fleet serve: app.db: " + ("the store can't be reached: unable to open database file", "the store is back, after ")[i % 2])
    for i, line in enumerate(lines)), said)
check("all that was acknowledged is there", total("app.db") == 2000, total("app.db"))

# ---- Series of the last days
server = Server("--store", "few.db", "--max-series", "2")
old = int(time.time()) - 8 * 86400
got = [server.post(f"/profiles?service=old{i}&until={old}", small)[0] for i in range(2)]
got += [server.post(f"/profiles?service=new{i}", small)[0] for i in range(3)]
check("sets of labels that were not seen for 7 days leave their places", got == [200, 200, 200, 200, 429], got)
check("... one that is known is taken", server.post("/profiles?service=new0&host=", small)[0] == 400 and
      server.post("/profiles?service=new0", profile({("other",): (1, 1)}))[0] == 200)
server.end()
server = Server("--store", "few.db", "--max-series", "3")
got = [server.post(f"/profiles?service=later{i}", small)[0] for i in range(2)]
check("... also when the server starts again", got == [200, 429], got)
server.end()

# ---- Files that others can read
for name, mode, arguments in [("token", 0o644, ["--token", "token"]), ("few.db", 0o644, [])]:
    os.chmod(name, mode)
    server = Server("--store", "few.db", *arguments)
    said = server.end()[1]
    check(f"{name} that others can read: a line", said == f"heaptap fleet serve: {name}: note: every user of this machine can read it; `chmod o-r` prevents that\n", said)
    os.chmod(name, 0o640)
    server = Server("--store", "few.db", *arguments)
    said = server.end()[1]
    check("... not if its group can", said == "", said)

# ---- Labels that conditions have words for
subprocess.run([HEAPTAP, "fleet", "store", "init", "labels.db"], check=True, capture_output=True)
pathlib.Path("small.pb").write_bytes(small)
for label in "time=noon", "size=big", "service=a b=c":
    subprocess.run([HEAPTAP, "fleet", "store", "add", "labels.db", "-l", label, "small.pb"], check=True, capture_output=True)
for condition in [['"time"=noon'], ["'time'=noon"], ['"size"=big'], ["'size'='big'"], ["service='a b=c'"], ['service="a b=c"'],
                  ["service!='a b=c'", "'size'!=\"big\""]]:
    check(f"{condition} chooses one", total("labels.db", *condition) == 1000)
    check("... in the name of the store", total("labels.db " + " ".join(condition)) == 1000)

# ---- Requests that never end
resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]), resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
server = Server("--store", "open.db", "--max-rate", "100000")
half = b"POST /profiles?service=x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 1000\r\n\r\nabc" % server.port
held = []
for _ in range(1200):
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex(("127.0.0.1", server.port))
    held.append(one)
time.sleep(0.2)
for one in held:
    try:
        one.send(half)
    except OSError:
        pass
began = time.monotonic()
got = server.post("/profiles?service=honest", small)
took = time.monotonic() - began
check("1200 half requests hold up nobody", got == (200, "added\n") and took < 8, (got, took))
print(f"# {took:.2f} s")
began = time.monotonic()
for i in range(20):
    server.post(f"/profiles?service=honest{i}", small)
check("... nor those who come later", time.monotonic() - began < 8, time.monotonic() - began)
for one in held:
    one.close()
check("it ends", server.end() == (0, ""))
end()
