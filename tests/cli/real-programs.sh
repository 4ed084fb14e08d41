#!/bin/sh
# heaptap record on programs that people use: the same output and status as without it, and stacks that are
# plausible: from the program's start to functions that must be there.  Those that are not installed are
# skipped.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
chmod 755 .
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
RECORD="$HEAPTAP record -q --native --rate 1e-3 --callstack-size 2000"

# wait_until COMMAND...: until it succeeds, for two minutes at most.
wait_until() {
    for try in $(seq 1200); do
        "$@" >wait.out 2>&1 && return
        sleep 0.1
    done
}

# alike NAME COMMAND...: the same output and status with and without the recorder, whose trace is NAME.ctf.
alike() {
    name=$1
    shift
    plain=0
    "$@" >plain.out 2>plain.err </dev/null || plain=$?
    STATUS=0
    $RECORD -o "$name.ctf" -- "$@" >out 2>err </dev/null || STATUS=$?
    is "$STATUS" "$plain" "$name: status $plain"
    same out plain.out "$name: the same output"
    same err plain.err "$name: the same messages"
}

# The outermost frames of a trace that are not the start of a program or a thread.  Programs without symbols
# start with their entry point; above the loader's own start nothing can be told.
odd_starts() {
    "$HEAPTAP" dump "$1" | grep alloc | sed 's/.*  [0-9]*: //; s/^<truncated>[^ ]* \(_dl_start_user\)/\1/' |
        sed 's/ .*//; s/:[0-9]*:[0-9]*-[0-9]*$//' | sort -u |
        while IFS=@ read -r function file; do
            case $function in
            _start | clone3 | __clone3 | _dl_start_user) continue ;;
            *+0x*)
                case $file in */libc.so.6) continue ;; esac # threads, where libc's debug symbols are missing
                entry=$(readelf -h "$file" 2>/dev/null | sed -n 's/.*Entry point address: *//p')
                distance=$((0x${function##*+0x} - ${entry:-0}))
                [ $distance -ge 0 ] && [ $distance -lt 64 ] && continue
                ;;
            esac
            echo "$function@$file"
        done
}

# plausible NAME FILE LEAST FUNCTION...: at least so many samples, and each function in some stack.
plausible() {
    name=$1 file=$2 least=$3
    shift 3
    "$HEAPTAP" dump "$file" >"$TMP/dump"
    events=$(grep -c alloc "$TMP/dump")
    ok "$([ "$events" -ge "$least" ]; echo $?)" "$name: $events allocations sampled, $least or more"
    is "$(odd_starts "$file" | head -5)" "" "$name: stacks begin at the program's start"
    for function in "$@"; do
        ok "$(grep -q " $function@" "$TMP/dump"; echo $?)" "$name: $function is in the stacks"
    done
}

# largest PATTERN...: of several traces, that with most allocations.
largest() {
    ls -S "$@" | head -1
}

if has_program sqlite3 sqlite3; then
    alike sqlite3 sqlite3 :memory: "create table t(a, b);
        with recursive c(x) as (select 1 union all select x + 1 from c where x < 100000)
        insert into t select x, hex(x * 7919) from c;
        create index i on t(b);
        select count(*), min(b), max(b), sum(length(b)) from t;"
    plausible sqlite3 sqlite3.ctf 100 sqlite3_step
    alike sqlite3-error sqlite3 :memory: "select nonsense;"
fi

if has_program python3 /usr/bin/python3; then
    cat >program.py <<'EOF2'
import json, re, subprocess, sys, threading
data = [{"number": i, "text": "x" * (i % 50), "list": list(range(i % 20))} for i in range(20000)]
text = json.dumps(data)
sums = []
threads = [threading.Thread(target=lambda: sums.append(sum(len(str(d)) for d in json.loads(text)))) for _ in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(text), len(re.findall("x+", text)), sums[0], len(set(sums)))
print(subprocess.run(["/usr/bin/python3", "-c", "import sys; print(6 * 7); sys.exit(4)"]).returncode, flush=True)
sys.exit(3)
EOF2
    export PYTHONMALLOC=malloc
    alike python3 /usr/bin/python3 program.py
    plausible python3 "$(largest python3*.ctf)" 500 _PyEval_EvalFrameDefault PyList_Append
    unset PYTHONMALLOC
fi

if has_program g++ g++; then
    cat >source.cc <<'EOF2'
#include <map>
#include <regex>
#include <string>
int main(int argc, char **argv)
{
    std::map<std::string, std::regex> all;
    for (int i = 0; i < argc; i++)
        all.emplace(argv[i], std::regex(argv[i]));
    return (int)all.size();
}
EOF2
    alike g++ g++ -O1 -c source.cc -o recorded.o
    g++ -O1 -c source.cc -o plain.o
    same recorded.o plain.o "g++: the same object file"
    plausible g++ "$(largest g++*.ctf)" 500 xmalloc
    printf 'int main() { return nonsense; }\n' >wrong.cc
    alike g++-error g++ -c wrong.cc
fi

# Ada: packages, operators, and names within names.
if has_program Ada gnatmake; then
    mkdir ada && cd ada
    cat >shapes.ads <<'END'
package Shapes is
   type Vector is array (Positive range <>) of Long_Integer;
   type Vector_Access is access Vector;
   type Box is record A, B : Long_Integer; end record;
   type Box_Access is access Box;
   function "+" (L, R : Box) return Box_Access;
   package Inner is
      procedure Fill (N : Positive);
   end Inner;
end Shapes;
END
    cat >shapes.adb <<'END'
package body Shapes is
   Kept : Vector_Access;
   function "+" (L, R : Box) return Box_Access is
   begin
      return new Box'(L.A + R.A, L.B + R.B);
   end "+";
   package body Inner is
      procedure Fill (N : Positive) is
      begin
         for I in 1 .. N loop
            Kept := new Vector (1 .. I);
         end loop;
      end Fill;
   end Inner;
end Shapes;
END
    cat >main.adb <<'END'
with Shapes;
procedure Main is
   use type Shapes.Box_Access;
   B : Shapes.Box_Access;
begin
   Shapes.Inner.Fill (100);
   for I in 1 .. 100 loop
      B := Shapes."+" (Shapes.Box'(1, 2), Shapes.Box'(3, 4));
   end loop;
end Main;
END
    gnatmake -q -g main.adb
    run "$HEAPTAP" record -q --all -o t.ctf ./main
    is "$("$HEAPTAP" hotspots --json t.ctf | sed -n 's/^ *"function": "\(shapes.*\)",$/\1/p' | tr '\n' ' ')" \
        'shapes.inner.fill shapes.\"+\" ' "Ada: packages and operators"
    "$HEAPTAP" traces t.ctf >stacks
    is "$(grep -c "_ada_main" stacks) $(grep -cx " *main" stacks | sed 's/[1-9][0-9]*/some/')" "0 some" "... its main procedure"
    cd ..
fi

if has_program git git; then
    git init -q repository
    cp -r "$SOURCE/src" repository/
    git -C repository add .
    git -C repository -c user.name=a -c user.email=a@b commit -qm first
    sed -i 's/the/THE/g' repository/src/cli/*.c
    git -C repository -c user.name=a -c user.email=a@b commit -qam second
    alike git git -C repository log -p --stat --no-color
    plausible git git.ctf 100 inflate
    alike git-gc git -C repository fsck --full
    alike git-error git -C repository show nonsense
fi

if has_program redis redis-server redis-cli redis-benchmark; then
    saved() {
        redis-cli -s "$TMP/redis.sock" info persistence | grep -q 'rdb_bgsave_in_progress:0'
    }
    $RECORD -o redis.ctf -- redis-server --port 0 --unixsocket "$TMP/redis.sock" --save '' --dir "$TMP" >redis.log 2>&1 &
    recorder=$!
    wait_until test -S redis.sock
    seq 20000 | sed 's/.*/SET key:& value-&/' | redis-cli -s "$TMP/redis.sock" --pipe >out 2>&1
    has out "errors: 0, replies: 20000" "redis: all requests answered"
    is "$(redis-cli -s "$TMP/redis.sock" get key:777)" value-777 "redis: the right answer"
    redis-benchmark -s "$TMP/redis.sock" -n 20000 -c 20 -P 8 -d 100 -q -t set,get,lpush,hset --csv >out 2>&1
    is "$(grep -oE '^"(SET|GET|LPUSH|HSET)"' out | tr -d '"' | sort | paste -sd' ')" "GET HSET LPUSH SET" \
        "redis: redis-benchmark runs to its end"
    redis-cli -s "$TMP/redis.sock" bgsave >out
    wait_until saved
    is "$(redis-cli -s "$TMP/redis.sock" info persistence | tr -d '\r' | sed -n 's/^rdb_last_bgsave_status://p')" ok \
        "redis: a child saves"
    redis-cli -s "$TMP/redis.sock" shutdown nosave
    STATUS=0
    wait $recorder || STATUS=$?
    is "$STATUS" 0 "redis: status 0"
    plausible redis redis.ctf 500 main
fi

if has_program nginx nginx wrk; then
    mkdir -p www
    port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    head -c 300000 /dev/zero | tr '\0' x >www/page
    cat >nginx.conf <<EOF2
daemon off; pid $TMP/nginx.pid; error_log $TMP/error.log; worker_processes 2;
events {}
http {
    access_log off; client_body_temp_path $TMP/b; proxy_temp_path $TMP/p; fastcgi_temp_path $TMP/f;
    uwsgi_temp_path $TMP/u; scgi_temp_path $TMP/s;
    server { listen unix:$TMP/nginx.sock; listen 127.0.0.1:$port; location / { root $TMP/www; } }
}
EOF2
    cat >get.py <<'EOF2'
import socket, sys
total = 0
for _ in range(200):
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.sendall(b"GET /page HTTP/1.0\r\n\r\n")
    data = b""
    while True:
        more = s.recv(1 << 16)
        if not more:
            break
        data += more
    total += data.endswith(b"x" * 300000)
print(total)
EOF2
    chmod -R a+rX www
    $RECORD -o nginx.ctf -- nginx -e "$TMP/error.log" -c "$TMP/nginx.conf" >nginx.log 2>&1 &
    recorder=$!
    wait_until test -s nginx.pid
    is "$(/usr/bin/python3 get.py "$TMP/nginx.sock")" 200 "nginx: the right pages"
    wrk -t 1 -c 8 -d 1s --timeout 60s "http://127.0.0.1:$port/page" >out 2>&1
    ok "$(grep -qE '^ +[0-9]+ requests in' out && ! grep -qE 'Non-2xx|Socket errors: connect [1-9]' out; echo $?)" \
        "nginx: wrk runs to its end"
    kill -QUIT $recorder
    STATUS=0
    wait $recorder || STATUS=$?
    is "$STATUS" 0 "nginx: SIGQUIT ends it, status 0"
    plausible nginx "$(largest nginx*.ctf)" 100 main
fi

if PATH=$(echo /usr/lib/postgresql/*/bin | tr ' ' ':'):$PATH && has_program PostgreSQL initdb postgres psql pgbench; then
    mkdir pg && chmod 777 pg
    as_user=
    if [ "$(id -u)" = 0 ]; then # it refuses to run as root, and another user may not see the sources
        chown nobody pg
        as_user="setpriv --reuid=nobody --clear-groups"
        cp "$HEAPTAP" "$PRELOAD" "$TMP"
        export HEAPTAP_PRELOAD="$TMP/${PRELOAD##*/}"
        RECORD="$TMP/${HEAPTAP##*/}${RECORD#"$HEAPTAP"}"
    fi
    export LC_ALL=C
    $as_user initdb -D "$TMP/pg/data" -A trust -U tester >initdb.log 2>&1
    $as_user $RECORD -o "$TMP/pg/pg.ctf" -- "$(command -v postgres)" -D "$TMP/pg/data" -k "$TMP/pg" -c listen_addresses= \
        >pg.log 2>&1 &
    recorder=$!
    wait_until psql -h "$TMP/pg" -U tester -c 'select 1' postgres
    psql -qAt -h "$TMP/pg" -U tester -c "create table t as select i, md5(i::text) m from generate_series(1, 50000) i;
        create index on t(m); select count(*), min(m), max(m) from t" postgres >out 2>&1
    is "$(cat out)" "50000|00003e3b9e5336685200ae85d21b4f5e|fffffe98d0963d27015c198262d97221" "PostgreSQL: the right answer"
    pgbench -q -i -s 1 -h "$TMP/pg" -U tester postgres >out 2>&1 &&
        pgbench -c 4 -j 1 -t 200 -h "$TMP/pg" -U tester postgres >out 2>&1
    has out "number of transactions actually processed: 800/800" "PostgreSQL: pgbench runs to its end"
    kill -INT $recorder
    STATUS=0
    wait $recorder || STATUS=$?
    is "$STATUS" 0 "PostgreSQL: SIGINT ends it, status 0"
    plausible PostgreSQL "$(largest pg/pg*.ctf)" 100 PostgresMain main
fi
done_testing
