#!/usr/bin/python3
"""Profiles that come as addresses get their names from heaptap fleet serve: by build id, from a folder of debug files or a server of
debuginfod, each looked up once.  Prints TAP."""

import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from protobuf_encode import field, varint  # noqa: E402
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
BASE = 0x555500000000


# ---- A program that nobody here has: its debug file is apart -----------------------------

SOURCE = """#include <stdlib.h>
static inline __attribute__((always_inline)) void *small(size_t size)
{
    return malloc(size);
}

__attribute__((noinline)) void *allocate(size_t size)
{
    return small(size + 1);
}

int main(void)
{
    return allocate(100) == NULL;
}
"""


def run(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def build(folder):
    (folder / "shop.c").write_text(SOURCE)
    run("gcc", "-g", "-O1", "-Wl,--build-id=sha1", "-o", folder / "shop", folder / "shop.c")
    run("objcopy", "--only-keep-debug", folder / "shop", folder / "shop.debug")
    calls = re.findall(r"^\s*([0-9a-f]+):.*(?:call|bl)\b.*<(malloc|allocate)[@>]", run("objdump", "-d", folder / "shop"), re.M)
    build_id = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", folder / "shop"))[1]
    offset, address, size = next((int(o, 16), int(a, 16), int(s, 16)) for o, a, s in re.findall(
        r"LOAD\s+(0x[0-9a-f]+) (0x[0-9a-f]+) 0x[0-9a-f]+ 0x[0-9a-f]+ (0x[0-9a-f]+) R E", run("readelf", "-lW", folder / "shop")))
    os.remove(folder / "shop")
    return build_id, offset, address, size, {name: int(at, 16) for at, name in calls}


# ---- A profile of addresses --------------------------------------------------------------

def profile(path, build_id, bytes_each):
    """malloc's call in allocate, allocate's in main."""
    strings = ["", "alloc_objects", "count", "alloc_space", "bytes", "space", path, build_id]
    out = field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 4))
    out += field(2, field(1, varint(1) + varint(2)) + field(2, varint(1) + varint(bytes_each)))
    start = BASE + text_address
    out += field(3, field(1, 1) + field(2, start) + field(3, start + text_size) + field(4, text_offset) + field(5, 6) + field(6, 7))
    for number, name in ((1, "malloc"), (2, "allocate")):
        out += field(4, field(1, number) + field(2, 1) + field(3, BASE + calls[name]))
    return out + b"".join(field(6, text.encode()) for text in strings) + field(11, field(1, 5) + field(2, 4)) + field(12, 1)


class Server:
    def __init__(self, store, *options):
        self.process = subprocess.Popen([HEAPTAP, "fleet", "serve", "--listen", "127.0.0.1:0", "--store", store, *options], stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline().decode().strip().rpartition(":")[2])

    def post(self, body, labels="service=shop"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", "/profiles?" + labels, body)
        return connection.getresponse().status

    def end(self):
        self.process.terminate()
        return self.process.wait()


def stack(store):
    """The frames of the only stack, the innermost first: (function, file, line)."""
    done = subprocess.run([HEAPTAP, "traces", "--json", "-g", "lines", "-F", "libraries=show", "store:" + store], capture_output=True, text=True, check=False)
    return [(frame.get("function"), os.path.basename(frame.get("file") or ""), frame.get("line")) for frame in json.loads(done.stdout)["stacks"][0]["stack"]]


asked = []


class Debuginfod(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked.append(self.path)
        is_there = self.path == f"/buildid/{build_id}/debuginfo"
        body = (folder / "shop.debug").read_bytes() if is_there else b"not found"
        self.send_response(200 if is_there else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


NAMES = [("small", "shop.c", 4), ("allocate", "shop.c", 9), ("main", "shop.c", 14)]
if not all(map(shutil.which, ("gcc", "objcopy", "readelf", "objdump"))):
    print("1..0 # SKIP gcc and binutils are not here")
    sys.exit(0)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    build_id, text_offset, text_address, text_size, calls = build(folder)
    os.mkfifo(folder / "trap")  # a path of the profile that must not be opened
    trap = str(folder / "trap")

    server = Server(name + "/none.db")
    check("a profile of addresses is taken", server.post(profile("/srv/shop", build_id, 100)) == 200)
    server.end()
    check("... without debug files its places are kept", all(re.fullmatch(r"shop\+0x[0-9a-f]+", frame[0]) for frame in stack(name + "/none.db")), stack(name + "/none.db"))

    debug = folder / "debug"
    (debug / ".build-id" / build_id[:2]).mkdir(parents=True)
    shutil.copy(folder / "shop.debug", debug / ".build-id" / build_id[:2] / (build_id[2:] + ".debug"))
    server = Server(name + "/folder.db", "--debug-files", str(debug))
    check("with a folder of debug files", server.post(profile(trap, build_id, 100)) == 200)
    shutil.rmtree(debug / ".build-id")
    check("... a second profile needs them no more", server.post(profile(trap, build_id, 200), "service=again") == 200)
    server.end()
    check("... functions, files, lines and what is inlined", stack(name + "/folder.db") == NAMES, stack(name + "/folder.db"))
    total = subprocess.run([HEAPTAP, "traces", "--json", "store:" + name + "/folder.db"], capture_output=True, text=True, check=False)
    check("... of both profiles the same stack", len(json.loads(total.stdout)["stacks"]) == 1, total.stdout[:600])

    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Debuginfod)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{web.server_address[1]}"
    server = Server(name + "/fetched.db", "--debug-files", str(debug), "--debuginfod", address)
    for each in range(3):
        server.post(profile(trap, build_id, 100 + each))
        server.post(profile(trap, "ab" * 20, 100 + each), "service=other")
    server.end()
    wanted = [f"/buildid/{'ab' * 20}/debuginfo", f"/buildid/{build_id}/debuginfo"]
    check("from debuginfod, each file asked for once, also one that is not there", sorted(asked) == sorted(wanted), asked)
    done = subprocess.run([HEAPTAP, "hotspots", "--json", "store:" + name + "/fetched.db", "service=shop"], capture_output=True, text=True, check=False)
    check("... hotspots names function, file and line", [(site["function"], os.path.basename(site["file"])) for site in json.loads(done.stdout)["sites"]] == [("small", "shop.c")], done.stdout[:800])
    check("... and keeps the file where debuggers look", (debug / ".build-id" / build_id[:2] / (build_id[2:] + ".debug")).read_bytes() == (folder / "shop.debug").read_bytes())
    check("... and nothing else", len([path for path in debug.rglob("*") if path.is_file()]) == 1)

    server = Server(name + "/hostile.db", "--debug-files", str(debug))
    taken = [server.post(profile(path, identity, 100)) for path in (trap, "/../../etc/passwd", "/") for identity in (build_id, "", "zz", "00" * 200, "../../etc")]
    check("paths and ids of any kind are taken, and lead nowhere", taken == [200] * 15, taken)
    check("... it ends as always", server.end() == 0)
    web.shutdown()

    for name_of, arguments, sentence in [
            ("no such folder", ["--debug-files", name + "/nowhere"], "No such file or directory"),
            ("debuginfod without a folder", ["--debuginfod", address], "files of debuginfod need a folder to be kept in: --debug-files DIR"),
            ("no address", ["--debug-files", str(debug), "--debuginfod", "example"], "'example' is no address of a debuginfod server: use http://HOST or https://HOST")]:
        done = subprocess.run([HEAPTAP, "fleet", "serve", "--listen", "127.0.0.1:0", "--store", name + "/x.db", *arguments], capture_output=True, text=True, timeout=20, check=False)
        check(name_of + ": not started", done.returncode in (2, 3, 4) and sentence in done.stderr, (done.returncode, done.stderr))
end()
