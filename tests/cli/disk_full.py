#!/usr/bin/python3
"""heaptap fleet serve on a disk that gets full: nothing that was acknowledged is lost, senders are told, and it goes on when there is room.
Prints TAP."""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from pprof_profile import profile  # noqa: E402
from small_disk import SmallDisk  # noqa: E402
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
BEGAN = int(time.time())


def post(number):
    """Profiles of different stacks, so that each needs room."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = profile({(f"inner{number}.{i}", "main"): (1, 1000 + number) for i in range(100)}, BEGAN, period=1)
    connection.request("POST", f"/profiles?service=s&host=h{number % 5}", body)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def total(store):
    done = subprocess.run([HEAPTAP, "top", "--json", "-s", "alloc_space", "store:" + store], capture_output=True, check=False)
    return json.loads(done.stdout)["total"] if done.returncode == 0 else done.stderr.decode()


with tempfile.TemporaryDirectory() as folder:
    disk = SmallDisk(folder + "/disk", 4)
    if not disk.is_there:
        print("1..0 # SKIP nothing can be mounted here")
        sys.exit(0)
    store = folder + "/disk/app.db"
    server = subprocess.Popen([HEAPTAP, "fleet", "serve", "--store", store, "--listen", "127.0.0.1:0", "--max-rate", "100000"], stdout=subprocess.PIPE)
    port = int(server.stdout.readline().decode().strip().rpartition(":")[2])
    try:
        acknowledged = [number for number in range(5) if post(number)[0] == 200]
        disk.fill()
        refused = [post(number) for number in range(100, 103)]
        check("profiles are taken while there is room", acknowledged == list(range(5)), acknowledged)
        check("the disk is full: refused, with 503 and a sentence", all(status == 503 and "full" in text for status, text in refused), refused)
        wanted = sum(100 * (1000 + number) for number in acknowledged)
        check("... what was acknowledged can be asked for", total(store) == wanted, (total(store), wanted))
        disk.clear()
        again = [post(number) for number in range(100, 103)]
        check("there is room again: they are taken", all(answer == (200, "added\n") for answer in again), again)
        check("... and one that is sent again was there before", post(100) == (200, "there before\n"))
        wanted += sum(100 * (1000 + number) for number in range(100, 103))
        check("... and is counted once", total(store) == wanted, (total(store), wanted))
        server.terminate()
        check("it ends as always", server.wait() == 0)
        held = subprocess.run([HEAPTAP, "fleet", "store", "check", store], capture_output=True, text=True, check=False)
        check("the store holds together", held.returncode == 0, held.stderr)
    finally:
        server.kill()
        disk.end()


def run(*arguments):
    return subprocess.run([HEAPTAP, *arguments], capture_output=True, text=True, check=False)


with tempfile.TemporaryDirectory() as folder:
    disk = SmallDisk(folder + "/disk", 1)
    store, new, upload = folder + "/disk/app.db", folder + "/disk/new.db", folder + "/upload.pb"
    try:
        for number in range(2):
            with open(upload, "wb") as file:
                file.write(profile({(f"inner{number}.{i}", "main"): (1, 1000) for i in range(100)}, BEGAN, period=1))
            if number == 0:
                run("fleet", "store", "init", store)
                run("fleet", "store", "add", store, upload)
                disk.fill()
        check("a store on a full disk, that nobody has open, is read", total(store) == 100 * 1000, total(store))
        done = run("fleet", "store", "check", store)
        check("... checked, too", done.returncode == 0, done)
        done = run("fleet", "store", "init", new)
        check("init: one sentence, and the status of what can't be written", (done.returncode, done.stderr.count("\n")) == (4, 1) and "full" in done.stderr, done)
        check("... and no file is left", not [name for name in os.listdir(folder + "/disk") if name.startswith("new")], os.listdir(folder + "/disk"))
        done = run("fleet", "store", "add", store, upload)
        check("add: likewise", (done.returncode, done.stderr.count("\n")) == (4, 1) and "full" in done.stderr, done)
        check("... and the store is as it was", total(store) == 100 * 1000, total(store))
    finally:
        disk.end()
end()
