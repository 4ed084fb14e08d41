"""Servers that a measurement starts, on loopback: ClickHouse, heaptap fleet serve; and what sends to them."""
import http.client
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "helpers"))
import clickhouse  # noqa: E402

CONFIG = """<yandex>
<logger><level>warning</level><log>{path}/log</log><errorlog>{path}/errors</errorlog></logger>
<http_port>{port}</http_port><tcp_port>{tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
<path>{path}/data/</path><tmp_path>{path}/tmp/</tmp_path><mark_cache_size>67108864</mark_cache_size>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
</yandex>
"""
USERS = """<yandex><profiles><default></default></profiles><quotas><default></default></quotas>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
</yandex>
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def memory_mb(pid):
    """The most that a process had in memory."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class ClickHouse:
    def __init__(self, path):
        program = shutil.which("clickhouse-server", path=os.environ["PATH"] + ":/usr/sbin")
        if not program:
            sys.exit("clickhouse-server is not installed")
        os.makedirs(path, exist_ok=True)
        self.port, self.path = free_port(), path
        for name, text in (("config.xml", CONFIG.format(path=path, port=self.port, tcp=free_port())), ("users.xml", USERS)):
            with open(os.path.join(path, name), "w") as file:
                file.write(text)
        with open(os.path.join(path, "out"), "w") as out:
            self.process = subprocess.Popen([program, f"--config-file={path}/config.xml"], stdout=out, stderr=out, cwd=path)
        self.url = f"clickhouse://127.0.0.1:{self.port}/fleet"
        for _ in range(150):
            try:
                self.ask("SELECT 1", "default")
                return
            except OSError:
                time.sleep(0.2)
        sys.exit(f"clickhouse-server does not answer: see {path}")

    def ask(self, query, database="fleet"):
        return clickhouse.ask(self.port, query, database, timeout=600)

    def end(self):
        self.process.terminate()
        self.process.wait()


class Serve:
    def __init__(self, heaptap, store, *options):
        self.process = subprocess.Popen([heaptap, "fleet", "serve", "--store", store, "--listen", "127.0.0.1:0", "--max-rate", "1000000",
                                         "--max-age", "9999d", *options], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip().removeprefix("http://")
        if not self.address:
            sys.exit("heaptap fleet serve did not start")

    def end(self):
        """What it used: the most memory, in MB, and CPU seconds."""
        used = memory_mb(self.process.pid), cpu_seconds(self.process.pid)
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        return used


def send(address, uploads, connections):
    """Sends (labels, until, bytes) of an iterator over so many connections at once, again where the server is busy.  How many
    were acknowledged, and seconds."""
    lock, count, began = threading.Lock(), [0], time.time()

    def one():
        connection = http.client.HTTPConnection(address, timeout=600)
        while True:
            with lock:
                upload = next(uploads, None)
            if upload is None:
                return
            labels, until, body = upload
            where = "/profiles?" + urllib.parse.urlencode({**labels, "from": until - 10, "until": until})
            while True:
                connection.request("POST", where, body)
                answer = connection.getresponse()
                said = answer.read()
                if answer.status == 200:
                    break
                if answer.status not in (429, 503):
                    sys.exit(f"heaptap fleet serve answers {answer.status}: {said.decode()}")
                time.sleep(0.05)
            with lock:
                count[0] += 1

    threads = [threading.Thread(target=one) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count[0], time.time() - began
