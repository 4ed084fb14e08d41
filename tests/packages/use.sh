# What tests/packages/deb.sh runs in a bare Debian: the packages in /srv/share are installed, used and purged.
set -eu
export DEBIAN_FRONTEND=noninteractive
number=0
# expect GOT WANTED NAME
expect() {
    [ "$1" = "$2" ] || { printf '%s\ngot    %s\nwanted %s\n' "$3" "$1" "$2" >&2; exit 1; }
    number=$((number + 1))
    echo "ok $number - $3"
}
files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /srv -o -path /tmp -o -path /root -o -path /var/lib/dpkg \
        -o -path /var/lib/apt -o -path /var/cache -o -path /var/log \) -prune -o -print | sort
}
apt-get update -q >/dev/null
version=$(dpkg-deb -f /srv/share/heaptap_*.deb Version)
apt-get upgrade -y -q >/dev/null 2>&1 # else what heaptap needs may be another version afterwards
apt-get install -y -q --no-install-recommends gcc libc6-dev pkg-config ocaml-findlib ocaml-nox >/dev/null 2>&1
files >/tmp/before
apt-get install -y -q --no-install-recommends /srv/share/*.deb >/tmp/log 2>&1 || { cat /tmp/log >&2; exit 1; }
cd /tmp

expect "$(heaptap --version | sed 's/ (.*//')" "heaptap $version" "the program is installed"
expect "$(heaptap record -o t.ctf -- sh -c 'echo recorded' 2>/dev/null)" recorded "it records"
expect "$(heaptap info --json t.ctf | grep -c '"executable"')" 1 "... and reads the recording"
expect "$(heaptap --memtracer -c 'var a = [1, 2, 3];' 2>&1 | grep -c LoxArray)" 2 "Lox is there"
heaptap view t.ctf -o t.html
expect "$(grep -q '<script' t.html && echo script)" script "the viewer's page is bundled"
heaptap record -o t.pb.gz -- ls / >/dev/null 2>&1
expect "$(heaptap top t.pb.gz | head -n 1 | cut -c1-4)" "File" "a profile too"

cat >use.c <<'END'
#include <heaptap/profile.h>
#include <stdio.h>
int main(void)
{
    puts(heaptap_status_name(HEAPTAP_OK) ? "linked" : "");
    return 0;
}
END
expect "$(gcc use.c -o use $(pkg-config --cflags --libs heaptap) && ./use)" linked "a C program is linked to libheaptap"
cat >server.ml <<'END'
let () = Memtrace.trace_if_requested ()
let work n = List.init n (fun i -> Array.make 50 i)
let () = assert (List.length (work 100) = 100)
END
ocamlfind ocamlopt -g -package heaptap.memtrace -linkpkg server.ml -o server 2>/tmp/log || { cat /tmp/log >&2; exit 1; }
MEMTRACE=server.ctf MEMTRACE_RATE=1 ./server
expect "$(heaptap dump server.ctf | grep -c ' len=50 .*Server.work')" 100 "an OCaml program is traced"
ocamlfind ocamlc -g -package heaptap.memtrace -linkpkg server.ml -o server.bc
MEMTRACE=bytecode.ctf MEMTRACE_RATE=1 ./server.bc
expect "$(heaptap dump bytecode.ctf | grep -c ' len=50 .*Server.work')" 100 "... and its bytecode"

apt-get purge -y -q --autoremove heaptap 'libheaptap.*' >/tmp/log 2>&1 || { cat /tmp/log >&2; exit 1; }
files >/tmp/after
expect "$(diff /tmp/before /tmp/after)" "" "nothing is left once they are purged"
