"""Sends a small fleet to heaptap fleet serve: usage make_fleet.py URL [TOKEN].  Prints when it begins, in seconds since the epoch.

Four hours of profiles, one each 10 minutes, of three services on two hosts.  In the last two hours `search` is version 1.4, in
which index.Scan has a larger part than before; one service's name is hostile."""
import sys
import time
import urllib.parse
import urllib.request

from pprof_profile import profile

HOSTILE = "<img src=x onerror=alert(1)>/?#&%"
STEP = 600
STEPS = 24
SERVICES = {
    "api": (("main.main", "api.Handle", "json.Decode"), 40_000_000),
    "search": (("main.main", "search.Query", "index.Scan"), 20_000_000),
    HOSTILE: (("main.main", "<b>bold</b>"), 3_000_000),
}


def stacks(service, step, host):
    functions, size = SERVICES[service]
    size += 1000 * step + 7 * host
    scan = size // 2
    if service == "search" and step >= STEPS // 2:
        scan *= 2
    inner, outer = tuple(reversed(functions)), tuple(reversed(functions[:-1]))
    return {inner: (scan // 500, scan), outer: (size // 700, size)}


def main():
    url, token = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    begin = (int(time.time()) // 3600 - 5) * 3600
    for service in SERVICES:
        for host in range(2):
            for step in range(STEPS):
                start = begin + step * STEP
                labels = {"service": service, "version": "1.3" if step < STEPS // 2 else "1.4", "host": f"h{host}",
                          "from": start, "until": start + STEP}
                request = urllib.request.Request(f"{url}/profiles?{urllib.parse.urlencode(labels)}", profile(stacks(service, step, host), start + STEP),
                                                 {"Authorization": "Bearer " + token} if token else {})
                urllib.request.urlopen(request).read()
    print(begin)


main()
