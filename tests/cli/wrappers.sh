#!/bin/sh
# Wrappers of allocators that are known by their shape, in all reports of sites.  A program with two functions that many others
# call: grab, which gives blocks of all sizes, and node_new, whose blocks are of one.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
cat >app.c <<'EOF2'
#include <stdlib.h>
static void *kept[200];
static int count;
__attribute__((noinline)) void *grab(size_t size) { return kept[count++] = malloc(size); }
__attribute__((noinline)) void *node_new(void) { return kept[count++] = malloc(48); }
#define USER(n) __attribute__((noinline)) void user##n(int last) \
    { if (n < last) { grab(16u << n % 9); grab(40000); node_new(); } kept[199] = &kept; }
USER(0) USER(1) USER(2) USER(3) USER(4) USER(5) USER(6) USER(7) USER(8) USER(9) USER(10) USER(11)
int main(int argc, char **argv)
{
    int last = atoi(argv[1]);
    user0(last); user1(last); user2(last); user3(last); user4(last); user5(last);
    user6(last); user7(last); user8(last); user9(last); user10(last); user11(last);
    return argc - 2;
}
EOF2
gcc -g -O0 app.c -o app || exit 1
gcc -g -O0 -s -Wl,-E app.c -o bare || exit 1
"$HEAPTAP" record -q --all -o many.ctf -- ./app 12 || exit 1
"$HEAPTAP" record -q --all -o few.ctf -- ./app 5 || exit 1
"$HEAPTAP" record -q --all -o many.pb.gz -- ./app 12 || exit 1
"$HEAPTAP" record -q --all -o bare.ctf -- ./bare 12 || exit 1
# Of what these print, the functions of the program, each once.
functions() {
    grep -oE '\b(grab|node_new|user[0-9]+)\b' | sort -u | paste -sd' '
}
users='user0 user1 user10 user11 user2 user3 user4 user5 user6 user7 user8 user9'

for file in many.ctf many.pb.gz bare.ctf; do
    is "$("$HEAPTAP" hotspots -n 0 --csv "$file" | functions)" "node_new $users" "hotspots $file"
    is "$("$HEAPTAP" hotspots -n 0 --csv "$file" focus=. | functions)" "node_new $users" "hotspots $file, by a model"
    is "$("$HEAPTAP" leaks -n 0 --csv "$file" | functions)" "node_new $users" "leaks $file"
    is "$("$HEAPTAP" top --csv "$file" libraries=hide | awk -F, '$5 > 0' | functions)" \
        "$users" "top $file libraries=hide"
    is "$("$HEAPTAP" hotspots -n 0 --csv "$file" libraries=show | functions)" "grab node_new" "hotspots $file libraries=show"
    is "$("$HEAPTAP" hotspots -n 0 --csv "$file" own=grab own=node_new | functions)" "grab node_new" "hotspots $file own=grab"
done
is "$("$HEAPTAP" advice many.ctf | grep -c grab)" "0" "advice"
is "$("$HEAPTAP" hotspots many.ctf | grep -o 'comes through .* of libraries')" "comes through 1 function of libraries" \
    "they are counted as libraries are"
"$HEAPTAP" record --all -o again.ctf -- ./app 12 2>answer
is "$(grep -c grab answer)" "0" "the answer of record"
"$HEAPTAP" record --all -o again.pb.gz -- ./app 12 2>answer
is "$(grep -c grab answer)" "0" "the answer of record -o FILE.pb.gz"

# Five callers are too few to tell by themselves, which is no difference between the two.
is "$("$HEAPTAP" hotspots -n 0 --csv few.ctf | functions)" "grab node_new" "hotspots few.ctf"
for report in "compare --long" compare; do
    for pair in "few.ctf many.ctf" "many.ctf few.ctf" "many.pb.gz few.ctf"; do
        # shellcheck disable=SC2086
        is "$("$HEAPTAP" $report --csv $pair libraries=hide | functions | grep -c grab)" "0" "$report $pair"
    done
done
done_testing
