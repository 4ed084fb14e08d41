#!/bin/sh
# heaptap advice: the heads lead to the points that are about them, and a line with several calls has the remedy of the one that allocates.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1

# heads TRACE [OPTION]: of each head its kind, and the rule of the point that it leads to.
heads() {
    "$HEAPTAP" advice --json "$@" | /usr/bin/python3 -c '
import json, sys
report = json.load(sys.stdin)
for head in report["heads"]:
    print(head["kind"], report["points"][head["point"] - 1]["rule"] if "point" in head else "-")'
}
# recorded LANGUAGE: the program of the standard input.
recorded() {
    rm -f t.ctf
    cat >"t.$1"
    case $1 in
    c) gcc -g -O1 -fno-builtin t.c -o t ;;
    cpp) g++ -g -O1 t.cpp -o t ;;
    esac
    "$HEAPTAP" record --all -q -o t.ctf -- ./t >/dev/null
}

# Most of a place's blocks die at once, and a few leak: the remedy for those that die is no help for the leak.
recorded c <<'EOS'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char *ring[2000];
static void session(int i)
{
    char *block = malloc(300);
    memset(block, 0, 300);
    if (i % 50)
        free(block);
}
static void cache(int i)
{
    free(ring[i * 7 % 2000]);
    ring[i * 7 % 2000] = malloc(250);
}
int main(void)
{
    for (int i = 0; i < 60000; i++) {
        session(i);
        cache(i);
        if (i % 300 == 0)
            usleep(5000);
    }
}
EOS
is "$(heads t.ctf)" "leak growing
peak peak
churn scratch-blocks" "a leak, the peak and what churns have points of their own"
"$HEAPTAP" advice t.ctf >out
grep -q '^Leak .*: session (.*t\.c:7), .* a second .*, point 3$' out
ok $? "... named in the text"
is "$(heads -n 1 t.ctf | cut -d' ' -f2 | sort -u)" "-
scratch-blocks" "... but not those that aren't shown"

# One line that has a malloc and a realloc.
recorded c <<'EOS'
#include <stdlib.h>
int main(void) { char *p = malloc(100); for (int i = 1; i < 2000; i++) p = realloc(p, 100 + i * 16); free(p); }
EOS
"$HEAPTAP" advice --csv t.ctf >out
has out "realloc-steps" "a realloc behind a malloc on the line: it is what grows"
recorded c <<'EOS'
#include <stdlib.h>
static char *volatile kept;
int main(void) { for (int i = 1; i < 3000; i++) { kept = malloc(200); free(kept); if (i % 100 == 0) { kept = calloc(1, 9); free(kept); } } }
EOS
"$HEAPTAP" advice t.ctf | tr -s ' \n' '  ' >out
has out "The line has several calls: it may be another of them that allocates." "two that allocate: it is said"

# A closure is copied, on a line that makes a container besides.
recorded cpp <<'EOS'
#include <cstdio>
#include <functional>
#include <vector>
__attribute__((noinline)) long apply(std::function<long(int)> f, int n) { return f(n); }
int main()
{
    long sum = 0;
    std::vector<long> big(1000, 3); std::function<long(int)> f = [big](int i) { return big[i % 1000]; }; for (int i = 0; i < 500; i++) sum += apply(f, i);
    printf("%ld\n", sum);
}
EOS
"$HEAPTAP" advice --csv t.ctf >out
has out "copied-containers,main::{unnamed}::<lambda>" "what a closure captures is a copy, whatever else the line makes"
lacks out "temporary-containers" "... and no container for each call"
done_testing
