#!/bin/sh
# Programs and libraries whose files become others while they are recorded: names are those of the file that was in memory,
# or there are none, and what has no name is one thing for each build.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD

# Builds of one program and of one library, in which `first`, `second` or `third` allocates, each at the same place.
cat >program.c <<'EOF'
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) void FUNCTION(void) { kept = malloc(64); }
int main(void) { for (int i = 0; i < 100; i++) FUNCTION(); }
EOF
cat >plug.c <<'EOF'
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) void FUNCTION(void) { kept = malloc(64); }
void plug(void) { for (int i = 0; i < 100; i++) FUNCTION(); }
EOF
cat >host.c <<'EOF'
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv) /* each argument is a command, to be done before the library is opened again */
{
    for (int i = 1; i < argc; i++) {
        if (system(argv[i]) != 0)
            return 1;
        void *library = dlopen("./plug.so", RTLD_NOW);
        void (*function)(void);
        *(void **)&function = dlsym(library, "plug");
        function();
        dlclose(library);
    }
}
EOF
gcc -O1 -g host.c -o host -ldl || exit 1
build() { # SUFFIX OPTIONS...
    suffix=$1
    shift
    for name in first second third; do
        gcc -O1 -g "$@" -DFUNCTION=$name program.c -o $name$suffix &&
            gcc -O1 -g "$@" -shared -fPIC -DFUNCTION=$name plug.c -o $name.so$suffix || exit 1
        touch -d 2020-01-01 $name$suffix $name.so$suffix
    done
}
build "" -Wl,--build-id=none
build .id -Wl,--build-id

# The functions that allocated, with their bytes; addresses and build ids without their digits.
told() { # FILE...
    "$HEAPTAP" hotspots --csv --callers=0 "$@" 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "bytes" || $i == "value") bytes = i }
                 $3 ~ /^(first|second|third|(app|plug\.so)\+0x.*)$/ { print $bytes, $3 }' | sed -E 's/[+]0x[0-9a-f]+/+/; s/build [0-9a-f]{8}\)/build)/' | sort | paste -sd,
}
# How often a note says so of a program or library.
notes() { grep -c "/$1: note: has changed since it was in memory, and has no build id" err; }
in_turn() { echo "for i in first$1 second$1 third$1; do cp -p \$i new; mv new app; ./app; done"; }
plugs() { # FILE SUFFIX: records a program that opens each of the libraries
    run "$HEAPTAP" record --all --no-follow -o "$1" -- ./host "cp -p first.so$2 new; mv new plug.so" \
        "cp -p second.so$2 new; mv new plug.so" "cp -p third.so$2 new; mv new plug.so"
}

# A program that is renewed between runs.
for form in ctf pb.gz; do
    run "$HEAPTAP" record --all -o "t.%p.$form" -- sh -c "$(in_turn "")"
    is "$(told t.*.$form)" "12800 app+,6400 third" "$form: the last build has its names, those before have none"
    is "$(notes app)" 1 "... and a note says so of the program, once"
    rm t.*.$form
    run "$HEAPTAP" record --all --quiet -o "t.%p.$form" -- sh -c "$(in_turn "")"
    is "$(notes app)" 0 "... not with --quiet"
    rm t.*.$form
    cp -p first app
    run "$HEAPTAP" record --all --no-symbols -o raw.$form -- ./app
    cp raw.$form unchanged.$form
    "$HEAPTAP" file symbolize unchanged.$form 2>/dev/null
    is "$(told unchanged.$form)" "6400 first" "$form, symbolised later: a file that is the same has its names"
    cp -p second new
    mv new app
    cp raw.$form changed.$form
    run "$HEAPTAP" file symbolize changed.$form
    is "$(told changed.$form)" "6400 app+" "... one that is not has none"
    is "$(notes app)" 1 "... and a note says so"
done
/usr/bin/python3 - <<'EOF'
import os
here = os.uname().nodename.encode()
open("elsewhere.ctf", "wb").write(open("raw.ctf", "rb").read().replace(here + b"\0", b"~" * len(here) + b"\0"))
EOF
run "$HEAPTAP" file symbolize elsewhere.ctf
is "$(told elsewhere.ctf)" "6400 second" "a trace of another machine: the files are copies, and taken for what they were"
is "$(notes app)" 0 "... without a word"

# A library that is renewed while the program runs.
plugs plugs.ctf ""
is "$(told plugs.ctf)" "12800 plug.so+,6400 third" "a library: the same"
is "$(notes plug.so)" 1 "... with its note"
plugs plugs.pb.gz ""
is "$(told plugs.pb.gz)" "19200 plug.so+" "... a profile does not tell when the library came, so that none has names"

# Builds with build ids are told apart, names or not.
for form in ctf pb.gz; do
    run "$HEAPTAP" record --all -o "id.%p.$form" -- sh -c "$(in_turn .id)"
    is "$(told id.*.$form)" "6400 app+ (build),6400 app+ (build),6400 third" "$form: what has no name is told apart by its build"
    is "$(notes app)" 0 "... build ids say what a file is"
    rm id.*.$form
    plugs plugs.$form .id
    is "$(told plugs.$form)" "6400 plug.so+ (build),6400 plug.so+ (build),6400 third" "$form: a library's, too"
done
"$HEAPTAP" hotspots --csv plugs.ctf 2>/dev/null | grep -oE '\(build [0-9a-f]+' | sort -u >builds
readelf -n first.so.id second.so.id | sed -nE 's/ +Build ID: (.{8}).*/(build \1/p' | sort >wanted
same builds wanted "... with the first digits of the build id"
"$HEAPTAP" leaks plugs.ctf --csv 2>/dev/null | grep -oE '\(build [0-9a-f]+' | sort -u >builds
is "$(sort -u builds | wc -l)" 2 "... in leaks, too"
done_testing
