#!/usr/bin/python3
"""heaptap fleet serve among senders who mean it ill: bombs, wrong lengths, a million labels, slow senders and readers, strangers.  Each is
refused with a status and a sentence, or cut off; others are served meanwhile, and memory stays bounded.  Prints TAP."""

import gzip
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zlib

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from pprof_profile import profile  # noqa: E402
from protobuf_encode import field, varint  # noqa: E402
from serving import HEAPTAP, Server, total  # noqa: E402
from tap import check, end  # noqa: E402

MB = 1 << 20
small = profile({("malloc", "main"): (10, 1000)})
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)


def memory(server, what="VmHWM"):
    """MB of the server: VmHWM the most it had, VmRSS what it has."""
    for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith(what + ":"):
            return int(line.split()[1]) / 1024
    return 0


def is_well(server):
    return server.ask("GET", "/healthz")[:2] == (200, "ok\n")


def packed(size, level=9):
    """`size` bytes of 0, packed."""
    packer = zlib.compressobj(level, zlib.DEFLATED, 31)
    out = b"".join(packer.compress(bytes(16 * MB)) for _ in range(size // (16 * MB)))
    return out + packer.flush()


server = Server("--store", "app.db", "--max-time", "2s")
WHO = "this server answers programs of this machine, under the address at which it listens\n"

# ---- Strangers
for name, headers in [("another Host", {"Host": "evil.example"}), ("its port at another Host", {"Host": f"evil.example:{server.port}"}),
                      ("another port", {"Host": "127.0.0.1:1"}), ("a Host that begins like its own", {"Host": f"127.0.0.1:{server.port}.evil.example"}),
                      ("an Origin", {"Origin": "https://evil.example"}), ("an Origin of null", {"Origin": "null"})]:
    for method, target in [("POST", "/profiles?service=x"), ("POST", "/ingest?name=x"), ("GET", "/metrics"), ("GET", "/healthz"), ("GET", "/")]:
        got = server.ask(method, target, small if method == "POST" else None, headers)[:2]
        check(f"{name}: 403 for {method} {target}", got == (403, WHO), got)
pathlib.Path("token").write_text("0123456789abcdef0123\n")
guarded = Server("--store", "other.db", "--token", "token")
for name, headers in [("no token", {}), ("half of it", {"Authorization": "Bearer 0123456789"}), ("more than it", {"Authorization": "Bearer 0123456789abcdef01234"}),
                      ("as a password", {"Authorization": "Basic eDowMTIzNDU2Nzg5YWJjZGVmMDEyMw=="}), ("none after its scheme", {"Authorization": "Bearer "}),
                      ("30 kB", {"Authorization": "Bearer " + "0" * 30000})]:
    for method, target in [("POST", "/profiles?service=x"), ("POST", "/ingest?name=x"), ("GET", "/metrics"), ("POST", "/nowhere")]:
        got = guarded.ask(method, target, small if method == "POST" else None, headers)[:2]
        check(f"{name}: 401 for {method} {target}", got == (401, "this server wants its token: Authorization: Bearer TOKEN\n"), got)
guarded.end()

# ---- Lengths
HEAD = b"POST /profiles?service=x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % server.port


def first_line(data, seconds=10):
    return server.raw(data, seconds).split(b"\r\n")[0].decode()


for name, headers, wanted in [
        ("less than none", b"Content-Length: -5\r\n\r\nhello", "400"), ("no number", b"Content-Length: many\r\n\r\nhello", "400"),
        ("larger than any", b"Content-Length: 99999999999999999999999999\r\n\r\nhello", "413"),
        ("a piece that is larger than any", b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n", ""),
        ("a piece whose length is none", b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n", "")]:
    got = first_line(HEAD + headers)
    check(f"a length that is {name}: {wanted or 'cut off'}", wanted in got and " 200 " not in got, got)
got = server.raw(HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % (len(small) - 7) + small)
check("a body shorter than the profile: 422", b" 422 " in got.split(b"\r\n")[0], got[:200])
start = time.monotonic()
got = server.raw(HEAD + b"Content-Length: %d\r\n\r\n" % (len(small) + 10) + small)
check("a body that does not come whole: cut off without an answer", got == b"" and 1 <= time.monotonic() - start <= 6, (got, time.monotonic() - start))
got = server.raw(HEAD + b"Content-Length: %d\r\n\r\n" % len(small) + small + b"\x00\x01\x02 more that is no request\r\n\r\n")
check("bytes after a body are no part of it", got.startswith(b"HTTP/1.1 200 ") and b" 200 " not in got[20:], got)
got = first_line(HEAD + b"X: " + b"x" * 200000 + b"\r\n\r\n")
check("a header of 200 kB: refused", got == "" or " 431 " in got or " 413 " in got, got)
check("... and nobody is worse off", is_well(server))

# ---- What two servers could understand in two ways
for name, headers in [("two lengths", b"Content-Length: 5\r\nContent-Length: 50\r\n\r\nhello"),
                      ("two equal ones", b"Content-Length: 5\r\ncontent-length: 5\r\n\r\nhello"),
                      ("a length and pieces", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                      ("pieces twice", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                      ("two Hosts", b"Host: evil.example\r\nContent-Length: 5\r\n\r\nhello"),
                      ("two Hosts, equal", b"Host: 127.0.0.1:%d\r\nContent-Length: 5\r\n\r\nhello" % server.port)]:
    got = first_line(HEAD + b"Connection: close\r\n" + headers)
    check(f"{name}: refused", " 400 " in got, got)


# ---- ... and a body that would be the next request: it is answered once, by a refusal, and nothing that follows is read.  (What
# libmicrohttpd refuses by itself it may say twice.)
NEXT = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % server.port
PIECES = b"0\r\n\r\n" + NEXT
GET = HEAD.replace(b"POST /profiles?service=x", b"GET /readyz")
for name, headers, body in [
        *[(f"{length!r} as a length", b"Content-Length:" + length, NEXT)
          for length in (b" 5, 5", b" +5", b" -5", b" -0", b" 0x5", b" 5 5", b" 5;", b" 5.0", b" 5e0", b"", b" ", b" \x0b5", b" five")],
        *[(f"{encoding!r} as an encoding", b"Transfer-Encoding:" + encoding, PIECES)
          for encoding in (b" xchunked", b" chunkedx", b" chunked, identity", b" identity", b" chunked, chunked", b" gzip, chunked",
                           b" chunked;x=1", b"", b" ", b" \x0bchunked")],
        ("a blank before the colon", b"Content-Length : %d" % len(NEXT), NEXT), ("two blanks", b"Content-Length  : %d" % len(NEXT), NEXT),
        ("a tab before the colon", b"Content-Length\t: %d" % len(NEXT), NEXT), ("a blank behind an encoding", b"Transfer-Encoding : chunked", PIECES),
        ("a vertical tab before the colon", b"Content-Length\x0b: %d" % len(NEXT), NEXT), ("a NUL", b"Content-Length\x00: %d" % len(NEXT), NEXT),
        ("no colon", b"Content-Length %d" % len(NEXT), NEXT), ("no name", b": %d" % len(NEXT), NEXT), ("a name in quotes", b'"Content-Length": 5', NEXT),
        ("a carriage return", b"X: a\rContent-Length: %d" % len(NEXT), NEXT), ("no length at all", b"X: a", NEXT)]:
    start = time.monotonic()
    got = server.raw(HEAD + headers + b"\r\n\r\n" + body, 10)
    check(f"{name}: refused at once, and no second request", got[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 411") and b" 200 " not in got and b" 422 " not in got and
          time.monotonic() - start < 1.5, got)
    if b"-Length" in headers and b" -" not in headers:
        got = server.raw(GET + headers + b"\r\n\r\n" + body, 10)
        check("... as a GET, too", got.startswith(b"HTTP/1.1 400 ") and b" 200 " not in got, got)
for name, headers in [("a length in the next line", b"Content-Length:\r\n %d" % len(NEXT)), ("half of it there", b"Content-Length: 6\r\n\t7"),
                      ("an encoding in the next line", b"Transfer-Encoding:\r\n chunked"), ("a length that goes on behind another header", b"X: a\r\n Content-Length: 5"),
                      ("a first line that begins with a blank", b" X: a")]:
    got = server.raw(HEAD + headers + b"\r\n\r\n" + NEXT, 10)
    check(f"{name}: refused, or taken as one", got[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 403", b"HTTP/1.1 411", b"HTTP/1.1 422", b"") and b" 200 " not in got, got)
got = server.raw(GET + b"A: b\tc \xc3\xa4 \"(/)\"\r\n!#$%&'*+-.^_`|~9aZ: x\r\nConnection: close\r\n\r\n", 10)
check("names and values of all characters that they may have are taken", got.startswith(b"HTTP/1.1 200 "), got)
got = server.raw(HEAD + b"transfer-encoding: CHUNKED\r\nConnection: close\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(small), small), 10)
check("... as is a profile in pieces", got.startswith(b"HTTP/1.1 200 "), got)
got = server.raw(HEAD + b"Authorization: Bearer a\r\nAuthorization: Bearer b\r\nContent-Length: 0\r\n\r\n", 10)
check("two Authorizations: 400", got.startswith(b"HTTP/1.1 400 ") and got.endswith(b"the request has more than one Authorization\n"), got)

# ---- Times that no clock shows --------------------------------------------------------------

TRACE = pathlib.Path(os.environ["SOURCE"] + "/tests/golden/valid/irmin-replay-v2.ctf").read_bytes()
for moment in (-1 << 63, -9221772041149743104, -1, 0, 1, (1 << 63) // 1000, 1 << 62, (1 << 63) - 1):
    got = server.post("/profiles?service=old&moment=%d" % moment, TRACE[:8] + moment.to_bytes(8, "little", signed=True) + TRACE[16:])
    check(f"a trace that begins at {moment}: taken as of now, or refused", got[0] == 200 or got[0] == 422 and "seconds" in got[1], got)

# ---- Bombs
before = memory(server)
bomb = packed(4096 * MB)
BOMB = "unpacked, the profile is larger than 268435456 bytes\n"
MANY = "it unpacks to more than 250 times its size, which no profile does; if it is one, decompress it first, and give that file\n"
got = server.post("/profiles?service=x", bomb)
check(f"4 GB in {len(bomb) / MB:.1f} MB: 422", got[0] == 422 and got[1] in (BOMB, MANY), got)
got = server.post("/profiles?service=x", gzip.compress(bytes(MB)) * 300)
check("300 packed files of 1 MB, one after the other: 422", got[0] == 422 and got[1] in (BOMB, MANY), got)
got = server.post("/profiles?service=x", gzip.compress(packed(1024 * MB)))
check("a bomb in a packed file: 422", got[0] == 422, got)
zstd = subprocess.run(["zstd", "-q", "-c"], input=bytes(300 * MB), stdout=subprocess.PIPE, check=True).stdout
got = server.post("/profiles?service=x", zstd)
check("300 MB by zstd: 422", got[0] == 422 and got[1] in (BOMB, MANY), got)
text = b"".join(field(6, b"") for _ in range(8)) # a table of strings, of which each takes two bytes
got = server.post("/profiles?service=x", gzip.compress(text * (14 * MB // len(text)), 1))
check("seven million empty strings: 422", got[0] == 422, got)
grown = memory(server)
check("... in less than 1000 MB", grown < 1000, f"{before} MB, {grown} MB")
check("... and nobody is worse off", is_well(server))

# ---- A million labels
got = first_line(b"POST /profiles?" + b"&".join(b"l%d=1" % i for i in range(1000000)) + b" HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port)
check("a million labels in the address: refused", got == "" or " 414 " in got or " 431 " in got, got)
got = server.post("/profiles?" + "&".join(f"l{i}=1" for i in range(300)), small)
check("three hundred: 400", got == (400, "there are more than 32 labels\n"), got)
for count, wanted in [(1000, (400, "there are more than 32 labels\n")), (2000, (400, "there are more than 32 labels\n")),
                      (3000, (414, "the query is longer than 16384 bytes\n"))]:
    for key in "l{}=v", "l{}", "l{}=":
        start, query = time.monotonic(), "&".join(key.format(i) for i in range(count))
        got = server.post("/profiles?" + query, small)
        check(f"{count} of {key}: an answer, at once", got[0] in (400, 414) and (got == wanted or key != "l{}=v") and time.monotonic() - start < 1.5, got)
        got = server.ask("GET", "/?" + query)[0]
        check("... for a page, too", got in (200, 400, 414), got)
got = server.post("/profiles?" + "&" * 8000 + "service=x", small)
check("8000 empty ones: none of them is one", got == (200, "there before\n"), got)
got = server.post("/profiles?" + "&".join("service=a" for i in range(300)), small)
check("one, three hundred times: 400", got == (400, "the query has 'service' twice\n"), got)
label = field(3, varint(1 << 3) + varint(1) + varint(2 << 3) + varint(2))
sample = field(2, field(1, varint(1)) + field(2, b"\x01\x40\x01\x40") + label * 1000000)
got = server.post("/profiles?service=sample", small + sample)
check("a million labels of one sample: they are not kept", got == (200, "added\n") and total("app.db", "service=sample") == 1064, (got, total("app.db", "service=sample")))
few = Server("--store", "few.db", "--max-series", "100", "--max-rate", "100000")
got = [few.post(f"/profiles?service=s&instance={i}", small) for i in range(130)]
check("no more sets of labels than --max-series", [status for status, _ in got] == [200] * 100 + [429] * 30 and len({text for _, text in got[100:]}) == 1, got[99:102])
check("... those that are known are still taken", few.post("/profiles?service=s&instance=7", small) == (200, "there before\n"))
few.end()

# ---- Slow senders and readers
HELD = 300


def hold(data, more=None):
    """Connections that send `data`, and then a byte of `more` now and then; until they are cut off, but 15 s at most."""
    held = []
    for _ in range(HELD):
        one = socket.create_connection(("127.0.0.1", server.port))
        one.sendall(data)
        one.setblocking(False)
        held.append(one)
    left, start, served = list(held), time.monotonic(), True
    while left and time.monotonic() - start < 15:
        for one in list(left):
            try:
                if more:
                    one.send(more)
                if one.recv(4096) == b"":
                    left.remove(one)
            except BlockingIOError:
                pass
            except OSError:
                left.remove(one)
        served = served and is_well(server)
        time.sleep(0.2)
    for one in held:
        one.close()
    return len(left), time.monotonic() - start, served


for name, data, more in [("say nothing", b"", None), ("send a header byte by byte", HEAD + b"X: ", b"x"),
                         ("send a body byte by byte", HEAD + b"Content-Length: 10000\r\n\r\n", b"x"),
                         ("begin a body and fall silent", HEAD + b"Content-Length: 10000\r\n\r\n" + small, None)]:
    left, took, served = hold(data, more)
    check(f"{HELD} who {name}: cut off after --max-time, others served meanwhile", left == 0 and 1 <= took < 8 and served, (left, took, served))


def flood():
    """As many requests as go into a connection whose answers nobody reads."""
    one = socket.create_connection(("127.0.0.1", server.port))
    one.settimeout(10)
    request = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port
    try:
        while True:
            one.sendall(request * 100)
    except OSError as error:
        return error


start = time.monotonic()
got = flood()
check("who reads no answers is cut off", isinstance(got, (ConnectionResetError, BrokenPipeError)) and time.monotonic() - start < 12, repr(got))
check("... and nobody is worse off", is_well(server))

# ---- All at once: large bodies in parallel, more than the server holds
large = os.urandom(15 * MB)
statuses = []


def send_large():
    statuses.append(server.post("/profiles?service=x", large))


quick = Server("--store", "app.db")
server.end()
server = quick
threads = [threading.Thread(target=send_large) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
kinds = sorted({status for status, _ in statuses})
check("12 bodies of 15 MB at once: 422, or 503 and to be sent again", set(kinds) <= {422, 503} and 422 in kinds, kinds)
check("... with a sentence", all(text == "too much arrives at once: send it again\n" for status, text in statuses if status == 503), statuses)
check("... in bounded memory", memory(server) < (1000 if os.environ.get("SANITIZED") else 200), memory(server))
check("... and nobody is worse off", is_well(server))

# ---- Forms: bytes of one changed, left out or doubled, in pieces that come one by one
form = (b'--xyz\r\nContent-Disposition: form-data; name="config"\r\n\r\n{}\r\n--xyz\r\nContent-Disposition: form-data; name="profile"; filename="p"\r\n'
        b"Content-Type: application/octet-stream\r\n\r\n" + gzip.compress(small, mtime=0) + b"\r\n--xyz--\r\n")
draw = random.Random(7)
statuses = {}
for number in range(300):
    data = bytearray(form)
    for _ in range(draw.randint(1, 6)):
        at, size = draw.randrange(len(data)), draw.randint(0, 12)
        data[at:at + size] = draw.choice([b"", bytes(data[at:at + size]) * 2, b"\r\n--xyz", b"\r\n\r\n", bytes(draw.randrange(256) for _ in range(size)), b'"', b"--"])
    head = b"POST /ingest?name=forms HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=xyz\r\n" % server.port
    step = draw.choice([1, 7, 100, 100000])
    pieces = [bytes(data[at:at + step]) for at in range(0, len(data), step)]
    got = server.raw(head + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n")
    status = got.split(b" ")[1][:3] if got.count(b" ") else got
    statuses[status] = statuses.get(status, 0) + 1
check("300 forms that are damaged: taken, or refused with a status", set(statuses) <= {b"200", b"400", b"415", b"422"} and {b"400", b"422"} <= set(statuses), statuses)
check("... and nobody is worse off", is_well(server))

check("nothing of all that is in the store", total("app.db", "service=x") in (None, 1000), total("app.db", "service=x"))
check("it ends when it is told to", server.end() == (0, ""))
check("the store holds together", subprocess.run([HEAPTAP, "fleet", "store", "check", "app.db"], stdout=subprocess.DEVNULL, check=False).returncode == 0)
end()
