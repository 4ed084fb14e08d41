#!/bin/bash
# Programs without symbols: what their functions call says where they are.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
cat >parts.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) static void *inner(size_t size)
{
    return malloc(size);
}
void *part_folder(void)
{
    return inner(30000);
}
void *part_file(void)
{
    return inner(400);
}
void *part_name(void)
{
    return inner(40);
}
END
cat >reads.c <<'END'
#include <stdlib.h>
void *part_folder(void), *part_file(void), *part_name(void);
static void *kept[501];
__attribute__((noinline)) static void folders(void)
{
    for (int i = 0; i < 100; i++)
        kept[i] = part_folder();
}
__attribute__((noinline)) static void files(void)
{
    for (int i = 100; i < 500; i++)
        kept[i] = part_file();
    for (int i = 0; i < 1000; i++)
        free(part_name());
}
__attribute__((noinline)) static void plain(void)
{
    kept[500] = malloc(70000);
}
int main(void)
{
    folders();
    files();
    plain();
    return !kept[0];
}
END
flags="-O1 -fno-builtin -fno-optimize-sibling-calls"
gcc $flags -fPIC -shared parts.c -o libparts.so && strip libparts.so &&
    gcc $flags reads.c -o named ./libparts.so && strip named -o reads || exit 1
library=own!=libparts
for program in reads named; do
    run "$HEAPTAP" record --all -o $program.ctf -- ./$program
done

shape() { # the lines of `out`, with X for places without a name
    sed -E 's/reads\+0x[0-9a-f]+/X/g; s/ +/ /g' out
}
run "$HEAPTAP" hotspots --callers=0 reads.ctf "$library"
is "$(shape | grep -o ' X.*' | sort)" " X -> part_file ... $TMP/reads
 X -> part_folder $TMP/reads
 X $TMP/reads" "hotspots: beside a function without a name is the library function that it calls, of several with a mark"
run "$HEAPTAP" hotspots --callers=0 named.ctf "$library"
is "$(grep -c -e '->' out):$(grep -oE ' (files|folders|plain) ' out | sort | tr -d '\n')" "0: files  folders  plain " "... not beside one that has a name"
run "$HEAPTAP" hotspots --callers=0 reads.ctf "$library" libraries=show
is "$(grep -c -e '->' out)" 0 "... nor where the library's function is the place itself"
run "$HEAPTAP" hotspots --json --callers=0 reads.ctf "$library"
/usr/bin/python3 - >got <<'EOF2'
import json
for site in json.load(open("out"))["sites"]:
    assert site["function"].startswith("reads+0x"), site
    print(site.get("calls"), site.get("calls_file", "").rpartition("/")[2], round(site.get("calls_share", 0), 2))
EOF2
is "$(cat got)" "part_folder libparts.so 1
part_file libparts.so 0.8
None  0" "in JSON the name stays, with three members beside it"
run "$HEAPTAP" hotspots --csv --callers=0 reads.ctf "$library"
is "$(head -1 out | grep -c calls):$(grep -c -e '->' out)" 0:0 "CSV has its columns as they were"

# What a card, a point or a verdict is about, and no other blocks.
run "$HEAPTAP" summary reads.ctf "$library"
is "$(shape | grep '^Left' | grep -o 'X.*')" "X -> part_folder $TMP/reads" "summary: a card has it"
is "$(shape | grep '^Makes')" "Makes the peak: X calling into part_folder (libparts.so)" "... and so have sentences"
run "$HEAPTAP" leaks --callers=0 reads.ctf "$library"
is "$(shape | grep -o ' X.*' | sort)" " X -> part_file ... $TMP/reads
 X -> part_folder $TMP/reads
 X $TMP/reads" "leaks: what has been freed does not count, but for the mark: KEPT is of all"
run "$HEAPTAP" advice reads.ctf "$library"
is "$(shape | grep -c '^ 1\..*: X (.*/reads) calling into part_folder (libparts.so)$')" 1 "advice: behind the place"
run "$HEAPTAP" advice reads.ctf "$library" "focus=part_file|part_name"
is "$(shape | grep -c '^ [0-9]\. Makes the peak: X (.*/reads) calling into part_file (libparts.so) and others$')" 1 \
    "... with a mark also where what is told beside has others' blocks, as its number of blocks"
run "$HEAPTAP" hotspots --callers=0 reads.ctf "$library" focus=part_folder
is "$(shape | grep -o ' X.*')" " X -> part_folder $TMP/reads" "a filter finds it by the library's function"

# Names tell the site as before.
run "$HEAPTAP" compare --json reads.ctf named.ctf "$library"
is "$(grep -c -e '->' out)" 0 "compare: names are as they were"
for width in 100 80 60 40; do
    on_terminal $width "$HEAPTAP" hotspots --callers=0 reads.ctf "$library"
    /usr/bin/python3 - $width >got <<'EOF2'
import re, sys
rows = [line for line in re.sub(r"\x1b\[[0-9;]*m|\r", "", open("out").read()).splitlines() if "B " in line and "%" in line]
print(len(rows), [row for row in rows if len(row) > int(sys.argv[1])])
EOF2
    is "$(cat got)" "3 []" "in $width columns: no row runs over"
done

# The first screen, by what the distribution's own library exports.
cat >opens.c <<'END'
#include <stdio.h>
int main(void)
{
    for (int i = 0; i < 100; i++)
        if (!fopen("/dev/null", "r"))
            return 1;
    return 0;
}
END
gcc $flags opens.c -o opens && strip opens || exit 1
run "$HEAPTAP" record --all -o opens.ctf -- ./opens
ok "$(grep -qE "^Left at the end .* opens\+0x[0-9a-f]+ -> [a-z_]*fopen[a-z_0-9]* " err; echo $?)" "the first screen has it, too"

# What a function allocates by itself is no library's, and what a library's own function calls is not called by the program.
cat >tails.c <<'END'
#include <stdlib.h>
#include <string.h>
static void *(*volatile next)(size_t);
__attribute__((noinline)) static void *hidden(size_t size)
{
    void *(*get)(size_t) = next;
    void *block = get(size);
    return block ? memset(block, 1, 1) : block;
}
void tails_begin(void *(*get)(size_t))
{
    next = get;
}
void *(*tails_get(void))(size_t)
{
    return hidden;
}
END
cat >mixes.c <<'END'
#include <stdlib.h>
#include <unistd.h>
void *part_folder(void), *part_file(void), *part_name(void);
void tails_begin(void *(*)(size_t)), *(*tails_get(void))(size_t);
static void *kept[3000];
static int used;
__attribute__((noinline)) static void plainly(void) /* 50 of 400 by a library, 950 of 400 by itself */
{
    for (int i = 0; i < 1000; i++)
        kept[used++] = i % 20 ? malloc(400) : part_file();
}
__attribute__((noinline)) static void mostly(void) /* 600 by a library, 400 by itself */
{
    for (int i = 0; i < 1000; i++)
        kept[used++] = i % 5 < 2 ? malloc(400) : part_file();
}
__attribute__((noinline)) static void through(void *(*get)(size_t)) /* a function of a library that has no name either */
{
    for (int i = 0; i < 500; i++)
        kept[used++] = get(400);
}
__attribute__((noinline)) static void grows(void) /* part_file's blocks stay until the end, and one of part_name's for ever */
{
    static void *ever, *grown[1000];
    ever = part_name();
    for (int i = 0; i < 1000; i++, usleep(1000))
        grown[i] = part_file();
    for (int i = 0; i < 1000; i++)
        free(grown[i]);
    kept[used++] = ever;
}
int main(int count, char **words)
{
    plainly();
    mostly();
    tails_begin(malloc);
    through(tails_get());
    if (count > 1) {
        for (int i = 0; i < used; i++)
            free(kept[i]);
        grows();
    }
    return !kept[0];
}
END
gcc $flags -fPIC -shared tails.c -o libtails.so && strip libtails.so &&
    gcc $flags mixes.c -o mixes ./libparts.so ./libtails.so && strip mixes || exit 1
run "$HEAPTAP" record --all -o mixes.ctf -- ./mixes
libraries="own!=libparts|libtails"
for report in hotspots leaks; do
    run "$HEAPTAP" $report --callers=0 mixes.ctf "$libraries"
    is "$(sed -E 's/mixes\+0x[0-9a-f]+/X/g; s/ +/ /g' out | grep -o ' X.*' | sort)" " X -> libtails.so $TMP/mixes
 X -> part_file ... $TMP/mixes
 X $TMP/mixes" "$report: what it allocates by itself counts, and of a function without a name its library is told"
done
run "$HEAPTAP" hotspots --json --callers=0 mixes.ctf "$libraries"
/usr/bin/python3 - >got <<'EOF2'
import json
for site in sorted(json.load(open("out"))["sites"], key=lambda site: site.get("calls_share", 0)):
    print(site.get("calls"), site.get("calls_file", "").rpartition("/")[2], site.get("calls_share"))
EOF2
is "$(cat got)" "None  None
part_file libparts.so 0.6
None libtails.so 1" "... in JSON, too"
run "$HEAPTAP" record --all -o grows.ctf -- ./mixes grows
run "$HEAPTAP" leaks --callers=0 grows.ctf "$library"
is "$(sed -E 's/mixes\+0x[0-9a-f]+/X/g' out | grep -oE '^ *X .*(grows|leaks):')" "X calling into part_file (libparts.so) grows:" \
    "what grows until it is freed at the end is told by that, not by the little that is left"
done_testing
