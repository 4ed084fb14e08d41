#!/bin/sh
# scripts/library-archive: a static library that gives away no names but those of the shared one, of ordinary objects and of those
# that are made for the linker's optimiser as well.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1

cat >one.c <<'EOF'
int helper(int number);
__attribute__((visibility("default"))) int heaptap_one(int number) { return helper(number) + 1; }
EOF
echo 'int helper(int number) { return number * 10; }' >two.c
echo 'HEAPTAP_0 { global: heaptap_*; local: *; };' >map
cat >main.c <<'EOF'
#include <stdio.h>
int heaptap_one(int number);
int helper(int number) { return -number; } /* its own */
int main(void) { return printf("%d %d\n", heaptap_one(4), helper(4)) < 0; }
EOF
for options in "-O1" "-O1 -flto -ffat-lto-objects"; do
    # shellcheck disable=SC2086
    { gcc $options -fPIC -g -fvisibility=hidden -c one.c two.c && gcc -shared -Wl,--version-script=map one.o two.o -o lib.so; } 2>log
    ok $? "objects: $options"
    "$SOURCE/scripts/library-archive" nm objcopy ar lib.a lib.so one.o two.o 2>log
    ok $? "... are packed"
    sed 's/^/# /' log
    is "$(nm -g --defined-only lib.a 2>&1 | awk 'NF == 3 { print $3 }' | sort | tr '\n' ' ')" "heaptap_internal_helper heaptap_one " "... with their names"
    is "$(ar t lib.a | tr '\n' ' ')" "one.o two.o " "... each a member of its own"
    for more in "" -flto; do
        # shellcheck disable=SC2086
        gcc -O1 $more main.c lib.a -o main 2>log
        is "$? $(./main)" "0 41 -4" "... and a program with the same name is linked $more"
        sed 's/^/# /' log
    done
    rm -f one.o two.o lib.a lib.so main
done

# Objects of clang's have no machine code then: one sentence.
if command -v clang >/dev/null && command -v meson >/dev/null; then
    CC=clang meson setup -Db_lto=true "$TMP/build" "$SOURCE" >log 2>&1
    is "$? $(grep -c 'ERROR: Problem encountered: link-time optimisation (b_lto, -flto) needs gcc' log)" "1 1" "clang's are refused when the build is set up"
    sed 's/^/# /' log
fi
done_testing
