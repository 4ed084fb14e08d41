#!/bin/sh
# heaptap record with the recorder, on tests/targets/allocates.c: 100 blocks of 1000 bytes kept, 50 of 2000
# freed, all through inlined functions; status 5.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
program=$SOURCE/tests/targets/allocates.c
gcc -O2 -g -pthread -Wl,--build-id "$program" -o allocates || exit 1
# The frames of the program in the stacks of blocks of LENGTH bytes, each distinct stack once.
frames() { # FILE LENGTH
    "$HEAPTAP" dump "$1" | grep " len=$2 " | sed 's/.*  [0-9]*: //' | tr ' ' '\n' | grep -E "$3" |
        sed "s|$SOURCE/||; s|$TMP/||; s/:[0-9]*-[0-9]*\$//" | sort -u | paste -sd' '
}
allocated() { # FILE: blocks and bytes of the program's own
    "$HEAPTAP" dump "$1" | grep -oE 'len=(1000|2000) ' | sed 's/len=//' |
        awk '{ n++; sum += $1 } END { print n + 0, sum + 0 }'
}
sites_of() { # FUNCTION FILE: what those allocate whose name begins like this
    "$HEAPTAP" hotspots --json "$2" | /usr/bin/python3 -c '
import json, re, sys
for site in json.load(sys.stdin)["sites"]:
    if re.match(sys.argv[1], site["function"]):
        print("%d in %d by %s" % (site["bytes"], site["objects"], site["function"]))' "$1"
}

# The answer, all of it.
run "$HEAPTAP" record --all -o t.ctf -- ./allocates
is "$STATUS" 5 "the command's status"
is "$(cat out)" "" "nothing on standard output"
# The recorder's own calls of dlsym can add two small blocks, and how much memory it held is not always known.
sed -E "s|$SOURCE/||; s/pid [0-9]+/pid P/; s/(ran|P\),) [0-9.]+ [mu]?s/\1 T/; s/, [0-9.]+ [kM]B of memory at most, ([0-9.]+ [kM]B of it heaptap.s recorder|heaptap.s recorder included)//; s/[▁▂▃▄▅▆▇█]//g; s/ 15[02] objects/ 150 objects/; s/^(Short-lived +9)[0-9]/\18/" err |
    sed '/ % comes through /d; s/^\(Allocated.*\) 99 % /\1 100 % /; / saves up to /d; /^Most is\|^Makes/d' | cat -s | tr -s ' ' >answer
cat >wanted <<'EOF2'

allocates (pid P), T
t.ctf: ran T and allocated 150 objects; exact

MEMORY BYTES SHARE TIME FUNCTION CALLED BY PLACE
At the peak 100 kB 100 % leaf tests/targets/allocates.c:22
Left at the end 98 kB 100 % leaf tests/targets/allocates.c:22
Short-lived 98 kB 100 % leaf tests/targets/allocates.c:22
Allocated 195 kB 100 % leaf tests/targets/allocates.c:22

Go on with: heaptap advice t.ctf (or view, hotspots, leaks)
EOF2
same answer wanted "the answer"
# Of several processes all are named: by a pattern, where it is of these alone.
mkdir many
cat >many/fork.sh <<'EOF2'
for i in 1 2 3 4; do ./allocates >/dev/null; done
exit 0
EOF2
"$HEAPTAP" record --all -o many/fk.ctf -- sh many/fork.sh >/dev/null 2>err
command=$(sed -n 's/^Go on with: \(heaptap .*\) (or view, hotspots, leaks)$/\1/p' err)
is "${command%%k*}" "heaptap advice many/f" "what to go on with"
# shellcheck disable=SC2086
set -- ${command#heaptap advice}
is "$(echo "$@" | tr ' ' '\n' | sort)" "$(ls many/*.ctf | sort)" "... has the traces of all processes"
touch many/fk.0.ctf many/fk.x.ctf many/fkx.ctf many/fk..ctf
"$HEAPTAP" record --all -o many/fk.ctf -- sh many/fork.sh >/dev/null 2>err
command=$(sed -n 's/^Go on with: \(heaptap .*\) (or view, hotspots, leaks)$/\1/p' err)
is "$(echo "$command" | grep -c 'fkx\.ctf\|fk\.x\.ctf\|\*')" 0 "... and no other's"
# The same for programs: the answer is alone on standard output.
run "$HEAPTAP" record --all --json -o j.ctf -- sh -c 'echo said; exec ./allocates'
is "$STATUS $(field out '[(row["program"], row["file"], row["exact"], row["stopped"]) for row in d["processes"]][:1] or d')" "5 [('allocates', 'j.ctf', True, None)]" "--json"
is "$(field out '[d["processes"][0]["peak_bytes" + end] // 10000 for end in ("_low", "", "_high")]')" "[10, 10, 10]" "... the peak, with its bounds"
"$HEAPTAP" summary --json j.ctf j.*.ctf >summary
is "$(field out '[(card["card"], card["function"], card["line"]) for card in d["cards"]][-1:], d["cards"]') $(field out 'd["schema"], d["trace"]')" \
    "$(field summary '[("total", "leaf", 22)], d["cards"]') (1, 'j.ctf and 1 more')" "... and the summary, as the report says it"
is "$(cat err)" said "... what the command said is on standard error"
run "$HEAPTAP" record --all --markdown -o m.ctf -- ./allocates
is "$STATUS $(grep -c '^| Allocated *| *195 kB' out) $(cat err)" "5 1 " "--markdown"
run "$HEAPTAP" record --all --json -o j.pb.gz -- ./allocates
is "$(field out '[[row[key + end] for end in ("", "_low", "_high")] for key in ("bytes", "objects") for row in d["processes"]]')" \
    "[[200000, 200000, 200000], [150, 150, 150]]" "--json: a profile of every block is exact"
ln allocates "$(printf 'odd\377')"
run "$HEAPTAP" record --all --markdown -o o.ctf -- "./$(printf 'odd\377')"
has out '### odd\\xff (pid ' "--markdown: a name with bytes that are no text"
"$HEAPTAP" record --json -o j.ctf -- ./allocates >/dev/full 2>err
is "$? $(cat err)" "5 heaptap record: writing the output: No space left on device" "--json: an answer that can't be written is told"
"$HEAPTAP" record --json -o j.ctf -- true >/dev/full 2>err
is "$?" 4 "... and is the status, where the command has none"
"$HEAPTAP" record --json -o j.ctf -- true 2>err | head -c 1 >/dev/null
is "$(cat err)" "" "... but a reader may leave"
for wrong in "--json --markdown" "--json -q" "--json --every 1 -o folder"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" record $wrong -- ./allocates
    is "$STATUS" 2 "... not $wrong"
done
for rate in nan 2 ""; do
    MEMTRACE_RATE=$rate run "$HEAPTAP" record -q --all -o rate.ctf -- ./allocates
    is "$(cat err) $(allocated rate.ctf)" " 150 200000" "--all goes before MEMTRACE_RATE=$rate"
done
run "$HEAPTAP" top t.ctf
is "$(head -n 1 out)" "File: allocates" "the program heads the reports, whichever module the trace names first"
is "$(frames t.ctf 1000 tests/targets)" "$(echo "keep@tests/targets/allocates.c:33
leaf@tests/targets/allocates.c:22
main@tests/targets/allocates.c:$(grep -n '    work();' "$program" | sed -n 2p | cut -d: -f1)
middle@tests/targets/allocates.c:27
work@tests/targets/allocates.c:$(grep -n '    keep(100);' "$program" | cut -d: -f1)" | paste -sd' ')" \
    "functions, files and lines, inlined ones too"
is "$("$HEAPTAP" dump t.ctf | grep 'len=1000 ' | sed 's/.*  [0-9]*: //; s/@.*//' | sort -u)" _start "_start is outermost"
is "$(allocated t.ctf)" "150 200000" "every block"
is "$("$HEAPTAP" dump t.ctf | grep -c collect)" 50 "... and its end"
run "$HEAPTAP" record --rate 0.01 -o r.ctf -- ./allocates
run "$HEAPTAP" info r.ctf
has out "rate 0.01 per word of 8 bytes" "--rate is per 8-byte word"

# Names.
run "$HEAPTAP" record -q --all -- ./allocates
is "$(echo heaptap.allocates.*.ctf | sed 's/[0-9][0-9]*/P/')" heaptap.allocates.P.ctf "the default name"
mkdir sub
run "$HEAPTAP" record --all -o 'sub/%e-%p-%t-%%.ctf' -- ./allocates chdir
is "$(cd sub && echo * | sed -E 's/[0-9]{8}-[0-9]{6}/T/; s/-[0-9]+-/-P-/')" "allocates-P-T-%.ctf" "%e, %p, %t, %%"
has err "heaptap advice sub/allocates-" "... found, though the program went elsewhere"
is "$(frames sub/*.ctf 2000 leaf)" "leaf@tests/targets/allocates.c:22" "... and symbolised"
mkdir '50%'
(cd '50%' && "$HEAPTAP" record --all -- ../allocates 2>err)
has '50%/err' "heaptap advice heaptap.allocates." "a % in the folder's name"

# Symbols.
run "$HEAPTAP" record --all -o t.ctf.zst -- ./allocates
is "$(od -An -tx1 -N4 t.ctf.zst)" " 28 b5 2f fd" "a name in .zst: compressed"
is "$(allocated t.ctf.zst)" "150 200000" "... and whole"
run "$HEAPTAP" record --all --no-symbols -o raw.ctf.gz -- ./allocates
is "$(od -An -tx1 -N2 raw.ctf.gz)" " 1f 8b" "--no-symbols, in .gz: compressed"
is "$(frames raw.ctf.gz 1000 allocates | sed -E 's/0x[0-9a-f]+/X/g' | tr ' ' '\n' | sort -u)" "allocates+X@allocates:0" \
    "... addresses stay"
run "$HEAPTAP" file symbolize raw.ctf.gz
is "$(frames raw.ctf.gz 1000 'leaf')" "leaf@tests/targets/allocates.c:22" "... and can be looked up later"
id=$(readelf -n allocates | sed -n 's/.*Build ID: //p')
rest=${id#??}
mkdir -p "debug/.build-id/${id%"$rest"}"
objcopy --only-keep-debug allocates "debug/.build-id/${id%"$rest"}/$rest.debug"
strip allocates -o bare
run "$HEAPTAP" record --all -o bare.ctf -- ./bare
is "$(frames bare.ctf 1000 bare | sed -E 's/0x[0-9a-f]+/X/g' | tr ' ' '\n' | sort -u)" "bare+X@bare:0" "stripped: places in the module stay"
has err "Names are missing for $TMP/bare" "... which the answer tells"
run "$HEAPTAP" file symbolize --debug-dir debug bare.ctf
is "$(frames bare.ctf 1000 'leaf')" "leaf@tests/targets/allocates.c:22" "... until its debug file is named"
run "$HEAPTAP" record --all --debug-dir debug -o bare2.ctf -- ./bare
ok "$(grep -q "^Allocated .* leaf .*allocates.c:22" err; echo $?)" "--debug-dir when recording"

# Processes and threads.
run "$HEAPTAP" record --all -o f.ctf -- ./allocates fork
is "$STATUS" 5 "a child: the command's own status"
child=$(echo f.*.ctf)
is "$(allocated f.ctf) / $(allocated "$child")" "150 200000 / 175 225000" "a child's trace is its own"
is "$(sed -n 2p err)" "2 processes: allocates 220 kB ($child), allocates 195 kB (f.ctf)" "the answer lists both"
has err "heaptap advice $child f.ctf" "... and is of both"
"$HEAPTAP" summary $child f.ctf >both
is "$(sed -n '3,/^Allocated/p' err)" "$(sed -n '1,/^Allocated/p' both)" "... as the summary of their files"
run "$HEAPTAP" record --all --no-follow -o n.ctf -- ./allocates fork
is "$(echo n.*ctf)" n.ctf "--no-follow: the command's process only"
run "$HEAPTAP" record --all -o 's.%e.ctf' -- sh -c './allocates; exit 3'
is "$STATUS" 3 "a shell's children are followed"
is "$(allocated s.allocates.*.ctf)" "150 200000" "... and recorded"
run "$HEAPTAP" record --rate 1e-5 -o 'e.%e.ctf' -- sh -c 'true; :'
is "$(echo e.*.ctf | wc -w)" 1 "of processes without a sample one trace is kept at most"
has err "no allocation was sampled" "... and told of"
run "$HEAPTAP" record --all -o th.ctf -- ./allocates thread
is "$(allocated th.ctf)" "200 300000" "threads"
run "$HEAPTAP" record --all -o d.ctf -- ./allocates daemon
is "$STATUS" 5 "a child that outlives the command isn't waited for"
until ls d.*.ctf >/dev/null 2>&1; do sleep 0.1; done
daemon=$(echo d.*.ctf)
while kill -0 "$(echo "$daemon" | tr -dc 0-9)" 2>/dev/null; do sleep 0.1; done
run "$HEAPTAP" file symbolize "$daemon"
is "$STATUS $(allocated "$daemon")" "0 175 225000" "... its trace is whole when it has ended"

# Without /proc, as in many a chroot: names are the program's own.
if [ "$(id -u)" = 0 ]; then
    mkdir -p root/tmp
    for file in $(ldd ./allocates "$PRELOAD" | grep -oE '/lib[^ ]+' | sort -u); do
        mkdir -p "root$(dirname "$file")"
        cp "$file" "root$file"
    done
    cp allocates "$PRELOAD" root/
    STATUS=0
    env LD_PRELOAD=/libheaptap-preload.so HEAPTAP_ALL=1 MEMTRACE=t.ctf chroot root /allocates 2>err || STATUS=$?
    is "$STATUS $(grep -v 'cannot be preloaded' err)" "5 " "without /proc: the program's status, no complaint"
    is "$(allocated root/t.ctf)" "150 200000" "... all is recorded"
    is "$("$HEAPTAP" dump root/t.ctf | grep 'len=1000 ' | grep -oE '@[^ ]*allocates:' | sort -u)" "@/allocates:" "... under the program's path"
fi

# When, and how it ends.
run "$HEAPTAP" record --all -o k.ctf -- ./allocates kill
is "$STATUS" 137 "killed: status 137"
run "$HEAPTAP" dump k.ctf
is "$STATUS" 0 "... its trace can be read"
run "$HEAPTAP" record --all --paused -o p.ctf -- ./allocates
has err "no SIGUSR2 came to start it" "--paused without a signal"
is "$(allocated p.ctf)" "0 0" "... records nothing"
run "$HEAPTAP" record --all --paused -o p2.ctf -- ./allocates toggle
ok "$([ "$(allocated p2.ctf | cut -d' ' -f1)" -gt 0 ] && [ "$(allocated p2.ctf | cut -d' ' -f1)" -le 150 ]; echo $?)" \
    "... with one: from there on"
run "$HEAPTAP" record --all --context 'run 7' --callstack-size 2 -o c.ctf -- ./allocates
run "$HEAPTAP" info c.ctf
has out "run 7" "--context"
is "$("$HEAPTAP" dump c.ctf | grep 'len=1000 ' | grep -c _start)" 0 "--callstack-size leaves out the outermost"
run "$HEAPTAP" record -q --all -o q.ctf -- ./allocates
is "$STATUS$(cat out err)" 5 "--quiet"
is "$(frames q.ctf 1000 leaf)" "leaf@tests/targets/allocates.c:22" "... symbolises all the same"
# Split debug information that is gone: said after recording, once.
cat >split.c <<'EOF'
#include <stdlib.h>
void *volatile kept;
static inline __attribute__((always_inline)) void fill(void) { kept = malloc(100); }
int main(void) { fill(); return 0; }
EOF
if gcc -O1 -g -gsplit-dwarf -Wl,--build-id split.c -o split; then
    rm -f ./*.dwo
    run "$HEAPTAP" record --all -o split.%p.ctf -- sh -c './split; ./split; true'
    is "$(grep -c "$(pwd -P)/split: note: has split debug information, of which 1 .dwo files were not found" err)" 1 "missing .dwo files are told, once"
    run "$HEAPTAP" record -q --all -o quiet.ctf -- ./split
    is "$(cat err)" "" "... not with --quiet"
fi

# Estimates made before: 1000 blocks of 100 bytes, of which 500 are alive at once.
cat >thousand.c <<'EOF'
#include <stdlib.h>
void *volatile kept[500];
int main(void) { for (int i = 0; i < 1000; i++) { free(kept[i % 500]); kept[i % 500] = malloc(100); } return 0; }
EOF
gcc -O1 thousand.c -o thousand
run "$HEAPTAP" record -q --all --expect 2k --expect-bytes 100kB --expect-peak 50kB -o e.ctf -- ./thousand
is "$STATUS $(cat err)" "0 " "--expect, --expect-bytes, --expect-peak: as expected"
run "$HEAPTAP" record -q --all --expect 20k --expect-bytes 1kB --expect-peak 1G -o e.ctf -- ./thousand
is "$STATUS" 1 "... not as expected: status 1"
sed 's/.*: about/about/' err >got
cat >wanted <<'EOF'
about 20000 allocations were expected and 1000 were made: more than a factor of ten apart
about 1024 bytes were expected and 100000 were made: more than a factor of ten apart
about 1073741824 bytes alive at once were expected and 50000 were reached: more than a factor of ten apart
EOF
same got wanted "... each said, with both figures"
run "$HEAPTAP" record -q --all --expect 20k -o e.ctf -- sh -c './thousand; exit 7'
is "$STATUS" 7 "... the command's own status comes first"
run "$HEAPTAP" record -q --all --expect 0 -o e.ctf -- ./no-such
is "$STATUS" 127 "... and that of one that is not there"
run "$HEAPTAP" record -q --rate 1e-9 --expect 0 -o e.ctf -- ./thousand
is "$STATUS" 1 "... nothing recorded is never as expected"
has err "nothing was recorded" "... said"
run "$HEAPTAP" record --expect-peak 1k -o e.pb.gz -- ./thousand
is "$STATUS" 2 "... a profile has no peak"

# ---- Programs with a heap that malloc does not see

run "$HEAPTAP" record --all --native -o py.ctf -- /usr/bin/python3 -c 'x = [bytes(1000) for i in range(1000)]'
has err "is a Python program: malloc doesn't show" "Python: what isn't seen is said"
has err "What does: heaptap record -- python3 SCRIPT, without --native (CPython 3.11 to 3.13)" "... and what sees it"
is "$(grep -c "malloc doesn't show" err)" 1 "... once"
cat >runtime.c <<'EOF'
#include <stdlib.h>
__attribute__((noinline)) void ENTRY(void) { for (int i = 0; i < 1000; i++) { char *volatile p = malloc(1000); *p = 1; free(p); } }
int main(void) { ENTRY(); return 0; }
EOF
# told NAME FUNCTION: what is said of a program of that name, with that function on its stacks.
told() {
    gcc -O1 -g -w -DENTRY="$2" -o "./$1" runtime.c
    run "$HEAPTAP" record --all -o runtime.ctf -- "./$1"
    sed -n "s/^$1 is a \\([A-Za-z]*\\) program: .*/\\1/p" err
}
is "$(told tool x_cgo_thread_start)" Go "Go with C"
is "$(told app Py_RunMain)" Python "a program that runs Python's main"
is "$(told lua5.4 lua_newuserdatauv)" Lua "Lua"
for none in "python3 work" "lua work" "node work" "java work" "go work" "gdb Py_Initialize" "vim lua_pcallk" "tool x_cgroup"; do
    # shellcheck disable=SC2086
    is "$(told $none)" "" "no false alarm: $none"
done
# The program's own instances of a template are told apart; those of the standard libraries are not, unless --names says so. Nothing
# is lost where the program is gone.
if command -v g++ >/dev/null; then
    cat >sites.cc <<'EOF3'
#include <map>
#include <string>
#include <vector>
namespace app {
template <int N> __attribute__((noinline)) char *site() { return new char[N * 1000]; }
template <typename T> struct Pool {
    __attribute__((noinline)) void grow(size_t n) { items.reserve(n); }
    std::vector<T> items;
};
template <typename F> __attribute__((noinline)) char *call(F f) { return f(); }
}
int main()
{
    char *volatile kept;
    for (int i = 0; i < 10; i++)
        kept = app::site<1>(), kept = app::site<5>(), kept = app::site<50>();
    app::Pool<long> longs;
    app::Pool<std::map<int, std::string>> maps;
    longs.grow(1000);
    maps.grow(2000);
    kept = app::call([] { return new char[333]; });
    return kept == nullptr;
}
EOF3
    g++ -g -O1 sites.cc -o sites
    run "$HEAPTAP" record --all -o sites.ctf -- ./sites
    sites_of 'app::' sites.ctf >got
    cat >wanted <<'EOF3'
500000 in 10 by app::site<50>
96000 in 1 by app::Pool<std::map<int, std::string>>::grow
50000 in 10 by app::site<5>
10000 in 10 by app::site<1>
8000 in 1 by app::Pool<long>::grow
EOF3
    same got wanted "a template's instances are functions of their own"
    for report in "top -n 99 sites.ctf" "leaks sites.ctf" "tree sites.ctf" "traces sites.ctf" "list sites.ctf app::site" "peek sites.ctf app::" \
        "tree --callers sites.ctf operator" "flamegraph --folded sites.ctf" "pprof -o - sites.ctf"; do
        echo "$report" >&3
        # shellcheck disable=SC2086
        "$HEAPTAP" $report 2>&1 | { [ "${report%% *}" = pprof ] && gzip -dc || cat; } >out
        echo "$report: $(grep -c -m1 'site<50>' out) $(grep -c -m1 'site<5>' out)"
    done >got 3>reports
    sed 's/$/: 1 1/' reports >wanted
    same got wanted "... in all reports"
    run "$HEAPTAP" file symbolize --names=short -o short.ctf sites.ctf
    run "$HEAPTAP" hotspots --json short.ctf
    is "$(grep -c '"app::site"' out) $(grep -c '"app::Pool::grow"' out) $(grep -c 'app::.*<' out)" "1 1 0" "--names=short makes one function of them"
    run "$HEAPTAP" file symbolize --names=templates -o templates.ctf sites.ctf
    run "$HEAPTAP" tree templates.ctf
    has out 'std::vector<long, std::allocator<long> >::reserve' "--names=templates tells those of the standard library apart, too"
    lacks out 'std::vector::' "... all of them"
    run "$HEAPTAP" file symbolize --names=own -o own.ctf templates.ctf
    "$HEAPTAP" dump own.ctf >got
    "$HEAPTAP" dump sites.ctf >wanted
    same got wanted "... and back again"
    mv sites moved
    run "$HEAPTAP" file symbolize --names=short sites.ctf
    "$HEAPTAP" dump sites.ctf >got
    same got wanted "... not where the program isn't found"
fi
# Lambdas that the compiler has put into their callers are told apart, too: by their lines, in the arguments of templates as well.
if command -v g++ >/dev/null; then
    cat >lambdas.cc <<'EOF3'
#include <cstdlib>
#include <vector>
template <class F> inline void each(int n, F f) { for (int i = 0; i < n; i++) f(i); }
template <class F> struct Holder { F f; inline void run() { f(5); } };
int main(int c, char **)
{
    std::vector<void *> kept;
    kept.reserve(9000);
    each(1000, [&](int i) { kept.push_back(malloc(16)); });
    each(1000, [&](int i) { kept.push_back(malloc(c > 1 ? 4096 : 2048)); });
    each(10, [&](auto i) { kept.push_back(malloc(77)); });
    each(10, [&](auto i) { kept.push_back(malloc(78)); });
    auto a = [&](long i) { kept.push_back(malloc(5000)); }; auto b = [&](long i) { kept.push_back(malloc(6000)); };
    a(1), b(2);
    auto outer = [&](int n) {
        auto inner = [&](int m) { kept.push_back(malloc(300)); };
        inner(n); };
    outer(1);
    auto held = [&](int i) { kept.push_back(malloc(400)); };
    Holder<decltype(held)>{held}.run();
    return 0;
}
EOF3
    g++ -g -O2 lambdas.cc -o lambdas
    run "$HEAPTAP" record --all -o lambdas.ctf -- ./lambdas
    sites_of '.*lambda' lambdas.ctf | sed 's/:13:[1-9][0-9]*}/:13:COLUMN}/' >got
    cat >wanted <<'EOF3'
2048000 in 1000 by main::{lambda:10}::operator()
16000 in 1000 by main::{lambda:9}::operator()
6000 in 1 by main::{lambda:13:COLUMN}::operator()
5000 in 1 by main::{lambda:13:COLUMN}::operator()
780 in 10 by main::{lambda:12}::operator()<int>
770 in 10 by main::{lambda:11}::operator()<int>
400 in 1 by main::{lambda:19}::operator()
300 in 1 by main::{lambda:15}::operator()::{lambda:16}::operator()
EOF3
    same got wanted "lambdas put into their callers are functions of their own"
    "$HEAPTAP" flamegraph --folded lambdas.ctf | tr ';' '\n' | grep -o '^each<.*>\|^Holder<.*run' | sort -u >got
    cat >wanted <<'EOF3'
Holder<main(int, char**)::{lambda:19}>::run
each<main(int, char**)::{lambda:10}>
each<main(int, char**)::{lambda:11}>
each<main(int, char**)::{lambda:12}>
each<main(int, char**)::{lambda:9}>
EOF3
    same got wanted "... and the instances of templates that have them"
fi
# Rust's default names of functions have no generic arguments, but its debug information does.
if command -v rustc >/dev/null && rustc --version >/dev/null 2>&1; then
    cat >generic.rs <<'EOF3'
use std::hint::black_box;
#[inline(never)] fn mk<T: Default + Clone>(n: usize) -> Vec<T> { vec![T::default(); n] }
struct P<T>(Vec<T>);
impl<T: Default> P<T> { #[inline(never)] fn grow(&mut self, n: usize) { self.0.reserve_exact(n); } }
fn main() {
    black_box(mk::<u8>(1000)); black_box(mk::<u64>(1000));
    let mut p = P::<u32>(vec![]); p.grow(1000); let mut q = P::<[u64; 4]>(vec![]); q.grow(1000); black_box((&p.0, &q.0));
    let f = |n: usize| black_box(vec![1u8; n]); let g = |n: usize| black_box(vec![2u8; n * 2]); f(333); g(333);
}
EOF3
    for options in "" "-O"; do
        # shellcheck disable=SC2086
        rustc -g $options -o generic generic.rs
        run "$HEAPTAP" record --all -o generic.ctf -- ./generic
        sites_of 'generic::' generic.ctf >got
        cat >wanted <<'EOF3'
32000 in 1 by generic::P<T>::grow<[u64; 4]>
8000 in 1 by generic::mk<u64>
4000 in 1 by generic::P<T>::grow<u32>
1000 in 1 by generic::mk<u8>
666 in 1 by generic::main::{closure#1}
333 in 1 by generic::main::{closure#0}
EOF3
        same got wanted "Rust's instances and closures are functions of their own${options:+ with $options}"
        run "$HEAPTAP" file symbolize --names=full -o full.ctf generic.ctf
        "$HEAPTAP" hotspots --json full.ctf | grep -c '"function": "<*alloc\[' >got
        echo 0 >wanted
        same got wanted "... and whole names tell Rust's standard library"
    done
fi
done_testing
