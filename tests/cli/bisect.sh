#!/bin/bash
# heaptap check as the command of git bisect run: docs/budgets.md's script, tried on a repository with a planted regression.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
if ! has_program "git bisect run" git cc; then
    done_testing
    exit
fi
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME=$TMP PATH=$TMP/bin:$PATH
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org
mkdir bin
ln -s "$HEAPTAP" bin/heaptap
git init -q -b trunk words
cd words || exit 1
# The script of the documentation, word for word.
sed -n '/^    #!\/bin\/sh$/,/^$/s/^    //p' "$SOURCE/docs/budgets.md" >../bisect.sh
chmod +x ../bisect.sh

# version BYTES [TEXT]: a commit of a program that takes a thousand blocks of so many bytes; TEXT is put into it.
version() {
    cat >app.c <<EOT
#include <stdlib.h>
$2
static char *read_word(void) { return calloc(1, $1); }
int main(void)
{
    for (int i = 0; i < 1000; i++)
        free(read_word());
    return 0;
}
EOT
    echo "app: app.c; cc -O0 -g app.c -o app" >Makefile
    git add app.c Makefile
    git commit -q -m "$3"
}
version 100 "" "first"
git tag good
version 100 "/* a comment */" "second"
version 104 "" "third: a little more"
version 104 "#error" "fourth: does not compile"
version 104 "/* another */" "fifth"
version 400 "" "sixth: a regression"
version 396 "" "seventh"
version 396 "/* last */" "eighth"

git bisect start HEAD good >/dev/null
git bisect run ../bisect.sh >../log 2>&1
is "$?" 0 "git bisect run ends well"
is "$(git show -s --format=%s refs/bisect/bad)" "sixth: a regression" "... at the commit with the regression"
is "$(git bisect log | grep '^# skip' | sed 's/.*] //')" "fourth: does not compile" "... a commit that does not compile is skipped"
is "$(grep -c 'is over 150 kB: .* read_word .*app.c:3' ../log | sed 's/^[1-9].*/some/')" some "... the site is named at each bad one"
git bisect reset >/dev/null 2>&1

# Its status at one commit: 0, 1, 125.
for commit in good:0 trunk:1 trunk~4:125; do
    git checkout -q -f "${commit%:*}"
    rm -f app
    ../bisect.sh >../out 2>&1
    is "$?" "${commit#*:}" "status at ${commit%:*}"
done
done_testing
