#!/usr/bin/python3
"""Times heaptap view on a large trace, as its page asks it.

    bench/view.py BUILD [--size 180M] [--trace FILE] [--runs 3]

First picture: from the start of the program to the answers that the page's cards, timeline and flame graph are drawn from; of
it, reading.  Then each filter, the first time it is asked for, and advice.  Seconds on the clock and of the processor, the best of the
runs; bytes of the answers.
"""
import argparse, http.client, json, os, re, signal, subprocess, time

FILTERS = ["live-at=peak", "size>=64", "allocated=20%..60%", "lifetime<=1ms", "focus=f_3", "collected=never hide=f_1"]

PATHS = ["/api/answer?report=summary",
         "/api/answer?report=timeline&form=columns&by-function=5&steps=600&columns=live_bytes,live_objects,allocated_bytes,allocated_objects,"
         "live_bytes_low,live_bytes_high,live_objects_low,live_objects_high,share,function,file",
         "/api/answer?report=tree&form=columns&nodes=100000&granularity=filefunctions"]
ADVICE = "/api/answer?report=advice"


class View:
    def __init__(self, heaptap, trace):
        self.began = time.monotonic()
        self.process = subprocess.Popen([heaptap, "view", "--no-browser", trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port, self.token = re.search(r":(\d+)(/\w+)/", self.process.stdout.readline()).groups()
        self.connection = http.client.HTTPConnection("127.0.0.1", int(port))

    def ask(self, path):
        self.connection.request("GET", self.token + path)
        response = self.connection.getresponse()
        body = response.read()
        return response.status, body

    def cpu(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mb(self):
        return int(re.search(r"VmHWM:\s*(\d+)", open(f"/proc/{self.process.pid}/status").read()).group(1)) / 1024

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def first_picture(view):
    """Clock and CPU seconds: the reading, then each answer."""
    while json.loads(view.ask("/api/about")[1])["state"] == "reading":
        time.sleep(0.01)
    marks = [(time.monotonic() - view.began, view.cpu(), 0)]
    for path in PATHS:
        status, body = view.ask(path)
        assert status == 200, path
        marks.append((time.monotonic() - view.began, view.cpu(), len(body)))
    return marks


def time_filter(view, text, paths=PATHS):
    from urllib.parse import urlencode
    began, cpu, size = time.monotonic(), view.cpu(), 0
    for path in paths:
        status, body = view.ask(path + "&" + urlencode({"filter": text}))
        assert status == 200, body
        size += len(body)
    return time.monotonic() - began, view.cpu() - cpu, size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--size", default="180M")
    parser.add_argument("--trace", help="use this trace instead of a generated one")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    trace = options.trace
    if not trace:
        trace = os.path.join(options.build, f"bench-{options.size}-1.ctf")
        if not os.path.exists(trace):
            subprocess.run([os.path.join(options.build, "bench/generate_trace"), trace, options.size, "1"], check=True)
    best, filters, memory = None, {}, 0
    for _ in range(options.runs):
        view = View(os.path.join(options.build, "src/cli/heaptap"), trace)
        marks = first_picture(view)
        best = marks if best is None or marks[-1] < best[-1] else best
        for text in FILTERS:
            filters[text] = min(filters.get(text, (9e9,)), time_filter(view, text))
        advice = time_filter(view, "", [ADVICE])
        filters["advice"] = min(filters.get("advice", (9e9,)), advice)
        memory = max(memory, view.peak_mb())
        view.end()
    for name, (wall, cpu, size) in [*zip(["read", "and the cards", "and the timeline", "and the tree"], best), *filters.items()]:
        print(f"{name:28} {wall:6.2f} s  {cpu:6.2f} s CPU  {size:8} bytes")
    print(f"peak memory {memory:.0f} MB")


main()
