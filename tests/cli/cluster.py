#!/usr/bin/python3
"""A store on a cluster: two shards of two replicas each of ClickHouse, with ZooKeeper, all on loopback.  Servers are killed and
stopped while profiles come in: nothing that was acknowledged is lost, nothing is counted twice, and answers say what they lack.
Prints TAP."""

import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HEAPTAP = os.environ["HEAPTAP"]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "helpers"))
import clickhouse  # noqa: E402
from protobuf_encode import field, varint  # noqa: E402
from small_disk import SmallDisk  # noqa: E402
from tap import check, end  # noqa: E402

CLICKHOUSE = shutil.which("clickhouse-server", path=os.environ["PATH"] + ":/usr/sbin")
ZOOKEEPER = pathlib.Path("/usr/share/java/zookeeper.jar")
STACKS = 20


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


# ---- Servers ---------------------------------------------------------------------------

class Program:
    """A server that can be killed, stopped and started again."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.process = arguments, folder, None
        folder.mkdir(parents=True, exist_ok=True)

    def start(self):
        self.began = time.time()
        with open(self.folder / "out", "a") as out:
            self.process = subprocess.Popen(self.arguments, cwd=self.folder, stdout=out, stderr=out)

    def end(self, how=signal.SIGKILL):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait()


def zookeeper(folder, port):
    folder.mkdir()
    (folder / "zoo.cfg").write_text(f"tickTime=500\ndataDir={folder}/data\nclientPort={port}\nclientPortAddress=127.0.0.1\n"
                                    "admin.enableServer=false\nmaxClientCnxns=0\n4lw.commands.whitelist=ruok\n")
    return Program(["java", "-Xmx128m", "-cp", str(ZOOKEEPER), "org.apache.zookeeper.server.quorum.QuorumPeerMain", str(folder / "zoo.cfg")],
                   folder)


class Node(Program):
    """One ClickHouse."""

    def __init__(self, folder, shard, replica, ports, cluster, keeper):
        self.http, tcp, self.between = ports
        super().__init__([CLICKHOUSE, f"--config-file={folder}/config.xml"], folder)
        (folder / "users.xml").write_text(
            "<yandex><profiles><default><max_threads>1</max_threads><connect_timeout_with_failover_ms>1000</connect_timeout_with_failover_ms>"
            "</default></profiles><quotas><default></default></quotas><users><default><password></password><networks>"
            "<ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>")
        (folder / "config.xml").write_text(
            f"<yandex><logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>"
            f"<http_port>{self.http}</http_port><tcp_port>{tcp}</tcp_port><listen_host>127.0.0.1</listen_host>"
            f"<interserver_http_port>{self.between}</interserver_http_port><interserver_http_host>127.0.0.1</interserver_http_host>"
            f"<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><mark_cache_size>16777216</mark_cache_size>"
            "<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>"
            f"<zookeeper><node><host>127.0.0.1</host><port>{keeper}</port></node><session_timeout_ms>4000</session_timeout_ms></zookeeper>"
            f"<macros><shard>{shard}</shard><replica>{replica}</replica></macros>"
            f"<distributed_ddl><path>/heaptap/ddl</path></distributed_ddl>{cluster}</yandex>")

    def answers(self):
        """Now and then ClickHouse 18.16 crashes in its first seconds, as its client of ZooKeeper starts: then it is started again."""
        if self.process.poll() is not None:
            self.start()
        return time.time() - self.began > 3 and self.ask("SELECT count() FROM system.zookeeper WHERE path = '/'", "default") != "0"

    def ask(self, query, database="fleet"):
        return clickhouse.ask(self.http, query, database, timeout=60)


def wait_for(what, seconds=60):
    until = time.time() + seconds
    while time.time() < until:
        try:
            if what():
                return True
        except (OSError, http.client.HTTPException, ValueError):
            pass
        time.sleep(0.2)
    return False


def make_cluster(folder):
    keeper_port, *ports = free_ports(1 + 4 * 3)
    places = [(shard, replica, ports[3 * (2 * shard + replica):][:3]) for shard in range(2) for replica in range(2)]
    shards = "".join("<shard><internal_replication>true</internal_replication>" + "".join(
        f"<replica><host>127.0.0.1</host><port>{at[1]}</port></replica>" for of, _, at in places if of == shard) + "</shard>"
        for shard in range(2))
    cluster = f"<remote_servers><pair>{shards}</pair></remote_servers>"
    keeper = zookeeper(folder / "keeper", keeper_port)
    keeper.start()
    wait_for(lambda: socket.create_connection(("127.0.0.1", keeper_port), 1).close() is None)
    nodes = [Node(folder / f"node{shard}{replica}", shard, replica, at, cluster, keeper_port) for shard, replica, at in places]
    disks = [SmallDisk(node.folder / "data", 96) for node in nodes[2:]]
    for node in nodes:
        node.start()
    return keeper, nodes, disks


# ---- Profiles --------------------------------------------------------------------------

def profile(bytes_each):
    """STACKS stacks that allocated so much each."""
    strings = ["", "alloc_objects", "count", "alloc_space", "bytes", "space", "main"] + [f"f{i}" for i in range(STACKS)]
    out = field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 4))
    for i in range(STACKS + 1):
        out += field(5, field(1, i + 1) + field(2, 6 + i)) + field(4, field(1, i + 1) + field(4, field(1, i + 1) + field(2, 7)))
    for i in range(STACKS):
        out += field(2, field(1, varint(i + 2) + varint(1)) + field(2, varint(1) + varint(bytes_each)))
    return out + field(11, field(1, 5) + field(2, 4)) + field(12, 1) + b"".join(field(6, text.encode()) for text in strings)


class Serve(Program):
    def __init__(self, store, folder):
        super().__init__([HEAPTAP, "fleet", "serve", "--store", store, "--listen", "127.0.0.1:0", "--max-age", "9999d"], folder)

    def start(self):
        self.process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, text=True, stderr=open(self.folder / "err", "a"))
        self.address = self.process.stdout.readline().strip().removeprefix("http://")
        return bool(self.address)


class Senders:
    """Send profiles until they are told to end; one that is not acknowledged is sent again, as agents do."""

    def __init__(self, number):
        self.lock, self.ends, self.next = threading.Lock(), False, 0
        self.acknowledged, self.refused, self.address = {}, 0, None
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(number)]

    def start(self, address):
        self.address = address
        for thread in self.threads:
            thread.start()

    def run(self):
        while not self.ends:
            with self.lock:
                number = self.next
                self.next += 1
            while not self.send(number):
                if self.ends:
                    return
                time.sleep(0.1)

    def send(self, number):
        try:
            connection = http.client.HTTPConnection(self.address, timeout=30)
            connection.request("POST", f"/profiles?service=s{number % 7}&host=h{number % 40}&until={1795300000 + number}",
                               profile(1000 + number))
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            return False
        with self.lock:
            if answer.status == 200:
                self.acknowledged[number] = 1000 + number
            else:
                self.refused += 1
        return answer.status == 200

    def wait_for(self, more, seconds=60):
        goal = len(self.acknowledged) + more
        return wait_for(lambda: len(self.acknowledged) >= goal, seconds)

    def end(self):
        """All that was begun is sent, so that what is there is known."""
        self.ends = True
        for thread in self.threads:
            thread.join()
        missing = [number for number in range(self.next) if number not in self.acknowledged]
        for number in missing:
            wait_for(lambda number=number: self.send(number), 60)
        return sum(self.acknowledged.values()) * STACKS


def run(*arguments):
    done = subprocess.run([HEAPTAP, *arguments], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def total(store):
    """What all profiles of the store allocated, and what is said beside it."""
    code, out, err = run("top", "--json", "-s", "alloc_space", "store:" + store)
    return (json.loads(out)["total"], err) if code == 0 else (None, err)


# ---- The story -------------------------------------------------------------------------

def story(folder):
    keeper, nodes, disks = make_cluster(folder)
    programs = [keeper, *nodes]
    try:
        tell(folder, keeper, nodes, programs, disks)
    finally:
        for program in programs:
            program.end()
        for disk in disks:
            disk.end()


def tell(folder, keeper, nodes, programs, disks):
    for node in nodes:
        if not wait_for(node.answers):
            check("the cluster starts", False, (node.folder / "out").read_text()[-2000:])
            return
    store = f"clickhouse://127.0.0.1:{nodes[0].http}/fleet"
    code, _, err = run("fleet", "store", "init", "--cluster", "none", store)
    check("a cluster that is not known", (code, err) == (2, f"heaptap fleet store: {store}: the server knows no cluster 'none': see its remote_servers\n"), err)
    for again in ("", ", again"):
        code, _, err = run("fleet", "store", "init", "--cluster", "pair", store)
        check("init on a cluster" + again, (code, err) == (0, ""), err)
        if code != 0:
            return
    serve = Serve(store, folder / "serve")
    programs.append(serve)
    check("serve starts", serve.start())
    senders = Senders(16)
    senders.start(serve.address)
    check("profiles are taken", senders.wait_for(100), senders.refused)

    nodes[1].end()
    check("... while a replica is killed", senders.wait_for(100), senders.refused)
    nodes[1].start()
    wait_for(nodes[1].answers)
    nodes[3].end()
    check("... and another one", senders.wait_for(100), senders.refused)
    nodes[3].start()
    wait_for(nodes[3].answers)

    serve.end()
    serve.start()
    senders.address = serve.address
    check("... after heaptap fleet serve was killed", senders.wait_for(100), senders.refused)

    keeper.end()
    before = senders.refused
    wait_for(lambda: senders.refused > before, 30)
    check("without ZooKeeper profiles are refused", senders.refused > before)
    check("... and questions are answered", total(store)[0] is not None)
    keeper.start()
    check("... until it is back", senders.wait_for(100, 120), senders.refused)

    if all(disk.is_there for disk in disks):
        for disk in disks:
            disk.fill()
        before = senders.refused
        wait_for(lambda: senders.refused > before, 30)
        check("with the disks of a shard full, profiles are refused", senders.refused > before)
        check("... and questions are answered", total(store)[0] is not None, total(store)[1])
        for disk in disks:
            disk.clear()
        check("... until there is room", senders.wait_for(100, 120), senders.refused)
    else:
        print("# nothing can be mounted here: a full disk is left out")

    wanted = senders.end()
    wait_for(lambda: all(node.ask("SELECT sum(inserts_in_queue) FROM system.replicas") == "0" for node in nodes))
    got, err = total(store)
    check("all that was acknowledged is there, once", got == wanted, f"{got}, not {wanted} {err}")
    check("... and the answer lacks nothing", err == "", err)
    profiles = int(nodes[0].ask("SELECT uniqExact(series, hash) FROM profile"))
    check("... as many profiles as were sent", profiles == senders.next == len(senders.acknowledged), f"{profiles} of {senders.next}")
    shards = [int(nodes[i].ask("SELECT uniqExact(series, hash) FROM profile_local")) for i in (0, 2)]
    check("... on both shards", min(shards) > 0 and sum(shards) == profiles, shards)
    code, out, err = run("fleet", "store", "check", store)
    check("... and the store holds together", code == 0, err)
    other = f"clickhouse://127.0.0.1:{nodes[3].http}/fleet"
    check("... as another server has it, too", total(other)[0] == wanted)

    nodes[0].end()
    check("... and the other replicas", total(other) == (wanted, ""), total(other))
    nodes[0].start()
    wait_for(nodes[0].answers)
    nodes[2].end()
    nodes[3].end()
    got, err = total(store)
    on_first = float(nodes[0].ask("SELECT sum(value) FROM total_local WHERE type IN (SELECT id FROM type WHERE name = 'alloc_space')"))
    sentence = "1 of 2 shards do not answer, and what they have is missing"
    check("a shard that is down is told", err == f"heaptap top: store:{store}: {sentence}\n", err)
    check("... and only what it has is missing", got == on_first < wanted, (got, on_first, wanted))
    for name, arguments in (("services", ["fleet", "services", "store:" + store]),
                            ("regressions", ["fleet", "regressions", "store:" + store, "service=s1", "store:" + store, "service=s2"])):
        code, _, err = run(*arguments)
        check(f"... by {name}, too", sentence in err, err)
    here = "store:" + store
    for arguments in (["top", here], ["tree", here], ["traces", here], ["hotspots", here], ["flamegraph", here], ["tags", here], ["peek", here, "f1"], ["graph", here],
                      ["compare", "--long", here, here], ["compare", here, here], ["info", here], ["fleet", "services", here], ["timeline", here], ["check", here, "--max-allocated=1k"],
                      ["fleet", "regressions", here, "service=s1", here, "service=s2"]):
        code, out, err = run(arguments[0], "--json", *arguments[1:])
        answer = json.loads(out) if out else {}
        check(f"... in JSON, by {arguments[0]}", answer.get("lacks") == sentence and answer.get("complete") is not True, out[:300] + err)
    check("... in Markdown", run("fleet", "services", "--markdown", here)[1].startswith(sentence), out)
    code, _, err = run("fleet", "store", "check", store)
    check("... check says that it can't", code == 3, err)
    _, out, _ = run("top", "-n", "100", "store:" + store)
    check("... and no name is missing", "<unknown>" not in out and f" f{STACKS - 1}" in out, out)
    for node in nodes[2:]:
        node.start()
    wait_for(lambda: all(node.answers() for node in nodes[2:]))

    # A replica that has not fetched the last inserts, and then is the only one.
    nodes[1].ask("SYSTEM STOP FETCHES")
    late = Senders(1)
    late.address = senders.address
    for number in range(100000, 100020):
        wait_for(lambda number=number: late.send(number))
    check("profiles that one replica alone has", len(late.acknowledged) == 20, late.refused)
    nodes[0].end()
    other = f"clickhouse://127.0.0.1:{nodes[1].http}/fleet"
    got, err = total(other)
    check("... are missed when it is down, and that is told",
          "inserts are missing that a replica has not fetched yet" in err and got < wanted + sum(late.acknowledged.values()) * STACKS, err)
    nodes[0].start()
    wait_for(nodes[0].answers)
    nodes[1].ask("SYSTEM START FETCHES")
    wait_for(lambda: all(node.ask("SELECT sum(inserts_in_queue) FROM system.replicas") == "0" for node in nodes))
    check("... and are there after that", total(other) == (wanted + sum(late.acknowledged.values()) * STACKS, ""), total(other))


if not CLICKHOUSE or not ZOOKEEPER.exists() or not shutil.which("java"):
    print("1..0 # SKIP clickhouse-server and zookeeper are not both here")
    sys.exit()
with tempfile.TemporaryDirectory() as made:
    story(pathlib.Path(made))
end()
