#!/bin/sh
# heaptap record says which heaps malloc doesn't see, by what is executed: programs that offer or ask for what only such a runtime
# has, and others that merely look alike.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
build() { # NAME CODE [OPTION...]
    name=$1 code=$2
    shift 2
    printf '#include <stdlib.h>\n%s\nint main(void) { return malloc(10) == 0; }\n' "$code" |
        gcc -w -O0 -x c - -x none -o "$name" -Wl,-E "$@" || exit 1
}
says() { # WANTED COMMAND...: in a trace, in a profile, and in intervals
    wanted=$1
    shift
    rm -rf t.ctf p.pb.gz every
    for how in "--all -o t.ctf" "--all -o p.pb.gz" "--every 1s -o every"; do
        # shellcheck disable=SC2086
        "$HEAPTAP" record $how -- "$@" 2>err
        is "$(grep -o "is a .* program: malloc doesn't show\|is a program on .*: malloc doesn't show" err | sed 's/:.*//')" \
            "$wanted" "$1, $how"
    done
}
echo 'void JLI_Launch(void) {}' | gcc -x c - -shared -fPIC -o libjli.so || exit 1
echo 'int PyRun(void) { return 0; }' | gcc -x c - -shared -fPIC -o libpython3.11.so.1.0 || exit 1
build python 'int Py_BytesMain(void) { return 0; }'
build stripped 'int Py_RunMain(void) { return 0; }' -s
build lua5.9 'int luaL_newstate(void) { return 0; }'
build node 'int _ZN4node5StartEiPPc(void) { return 0; }'
build go '__attribute__((section(".go.buildinfo"))) int info = 1;'
build jvm 'void JLI_Launch(void); void (*launch)(void) = JLI_Launch;' -L. -ljli -Wl,-rpath,.
build gdb 'int PyRun(void); int (*call)(void) = PyRun;' ./libpython3.11.so.1.0 -Wl,-rpath,.
build game 'int luaL_newstate(void) { return 0; }'
build python3 'int Py_Nothing(void) { return 0; }'
printf '#!%s/python -u\n' "$TMP" >script
printf '#!/usr/bin/env -S A=b %s/node\n' "$TMP" >through-env
chmod +x script through-env
says "is a Python program" ./python
says "is a Python program" ./stripped
says "is a Python program" ./script
says "is a Lua program" ./lua5.9
says "is a node program" ./node
says "is a Go program" ./go
says "is a program on a Java VM" ./jvm
says "" ./gdb
says "" ./game
says "" ./python3
build static-go '__attribute__((section(".go.buildinfo"))) int info = 1;' -static
"$HEAPTAP" record -o s.ctf -- ./static-go 2>err
has err "static-go is a Go program" "a program that can't be recorded"
"$HEAPTAP" record --every 1s -o every -- ./through-env 2>err
has err "is a node program" "a script that env runs"
"$HEAPTAP" record -q -o q.ctf -- ./python 2>err
is "$(cat err)" "" "-q"
done_testing
