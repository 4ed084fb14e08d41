#!/usr/bin/python3
"""What continuous recording costs beside a recording at the default rate: processor time of the program alone.

    bench/continuous.py BUILD [--rounds N] [--work F] [--only sqlite|redis]

sqlite3 runs bench/workloads/sql.sql, redis-server is under redis-benchmark.  A round runs it plain, recorded
into a trace, and with --every 10s --push to a heaptap fleet serve of this machine, without a rate and at 1e-5, one after the other; the smallest time of each counts.  Of
redis it is the time of as many requests.  "heaptap" is the processor time of heaptap record itself, which adds names and sends.
"""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TICKS = os.sysconf("SC_CLK_TCK")
REQUESTS = 200_000


def sqlite(prefix, folder, work):
    """(processor time of the program, of heaptap)"""
    script = folder / "sql.sql"
    script.write_text((HERE / "workloads" / "sql.sql").read_text(encoding="utf-8").replace("600000", str(int(600000 * work))), encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    shown = subprocess.run([*prefix, "sh", "-c", "sqlite3 :memory: <sql.sql >/dev/null; times"], cwd=folder, check=True, capture_output=True,
                           text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    minutes_seconds = re.findall(r"(\d+)m([\d.]+)s", shown)[-2:]
    own = sum(60 * int(minutes) + float(seconds) for minutes, seconds in minutes_seconds)
    return own, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - own


def cpu(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def redis(prefix, folder, work):
    port = "17379"
    process = subprocess.Popen([*prefix, "redis-server", "--port", port, "--save", "", "--daemonize", "no", "--pidfile", str(folder / "pid")],
                               cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while subprocess.run(["redis-cli", "-p", port, "ping"], capture_output=True).returncode:
        time.sleep(0.1)
    info = subprocess.run(["redis-cli", "-p", port, "info", "server"], capture_output=True, text=True, check=True).stdout
    pid = int(re.search(r"process_id:(\d+)", info)[1])
    before = cpu(pid)
    for kind in ["set", "get", "lpush", "lpop", "hset"]:
        subprocess.run(["redis-benchmark", "-p", port, "-q", "-t", kind, "-n", str(int(REQUESTS * work)), "-r", "100000", "-d", "100", "-c", "20"],
                       check=True, capture_output=True)
    own = cpu(pid) - before
    of_heaptap = cpu(process.pid) if prefix else 0
    subprocess.run(["redis-cli", "-p", port, "shutdown", "nosave"], capture_output=True)
    process.wait()
    return own, of_heaptap


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", type=float, default=10, help="so many times the work of each program")
    parser.add_argument("--only", choices=["sqlite", "redis"])
    options = parser.parse_args()
    heaptap = str((options.build / "src/cli/heaptap").resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server = subprocess.Popen([heaptap, "fleet", "serve", "--store", "s.db", "--listen", "127.0.0.1:0"], cwd=folder, stdout=subprocess.PIPE, text=True)
        url = server.stdout.readline().strip()
        ways = {"plain": [], "default rate": [heaptap, "record", "-q", "-o", "t.%p.ctf", "--"],
                "--every 10s --push": [heaptap, "record", "-q", "--every", "10s", "--push", url, "--spool", "spool", "--"],
                "the same at 1e-5": [heaptap, "record", "-q", "--rate", "1e-5", "--every", "10s", "--push", url, "--spool", "spool", "--"]}
        for workload in [sqlite, redis]:
            if options.only and workload.__name__ != options.only:
                continue
            times = {way: [] for way in ways}
            for _ in range(options.rounds):
                for way, prefix in ways.items():
                    times[way].append(workload(prefix, folder, options.work))
            best = {way: min(own for own, _ in runs) for way, runs in times.items()}
            for way, runs in times.items():
                print(f"{workload.__name__:8} {way:20} {best[way]:8.2f} s  {best[way] / best['plain']:6.3f} of plain"
                      f"  {best[way] / best['default rate']:6.3f} of the default rate  heaptap {min(of for _, of in runs):.2f} s", flush=True)
        server.terminate()
        server.wait()


main()
