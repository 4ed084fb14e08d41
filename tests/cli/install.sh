#!/bin/sh
# What `make install` puts where, and that a program can be built with it.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
TRACE=$GOLDEN/valid/lists-and-sets-v1.ctf

DESTDIR=$TMP/root /usr/bin/meson install -C "$BUILD" --no-rebuild --quiet >log 2>&1
ok $? "installs"
find root -type f -o -type l | sed 's|.*/||' | sort >files
for file in heaptap libheaptap.a libheaptap.so libheaptap.so.0 heaptap.pc profile.h status.h trace.h; do
    grep -qx "$file" files
    ok $? "$file"
done
for page in "$SOURCE"/man/*.1; do
    grep -qxE "${page##*/}(\.gz)?" files
    ok $? "${page##*/}"
done
is "$("$SOURCE/tests/helpers/check_cited.py" root "$SOURCE" | tee cited)" "" "what documents, headers and manual pages cite is installed, or of the sources"
/usr/bin/python3 - >links <<'EOT'
import pathlib, re
for page in sorted(next(pathlib.Path("root").glob("**/doc/heaptap")).glob("**/*.md")):
    for target in re.findall(r"\]\(([^)\s#]+)", page.read_text()):
        if "://" not in target and not (page.parent / target).exists():
            print(page.name, target)
EOT
is "$(cat links)" "" "no link of the installed documents leads nowhere"
readme=$(find root -path '*/doc/heaptap/README.md')
has "$readme" "[docs/where.md](where.md)" "... a document stands beside README.md"
has "$readme" "DESIGN.md of the sources describes" "... what is not installed is of the sources"
has "${readme%README.md}embedding.md" '(`programs/tiny.c`):' "... a program stands below programs/,"
has "${readme%README.md}library.md" '`examples/read_profile.c` is' "... an example below examples/"
[ -n "$(find root -path '*/bash-completion/completions/heaptap')" ]
ok $? "completion for bash"

libraries=$(dirname "$(find "$TMP/root" -name libheaptap.so)")
program=$(find "$TMP/root" -path '*/bin/heaptap')
is "$(LD_LIBRARY_PATH=$libraries "$program" --version)" "$("$HEAPTAP" --version)" "the program runs"

cat >want <<'EOT'
-c:1 || 1 || 32B || LoxArray
EOT
LD_LIBRARY_PATH=$libraries "$program" --memtracer -c 'var a = [1, 2, 3];' 2>&1 | grep 'LoxArray$' >got
same got want "it runs Lox, which is installed beside it"

# ---- The library

export PKG_CONFIG_PATH="$libraries/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$TMP/root"
is "$(sed -n 's/^Requires.private: //p' "$libraries/pkgconfig/heaptap.pc")" "zlib, libzstd, libpcre2-8" \
    "it needs zlib, zstd and PCRE2"
cat >count.c <<'EOT'
#include <heaptap/trace.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct heaptap_reader *reader;
    struct heaptap_error error;
    struct heaptap_event event;
    unsigned long events = 0;
    if (argc != 2 || heaptap_reader_open(&reader, argv[1], NULL, &error) != HEAPTAP_OK)
        return 1;
    while (heaptap_reader_next(reader, &event, &error) == HEAPTAP_OK)
        events++;
    printf("%s %lu\n", heaptap_reader_info(reader)->executable, events);
    heaptap_reader_close(reader);
    return 0;
}
EOT
wanted="$("$HEAPTAP" info --json "$TRACE" | sed -n 's/^ *"executable": "\(.*\)",/\1/p') $("$HEAPTAP" dump "$TRACE" | wc -l | tr -d ' ')"
# shellcheck disable=SC2046
cc -Wall -Wextra -Werror -std=c11 -pedantic count.c -o count $(pkg-config --cflags --libs heaptap) 2>log
ok $? "a C program compiles with pkg-config's flags"
sed 's/^/# /' log
is "$(LD_LIBRARY_PATH=$libraries ./count "$TRACE")" "$wanted" "... and reads a trace"
# shellcheck disable=SC2046
cc count.c -o count-static $(pkg-config --cflags heaptap) -Wl,-Bstatic $(pkg-config --static --libs heaptap) \
    -Wl,-Bdynamic 2>log
ok $? "... with the static library"
sed 's/^/# /' log
is "$(./count-static "$TRACE")" "$wanted" "... and reads a trace"
cat >own-names.c <<'EOT'
#include <heaptap/profile.h>
#include <heaptap/version.h>
#include <stdio.h>
#include <string.h>

/* Names that heaptap has for itself. */
int plain(void) { return 1; }
int map_grow(void) { return 2; }
int model_free(void) { return 4; }
int error_set(void) { return 8; }

int main(int argc, char **argv)
{
    struct heaptap_profile *profile;
    if (heaptap_version() != HEAPTAP_VERSION_NUMBER || strcmp(heaptap_version_string(), HEAPTAP_VERSION_STRING) != 0)
        return 1;
    if (argc != 2 || heaptap_profile_open(&profile, argv[1], NULL) != HEAPTAP_OK)
        return 1;
    printf("%s %u %d\n", heaptap_version_string(), heaptap_profile_info(profile)->version,
           plain() + map_grow() + model_free() + error_set());
    heaptap_profile_close(profile);
    return 0;
}
EOT
wanted="$(pkg-config --modversion heaptap) 1 15"
# shellcheck disable=SC2046
cc own-names.c -o own-names $(pkg-config --cflags --libs heaptap) 2>log &&
    cc own-names.c -o own-names-static $(pkg-config --cflags heaptap) $(pkg-config --static --libs heaptap | sed 's/-lheaptap/-l:libheaptap.a/') 2>>log
ok $? "a program with names of its own that heaptap has as well is linked, shared and static"
sed 's/^/# /' log
is "$(LD_LIBRARY_PATH=$libraries ./own-names "$TRACE")" "$wanted" "... and the headers' version is the library's and pkg-config's"
is "$(./own-names-static "$TRACE")" "$wanted" "... in the static one, too"
[ "$(wc -c <count-static)" -lt "$(wc -c <own-names-static)" ]
ok $? "a program has the members of the static library that it uses, not all of it"
# The example that records itself: exact sites and stacks, with lines, whichever library it is linked with.
EXAMPLES=$(find "$PWD/root" -path '*/doc/heaptap/examples')
SELF=$EXAMPLES/record_itself.c
line() {
    grep -n "$1" "$SELF" | cut -d: -f1
}
cat >wanted <<EOT
push $SELF:$(line 'pool_take(100)') 100000 1000
push $SELF:$(line 'pool_take(sizeof') 16000 1000
stack: push $SELF:$(line 'pool_take(100)')
stack: read_list $SELF:$(line 'push(list)')
stack: main $SELF:$(line 'read_list(1000)')
EOT
# shellcheck disable=SC2046
cc -g -O2 -Wall -Wextra -Werror -std=c11 -pedantic "$SELF" -o itself-shared $(pkg-config --cflags --libs heaptap) 2>log &&
    cc -g -O2 "$SELF" -o itself-static $(pkg-config --cflags heaptap) $(pkg-config --static --libs heaptap | sed 's/-lheaptap/-l:libheaptap.a/') 2>>log
ok $? "examples/record_itself.c compiles, shared and static"
sed 's/^/# /' log
for kind in shared static; do
    LD_LIBRARY_PATH=$libraries run ./itself-$kind itself.ctf
    is "$STATUS $(cat out err)" "0 " "... and runs: $kind"
    {
        "$HEAPTAP" hotspots --json itself.ctf | /usr/bin/python3 -c 'import json, sys
for site in json.load(sys.stdin)["sites"]:
    for place in site["places"]:
        print("%s %s:%d %d %d" % (site["function"], site["file"], place["line"], place["bytes"], place["objects"]))'
        "$HEAPTAP" traces -g lines itself.ctf live-at=end | sed -n 's/^ .* \([a-z_]* .*record_itself.c:.*\)/stack: \1/p'
    } >got
    same got wanted "... and hotspots names the lines that allocate: $kind"
    is "$("$HEAPTAP" leaks --json itself.ctf | /usr/bin/python3 -c 'import json, sys
print(json.load(sys.stdin)["at_end"]["bytes"])')" 100000 "... and leaks what is forgotten: $kind"
done

# The example that asks a profile says what the program says.
# shellcheck disable=SC2046
cc -Wall -Wextra -Werror -std=c11 -pedantic "$EXAMPLES/read_profile.c" -o ask \
    $(pkg-config --cflags --libs heaptap) 2>log
ok $? "examples/read_profile.c compiles"
sed 's/^/# /' log
for filter in 'size>=4w' 'live-at=peak focus=Set' 'hide=Stdlib source=minor'; do
    for type in alloc_space inuse_objects; do
        LD_LIBRARY_PATH=$libraries ./ask "$TRACE" "$filter" $type >got
        "$HEAPTAP" top --json -n 5 --node-fraction 0 -s $type -F "$filter" "$TRACE" |
            /usr/bin/python3 -c 'import json, sys
d = json.load(sys.stdin)
print("%.0f of %.0f %s of %s" % (d["selected"], d["total"], d["unit"], d["sample_type"]))
for node in d["nodes"]:
    print("%12.0f %12.0f  %s" % (node["flat"], node["cum"], node["name"]))' >wanted
        same got wanted "... and says what heaptap top says: $type, $filter"
    done
done
LD_LIBRARY_PATH=$libraries run ./ask "$TRACE" 'liv-at=peak'
is "$STATUS $(wc -l <err)" "1 1" "... and one sentence of a wrong filter"

# The others run, too.
# shellcheck disable=SC2046
cc "$EXAMPLES/embed_engine.c" -o embed $(pkg-config --cflags --libs heaptap) 2>log && LD_LIBRARY_PATH=$libraries ./embed >>log 2>&1
ok $? "examples/embed_engine.c compiles and runs"
sed 's/^/# /' log
# shellcheck disable=SC2046
cc "$EXAMPLES"/lox/*.c -o own-lox $(pkg-config --cflags --libs heaptap) -lm 2>log
ok $? "examples/lox compiles"
sed 's/^/# /' log
is "$(LD_LIBRARY_PATH=$libraries ./own-lox "$EXAMPLES/lox/queens.lox")" 92 "... and runs queens.lox"
if command -v c++ >/dev/null; then
    for header in "$TMP"/root/*/*/include/heaptap/*.h "$TMP"/root/*/include/heaptap/*.h; do
        [ -e "$header" ] || continue
        [ "${header##*/}" != gtest.h ] || [ -e /usr/include/gtest/gtest.h ] || continue # it is a listener of GoogleTest
        printf '#include "%s"\nint main() { return 0; }\n' "$header" >header.cc
        # shellcheck disable=SC2046
        c++ -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags heaptap) header.cc 2>log
        ok $? "${header##*/} is C++ too"
        sed 's/^/# /' log
    done
fi
done_testing
