#!/bin/sh
# What `heaptap agent --skill` tells an agent to run works as it stands there; heaptap agent from a shell.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
cat >app.c <<'EOF'
#include <stdlib.h>
#include <unistd.h>
static void *volatile kept;
static void parse_number(size_t size)
{
    kept = malloc(size);
}
int main(void)
{
    for (int i = 0; i < 2000; i++)
        parse_number(1500), i % 2 ? free(kept) : (void)0;
    usleep(2000);
    return 0;
}
EOF
cc -g -O0 -o app app.c
echo input >input
echo 'local t = {} for i = 1, 100 do t[i] = {i} end' >script.lua
PATH=$(dirname "$HEAPTAP"):$PATH

run "$HEAPTAP" agent --skill
is "$STATUS" 0 "the skill"
is "$(sed -n 2p out)" "name: heaptap" "... has the head of a skill file"
sed -n '/^```sh$/,/^```$/p' out | grep -v '^```' >commands
is "$(($(wc -l <commands) >= 14))" 1 "... has commands"
has_lua=$(command -v lua5.4 || command -v lua)
while read -r line; do
    case $line in
    *script.lua) [ "$has_lua" ] || continue ;;
    *after.ctf*) "$HEAPTAP" record --all -q -o after.ctf -- ./app 2>err ;;
    esac
    case $line in
    *script.lua) line=$(echo "$line" | sed 's/before.ctf/lua.ctf/') ;;
    *"record -o before.ctf"*) line=$(echo "$line" | sed 's/record/record --rate 0.01/') ;; # a small program needs more samples
    esac
    sh -c "$line" >out 2>err </dev/null
    is "$? $(head -n 2 err | grep -c '^heaptap [a-z]*:')" "0 0" "runs: $line"
done <commands
for clause in live-at=peak collected=never focus=parse hide=main allocated=0s..1s; do
    run "$HEAPTAP" top exact.ctf "$clause"
    is "$STATUS" 0 "a clause of the skill: $clause"
done

# ---- The agent's own options

run "$HEAPTAP" agent --root nowhere </dev/null
is "$STATUS $(cat err)" "3 heaptap agent: nowhere: No such file or directory" "agent: a root that is not there"
run "$HEAPTAP" agent --budget 5 </dev/null
is "$STATUS $(head -n 1 err)" "2 heaptap agent: --budget takes a whole number from 1000 to 1000000, not '5'" "... a budget that is too small"
run "$HEAPTAP" agent . </dev/null
is "$STATUS $(head -n 1 err)" "2 heaptap agent: '.' is one argument too many: --root names the folder" "... an argument"
run "$HEAPTAP" agent </dev/null
is "$STATUS $(cat out err)" "0 " "... a client that says nothing"
printf 'nothing\n\n[]\n{"jsonrpc":"2.0","id":1,"method":"nothing"}\n{"id":{}}\n' >in
"$HEAPTAP" agent <in >out
is "$(grep -o '"code":[-0-9]*' out | tr '\n' ' ')" '"code":-32700 "code":-32600 "code":-32601 "code":-32600 ' "... wrong messages: the errors of JSON-RPC"
printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"file":"exact.ctf","report":"top"}}}' | tr -d '\n' >in
echo >>in
"$HEAPTAP" agent <in | head -c 40 >out
is "$(cat out)" '{"jsonrpc":"2.0","id":1,"result":{"conte' "... an answer is given after the client's last word"
done_testing
