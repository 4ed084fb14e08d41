#!/usr/bin/env python3
"""What `heaptap holders` names first in real programs: for each, the place with most bytes and the heaviest way that holds it, to be
held against the program's source; a table for RESULTS.md.

    bench/holders_real.py BUILD FOLDER [NAME...]

Programs are built with debug information from Debian's sources, which `apt-get source` fetches into FOLDER; what is built there
already is used as it is."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

GCC = "gcc -O1 -g -o built"
# Source package; how it is built, in its folder; how it is run there, with $RECORD before the program that is looked at.  Snapshots are
# taken at the end and whenever SIGUSR1 comes; the one with most bytes counts.
PROGRAMS = {
    "bash": ("bash", "./configure --without-bash-malloc && make",
             """$RECORD ./bash -c 'declare -A a; for i in {1..20000}; do a[key$i]=value$i; done; for i in {1..3000}; do eval "f$i() { echo $i; }"; done'"""),
    "dnsmasq": ("dnsmasq", "make CFLAGS='-O1 -g'",
                """for i in $(seq 30000); do echo "10.1.$((i / 250)).$((i % 250 + 1)) host$i.example"; done > $WORK/hosts
                $RECORD src/dnsmasq -k -C /dev/null -u root -p 5399 -a 127.0.0.1 --bind-interfaces -R -h -H $WORK/hosts -x $WORK/pid & sleep 4
                kill -TERM $(cat $WORK/pid); wait"""),
    "git": ("git", "make NO_GETTEXT=1 NO_TCLTK=1 NO_OPENSSL=1 NO_EXPAT=1 NO_CURL=1 NO_PERL=1 NO_PYTHON=1 CFLAGS='-O1 -g' git",
            "$RECORD ./git -C $REPOSITORY rev-list --objects --all > /dev/null"),
    "lua": ("lua5.4", f"{GCC} -DLUA_USE_LINUX $(ls src/*.c | grep -v luac.c) -Wl,-E -lm -ldl",
            """$RECORD ./built -e 't = {} for i = 1, 50000 do t["key" .. i] = {i, "text number " .. i} end os.execute("kill -USR1 $PPID; sleep 1")'"""),
    "memcached": ("memcached", "./configure --disable-docs; make memcached",
                  """$RECORD ./memcached -u root -l 127.0.0.1 -p 21299 -m 200 -P $WORK/pid & sleep 1
                  python3 -c 'import socket
s = socket.create_connection(("127.0.0.1", 21299))
s.sendall(b"".join(b"set key%d 0 0 1000 noreply\\r\\n%s\\r\\n" % (i, b"x" * 1000) for i in range(50000)) + b"get key1\\r\\n")
s.recv(1)'; kill -INT $(cat $WORK/pid); wait"""),
    "nginx": ("nginx", "./configure --with-cc-opt='-O1 -g' --without-http_rewrite_module --without-http_gzip_module && make",
              """mkdir -p $WORK/logs; (echo "daemon off; master_process off; user root; error_log $WORK/log; pid $WORK/pid; events {} http { access_log off; map_hash_max_size 65536;"
              echo 'map $uri $to {'; for i in $(seq 20000); do echo "/page$i /other/place/$i;"; done; echo '} server { listen 127.0.0.1:8299; '
              for i in $(seq 2000); do echo "location /place$i { return 200; }" | sed 's/return 200/root x/'; done; echo '} }') > $WORK/conf
              ${RECORD/--holders/--holders-every 1s} objs/nginx -p $WORK -c $WORK/conf & sleep 2
              for i in $(seq 60); do curl -s -o /dev/null http://127.0.0.1:8299/place$i; sleep 0.05; done; kill -QUIT $(cat $WORK/pid); wait"""),
    "ninja": ("ninja-build", "g++ -O1 -g -o ninja $(ls src/*.cc | grep -v -E 'win32|msvc|test|perftest|browse|[.]in[.]cc|minidump|includes_normalize|_bench')",
              """(echo 'rule cc'; echo '  command = true $in $out'; for i in $(seq 20000); do echo "build out/object$i.o: cc source/file$i.c"; done) > $WORK/build.ninja
              $RECORD ./ninja -C $WORK -n > /dev/null"""),
    "redis": ("redis", "make MALLOC=libc OPTIMIZATION=-O1 BUILD_TLS=no redis-server redis-cli -C src || (make -C deps hdr_histogram hiredis linenoise lua && false)",
              """$RECORD src/redis-server --port 6399 --enable-debug-command yes --save '' --dir $WORK & sleep 2
              src/redis-cli -p 6399 debug populate 100000 key 100; for i in $(seq 2000); do echo "hset hash$((i % 20)) field$i value$i"; echo "zadd set$((i % 20)) $i m$i"; done | src/redis-cli -p 6399
              src/redis-cli -p 6399 shutdown nosave; wait"""),
    "sqlite3": ("sqlite3", f"./configure --disable-tcl --disable-readline && make sqlite3.c shell.c && {GCC} shell.c sqlite3.c -lpthread -ldl -lm",
                """$RECORD ./built :memory: 'create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<100000)
                insert into t select x, hex(randomblob(40)) from c; create index i on t(b);' '.shell kill -USR1 $PPID; sleep 1'"""),
    "tmux": ("tmux", "./configure && make",
             """export TMUX_TMPDIR=$WORK; unset TMUX; ${RECORD/--holders/--holders-every 1s} ./tmux -D & sleep 1
             ./tmux new-session -d -x 120 -y 40 -s one "sleep 100"; ./tmux set -g history-limit 30000
             for i in 1 2 3 4; do ./tmux new-window -d -t one "seq 20000; sleep 100"; done; sleep 4; ./tmux kill-server; wait"""),
}


def call(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True, timeout=900, **more)


def folder_of(folder, name):
    """Where a program was built; None where it can't be."""
    package, build, _ = PROGRAMS[name]
    found = sorted(glob.glob(f"{folder}/{package}-[0-9]*/"))
    if not found and call("apt-get", "source", "-q", package, cwd=folder).returncode == 0:
        found = sorted(glob.glob(f"{folder}/{package}-[0-9]*/"))
    if not found:
        return None
    if not os.path.exists(found[0] + ".built"):
        call("nice", "bash", "-c", build, cwd=found[0])
        open(found[0] + ".built", "w", encoding="ascii").close()
    return found[0]


def snapshots(heaptap, work):
    for file in sorted(glob.glob(work + "/*.ctf")):
        for number in range(1, 101):
            result = call(heaptap, "holders", "--json", "-n", "3", "--paths", "3", "--roots", "3", "--snapshot", str(number), file)
            if result.returncode:
                break
            yield json.loads(result.stdout)


def measure(heaptap, folder, name, work):
    place = folder_of(folder, name)
    if not place:
        return f"| {name} | can't be built here |"
    more = {"RECORD": f"{heaptap} record --holders --native -q -o {work}/%p.ctf", "WORK": work, "REPOSITORY": os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}
    said = call("timeout", "100", "bash", "-c", PROGRAMS[name][2], cwd=place, env=os.environ | more).stdout
    answer = max(snapshots(heaptap, work), key=lambda found: found["snapshot"]["bytes"], default=None)
    if not answer:
        return f"| {name} | no snapshot: {said.strip()[-200:]} |"
    whole, root, site = answer["snapshot"], answer["roots"][0], answer["sites"][0]
    where = f"{os.path.basename(root['file'] or '')}:{root.get('line', '')}"
    return (f"| {name} | {place.rstrip('/').rpartition('-')[2]} | {whole['bytes'] / 1e6:.1f} | {whole['blocks']} | {whole['lost_blocks']} "
            f"| {root['name']} ({root['kind']}, {where}) {100 * root['share']:.0f} % | {100 * site['share']:.0f} %: `{site['paths'][0]['through']}` |")


def main():
    heaptap, folder = os.path.abspath(sys.argv[1]) + "/src/cli/heaptap", os.path.abspath(sys.argv[2])
    print("| program | version | MB | blocks | lost | heaviest root | heaviest place's way |\n|---|---|---|---|---|---|---|")
    for name in sys.argv[3:] or PROGRAMS:
        with tempfile.TemporaryDirectory() as work:
            print(measure(heaptap, folder, name, work), flush=True)


if __name__ == "__main__":
    main()
