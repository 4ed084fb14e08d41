#!/usr/bin/env python3
"""What snapshots of what holds blocks cost, and what they call lost in programs that lose little: a table for RESULTS.md.

    bench/holders.py BUILD [NAME...]

Programs that aren't installed are left out."""
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = {
    "clang": "clang -O1 -c big.c -o big.o",
    "gdb": "gdb -batch -nx -ex 'info functions main' -ex 'info types a' {self}",
    "cmake": "cmake -S project -B built",
    "git": "git -C {repository} log --stat -n 300",
    "python3": "env PYTHONMALLOC=malloc /usr/bin/python3 -c 'import os,json,ast,decimal,email,http.client,asyncio;d=[{{i:str(i)}} for i in range(200000)];os._exit(0)'",
    "perl": "perl -e 'my %h; $h{{$_}}=[$_,\"x\"x20] for 1..200000; print scalar keys %h'",
    "sqlite3": "sqlite3 :memory: 'create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<100000) "
               "insert into t select x, hex(randomblob(40)) from c; create index i on t(b); select count(*) from t'",
    "postgres": "postgres --single -D {data} postgres",
    "bash": "bash -c 'for i in {{1..20000}}; do a[$i]=x$i; done; echo ${{#a[@]}}'",
}

# Who may run a server of databases.
USER = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] if os.getuid() == 0 else []


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=900, **more)


def prepare(name, folder):
    """False where the program can't be run."""
    if not shutil.which(name):
        return False
    if name == "clang":
        with open(folder + "/big.c", "w", encoding="ascii") as file:
            for i in range(3000):
                file.write(f"struct s{i} {{ int a, b[{i + 1}]; }}; int f{i}(struct s{i} *s, int n) {{ int t = 0; for (int i = 0; i < n; i++) "
                           f"t += s->b[i % {i + 1}] * n; return t + s->a; }}\n")
    if name == "cmake":
        os.mkdir(folder + "/project")
        with open(folder + "/project/CMakeLists.txt", "w", encoding="ascii") as file:
            file.write("cmake_minimum_required(VERSION 3.10)\nproject(many C)\n")
            for i in range(300):
                file.write(f'file(WRITE "${{CMAKE_BINARY_DIR}}/f{i}.c" "int f{i};")\nadd_library(l{i} "${{CMAKE_BINARY_DIR}}/f{i}.c")\n')
    if name == "postgres":
        os.chmod(folder, 0o777)
        return run([*USER, "initdb", "-D", folder + "/data", "-A", "trust"], cwd=folder).returncode == 0
    return True


def measure(heaptap, name, folder):
    own = os.path.realpath(heaptap)
    repository = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    command = PROGRAMS[name].format(self=own, repository=repository, data=folder + "/data")
    stdin = b"create table t(a int, b text); insert into t select i, repeat('x', 50) from generate_series(1, 100000) i; select count(*) from t;\n"
    user = USER if name == "postgres" else []
    run([heaptap, "record", "--holders", "--native", "-q", "-o", folder + "/x-%p.ctf", *user, *shlex.split(command)], input=stdin, cwd=folder)
    answer = {"blocks": 0, "bytes": 0, "lost_blocks": 0, "lost_bytes": 0, "still_us": 0, "processor_us": 0}
    for file in sorted(os.listdir(folder)):
        result = run([heaptap, "holders", "--json", "-n", "5", file], cwd=folder) if file.endswith(".ctf") else None
        if result and result.returncode == 0:
            answer = max(answer, json.loads(result.stdout)["snapshot"], key=lambda snapshot: snapshot["blocks"])
    return (f"| {name} | {answer['blocks']} | {answer['bytes'] / 1e6:.1f} | {answer['lost_blocks']} "
            f"| {100 * answer['lost_blocks'] / max(answer['blocks'], 1):.2f} % | {100 * answer['lost_bytes'] / max(answer['bytes'], 1):.2f} % "
            f"| {answer['still_us'] / 1000:.0f} | {answer['processor_us'] / 1000:.0f} |")


def main():
    heaptap = os.path.abspath(sys.argv[1]) + "/src/cli/heaptap"
    print("| program | blocks | MB | lost | of blocks | of bytes | stands still, ms | processor, ms |\n|---|---|---|---|---|---|---|---|")
    for name in sys.argv[2:] or PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            print(measure(heaptap, name, folder) if prepare(name, folder) else f"| {name} | can't be run here |", flush=True)


if __name__ == "__main__":
    main()
