#!/bin/sh
# Libraries that come and go: heaptap record names what stood at an address when it was called.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD

# Four libraries, each opened after the one before has been closed, at one address; 1001 to 1004 bytes each.  The first comes twice.
cat >plug.c <<'EOF'
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) void FUNCTION(void) { kept = malloc(SIZE); }
EOF
for i in 1 2 3 4; do
    gcc -O1 -g -shared -fPIC -Wl,--build-id -DFUNCTION=plug$i -DSIZE=100$i plug.c -o plug$i.so || exit 1
done
cat >host.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char name[64];
        snprintf(name, sizeof name, "./plug%s.so", argv[i]);
        void *library = dlopen(name, RTLD_NOW);
        snprintf(name, sizeof name, "plug%s", argv[i]);
        void (*function)(void);
        *(void **)&function = dlsym(library, name);
        printf("%p\n", (void *)function);
        for (int j = 0; j < 3; j++)
            function();
        dlclose(library);
    }
}
EOF
gcc -O1 -g host.c -o host -ldl || exit 1
names() { # TRACE: size and innermost frame of the libraries' blocks, with how many there are
    "$HEAPTAP" dump "$1" | sed -nE 's/.* len=(100[1-4]) .* ((plug|now)[^ ]*)@.*/\1 \2/p' | sort | uniq -c |
        awk '{ print $1, $2, $3 }' | paste -sd,
}
bytes() { # PROFILE: of each library's function
    "$HEAPTAP" top "$1" | sed -nE 's/^ +([0-9.]+kB) .* (plug[1-4])$/\2 \1/p' | sort | paste -sd,
}
all="3 1001 plug1,3 1002 plug2,3 1003 plug3,3 1004 plug4"
run "$HEAPTAP" record --all -o t.ctf -- ./host 1 2 3 4
is "$(sort -u out | wc -l)" 1 "the libraries stand at one address"
is "$(names t.ctf)" "$all" "each block has the function of its own library"
run "$HEAPTAP" record --all -o again.ctf -- ./host 1 2 1 3 4
is "$(names again.ctf)" "6 1001${all#3 1001}" "... one that comes back, too"
run "$HEAPTAP" record --all --no-symbols -o raw.ctf -- ./host 1 2 3 4
places=$(names raw.ctf | sed 's/+0x[0-9a-f]*//g')
is "$places" "3 1001 plug1.so,3 1002 plug2.so,3 1003 plug3.so,3 1004 plug4.so" "--no-symbols: the library of each"
"$HEAPTAP" pprof raw.ctf -o raw.pb.gz
run "$HEAPTAP" file symbolize raw.ctf
is "$(names raw.ctf)" "$all" "symbolised later"
run "$HEAPTAP" record --all -o direct.pb.gz -- ./host 1 2 3 4
is "$(bytes direct.pb.gz)" "plug1 2.93kB,plug2 2.94kB,plug3 2.94kB,plug4 2.94kB" "a profile, recorded as one"
run "$HEAPTAP" record --all --no-symbols -o plain.pb.gz -- ./host 1 2 3 4
run "$HEAPTAP" file symbolize plain.pb.gz
is "$(bytes plain.pb.gz)" "plug1 2.93kB,plug2 2.94kB,plug3 2.94kB,plug4 2.94kB" "... and symbolised later"
is "$(/usr/bin/python3 - raw.pb.gz <<'EOF'
import gzip, re, sys
print(*sorted(set(re.findall(rb"plug[1-4]\.so", gzip.open(sys.argv[1]).read()))))
EOF
)" "b'plug1.so' b'plug2.so' b'plug3.so' b'plug4.so'" "a profile of a trace has a mapping for each"

# One path that is another library each time.
cat >renew.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    for (int i = 1; i <= 2; i++) {
        char command[64];
        snprintf(command, sizeof command, "rm -f now.so; cp plug%d.so now.so", i);
        if (system(command) != 0)
            return 1;
        void *library = dlopen("./now.so", RTLD_NOW);
        snprintf(command, sizeof command, "plug%d", i);
        void (*function)(void);
        *(void **)&function = dlsym(library, command);
        function();
        dlclose(library);
    }
}
EOF
gcc -O1 -g renew.c -o renew -ldl || exit 1
run "$HEAPTAP" record --all --no-follow -o renew.ctf -- ./renew
is "$(names renew.ctf | sed 's/+0x[0-9a-f]*//g')" "1 1001 now.so,1 1002 plug2" "what a file no longer holds has no name rather than another's"
done_testing
