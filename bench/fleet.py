#!/usr/bin/python3
"""What a fleet costs: 1000 instances of 20 services, which report 1000 samples at a time over a day, kept by heaptap fleet serve.

    bench/fleet.py BUILD [--million 7,20,70] [--sqlite-million 5] [--svg FILE]

Prints how fast profiles are taken, how much memory that needs, how many bytes a row has, and how long questions take while the
store grows, as rows of Markdown.  All of it runs on this machine: the senders, heaptap fleet serve and ClickHouse.  How the
profiles are made says bench/fleet_profiles.py."""
import argparse
import gzip
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

import fleet_profiles
import fleet_servers

SERVICES, INSTANCES, VERSIONS, ROUNDS = 20, 1000, ("1.3", "1.4"), 25
QUESTIONS = {
    "flame graph of one service": lambda store: ["flamegraph", store, "service=service03"],
    "services": lambda store: ["services", store],
    "regressions of all": lambda store: ["regressions", store, "version=1.3", store, "version=1.4"],
}
SIZE = "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'fleet' AND table = 'sample'"
OF_PROFILE = "a profile of %.0f samples of %d types, %.1f frames deep"


class Fleet:
    def __init__(self, heaptap, folder):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
        stacks = fleet_profiles.recorded(heaptap, source, folder)
        self.depth = sum(len(stack[0]) for stack in stacks) / len(stacks)
        self.services = [[fleet_profiles.Service(stacks, f"service{i:02}", version) for version in VERSIONS]
                         for i in range(SERVICES)]
        self.midnight = (int(time.time()) // 86400 - 1) * 86400  # of yesterday

    def service(self, instance):
        return self.services[instance % SERVICES][instance // SERVICES % len(VERSIONS)]

    def uploads(self, first, count, bodies=None):
        """The reports from the first one on; with bodies made beforehand, of those."""
        for i in range(first, first + count):
            instance, service = i % INSTANCES, self.service(i % INSTANCES)
            labels = {"service": service.name, "version": service.version, "host": f"host{instance:04}"}
            body = bodies[i % len(bodies)] if bodies else service.profile()
            yield labels, self.midnight + i * 86400 // (INSTANCES * ROUNDS), body

    def bodies(self, count):
        """As agents send them, compressed."""
        return [gzip.compress(self.service(i % INSTANCES).profile(), 1) for i in range(count)]


def ask(heaptap, store, times=3):
    """Seconds for each question, the best of some."""
    took = {}
    for name, arguments in QUESTIONS.items():
        for _ in range(times):
            began = time.time()
            done = subprocess.run([heaptap, *arguments("store:" + store)], stdout=subprocess.DEVNULL)
            if done.returncode > 1:
                sys.exit(f"{name} failed")
            took[name] = min(took.get(name, 1e9), time.time() - began)
    return took


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def rates(heaptap, fleet, bodies, name, store, connections, other=None):
    server = fleet_servers.Serve(heaptap, store)
    count, seconds = fleet_servers.send(server.address, fleet.uploads(0, len(bodies), bodies), connections)
    memory, cpu = server.end()
    row(name, connections, f"{count / seconds:.0f}", f"{1000 * cpu / count:.1f}", f"{memory:.0f}",
        f"{fleet_servers.memory_mb(other):.0f}" if other else "")


def grow(heaptap, fleet, store, goals, rows_of, bytes_of, connections):
    """(rows, bytes a row, seconds by question) at each goal."""
    sent, figures = 0, []
    for goal in goals:
        server = fleet_servers.Serve(heaptap, store)
        while rows_of() < goal * 0.98:
            more = 500 if sent == 0 else max(1, round((goal - rows_of()) * sent / rows_of()))
            fleet_servers.send(server.address, fleet.uploads(sent, more), connections)
            sent += more
        server.end()
        figures.append((rows_of(), bytes_of() / rows_of(), ask(heaptap, store)))
        rows, size, took = figures[-1]
        row(f"{rows / 1e6:.1f} million", sent, f"{size:.1f}", *[f"{took[name]:.2f} s" for name in QUESTIONS])
    return figures


def heads(*names):
    print()
    row(*names)
    row(*["---"] * len(names))


def draw(path, kinds):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot, ticker
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for kind, figures in kinds.items():
        for i, name in enumerate(QUESTIONS):
            axes.plot([rows / 1e6 for rows, _, _ in figures], [took[name] for _, _, took in figures], "o-" if kind == "ClickHouse" else "s:",
                      color=f"C{i}", label=f"{name}, {kind}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sorted(round(rows / 1e6, 1) for figures in kinds.values() for rows, _, _ in figures))
    axes.set_yticks([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5])
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(ticker.FormatStrFormatter("%g"))
        axis.set_minor_locator(ticker.NullLocator())
    axes.set_xlabel("million rows")
    axes.set_ylabel("seconds")
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--million", default="7,20,70")
    parser.add_argument("--sqlite-million", default="1,5")
    parser.add_argument("--svg")
    options = parser.parse_args()
    heaptap = os.path.abspath(os.path.join(options.build, "src/cli/heaptap"))
    goals, of_file = ([float(part) * 1e6 for part in text.split(",")] for text in (options.million, options.sqlite_million))
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(heaptap, folder)
        bodies = fleet.bodies(2000)
        print(f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} processors; {OF_PROFILE % (fleet_profiles.SAMPLES, 4, fleet.depth)}, "
              f"{sum(map(len, bodies)) / len(bodies) / 1000:.0f} KB compressed")
        server = fleet_servers.ClickHouse(os.path.join(folder, "clickhouse"))
        heads("Store", "Senders", "Profiles a second", "ms of CPU in serve", "MB in serve", "MB in ClickHouse")
        for senders in (32, 256):
            rates(heaptap, fleet, bodies, "ClickHouse", server.url.replace("fleet", f"rate{senders}"), senders, server.process.pid)
        file = os.path.join(folder, "rate.db")
        rates(heaptap, fleet, bodies[:600], "SQLite", file, 32)
        heads("Store", "Profiles", "Bytes a row", *QUESTIONS)
        kinds = {}
        file = os.path.join(folder, "fleet.db")
        kinds["SQLite"] = grow(heaptap, fleet, file, of_file, lambda: file_rows(file), lambda: os.path.getsize(file), 32)
        kinds["ClickHouse"] = grow(heaptap, fleet, server.url, goals, lambda: clickhouse_rows(server),
                                   lambda: int(server.ask(SIZE)), 256)
        server.ask("OPTIMIZE TABLE sample FINAL")
        print("\n| Column of sample | Bytes a row, merged |\n| --- | --- |")
        for line in server.ask("SELECT name, data_compressed_bytes FROM system.columns WHERE database = 'fleet' AND"
                               " table = 'sample'").splitlines():
            name, size = line.split("\t")
            row(name, f"{int(size) / clickhouse_rows(server):.2f}")
        row("all", f"{int(server.ask(SIZE)) / clickhouse_rows(server):.2f}")
        server.end()
        if options.svg:
            draw(options.svg, kinds)


def clickhouse_rows(server):
    try:
        return int(server.ask("SELECT count() FROM sample"))
    except OSError:
        return 0  # no database yet


def file_rows(path):
    if not os.path.exists(path):
        return 0
    with sqlite3.connect(path) as database:
        return database.execute("SELECT count(*) FROM sample").fetchone()[0]


main()
