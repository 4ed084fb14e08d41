#!/bin/sh
# The pytest plugin, under the pytest that is here, and under that of Debian 13.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
export HEAPTAP PYTHONPATH="$SOURCE/bindings/python" PYTHONDONTWRITEBYTECODE=1
cp "$SOURCE/tests/guest/pytest/test_limits.py" .
mkdir kinds names
cp "$SOURCE/tests/guest/pytest/test_kinds.py" "$SOURCE/tests/guest/pytest/test_waiting.py" kinds
# A module of a known size; in the other one a test builds something of its own.
echo 'table = [str(n) for n in range(10000)]' >kinds/this_is_imported.py
printf '%s\n' 'table = [str(n) for n in range(10000)]' 'def more():' '    return [str(n) for n in range(10000)]' >kinds/that_is_imported.py
cat >names/test_names.py <<'EOT'
import pytest
@pytest.mark.parametrize("name", ["a b", "a-b", "a/b", "a_b", "a::b", "a[b", "a.b"])
def test_name(name):
    pass
def test_name_a_b():
    pass
EOT

# pytest OPTION...: by $PYTHON; what it says is in `out`, without colours and times.
pytest() {
    # shellcheck disable=SC2086
    run $PYTHON -m pytest -q -p no:cacheprovider $PLUGIN "$@"
}

# value TEST PROPERTY: from the JUnit file.
value() {
    sed -n "s/.* name=\"$1\" .*/&/; s/<testcase/\n<testcase/gp" junit.xml | sed -n "/ name=\"$1\"/s/.* name=\"heaptap-$2\" value=\"\([0-9]*\)\".*/\1/p"
}

# The tests that fail, by their names.
failed() {
    sed -n 's/^FAILED [^ ]*::\([^ :]*\).*/\1/p' out | tr '\n' ' '
}

# unittest's cases, coroutines, limits by parameter, and imports.
check_kinds() {
    pytest kinds/test_kinds.py
    is "$(failed)" "test_case_fails_by_itself test_case_leaks test_case_peak test_case_subtests test_async_case_peak \
test_async_case_plain_peak test_nobody_waits test_by_parameter[300] test_by_function[300] test_imports_and_builds test_bad_limit " \
        "$WHERE: tests of all kinds keep to their limits"
    has out "test_case_peak: peak: 208 kB, over its limit of 100 kB" "$WHERE: of unittest's cases, without their fixtures"
    has out "test_case_subtests: peak: 20" "$WHERE: ... with their parts"
    has out "test_async_case_peak: peak: 21" "$WHERE: ... and of those that wait"
    grep -q "its own reason" out && ! grep -q "test_case_fails_by_itself: peak" out
    ok $? "$WHERE: a case that fails by itself says its own reason"
    has out "test_nobody_waits has a limit, and nothing runs it: coroutines need a plugin, such as pytest-asyncio or anyio" \
        "$WHERE: a coroutine that nothing runs is refused"
    has out "test_by_parameter[300]: peak: 312 kB, over its limit of 100 kB" "$WHERE: a parameter's own limit comes before the function's"
    has out "test_by_function[300]: peak: 312 kB, over its limit of 195 kB" "$WHERE: a limit can be worked out from parameters"
    grep -qE "^test_imports_and_builds: peak: [56][0-9][0-9] kB, over its limit of 1 kB$" out
    ok $? "$WHERE: what is imported in a test is told apart"
    grep -qE "^ +1.[0-9]* MB  allocated by imports in it, not counted$" out
    ok $? "$WHERE: ... and how much that was"
    has out "test_bad_limit: kinds/test_kinds.py::test_bad_limit: a budget is peak, allocated, live-at-end or objects" \
        "$WHERE: a limit that is none spoils its own test"
    printf '[pytest]\nheaptap_limit = 150 kB\nheaptap_objects = 1000\n' >pytest.ini
    pytest -c pytest.ini --rootdir . test_limits.py -k "keeps or unmarked or nothing"
    is "$STATUS $(failed)" "1 test_unmarked " "$WHERE: limits of the ini file are for tests without their own"
    has out "test_unmarked: peak: " "$WHERE: ... the peak"
    has out "test_unmarked: blocks: " "$WHERE: ... and blocks"
    printf '[pytest]\nheaptap_limit = much\n' >pytest.ini
    pytest -c pytest.ini --rootdir . test_limits.py
    is "$STATUS" 4 "$WHERE: one that is none: no test is run"
    has err "in the ini file: heaptap check: --max-peak takes a size such as 20MB, or a growth such as +5%, not 'much'" "$WHERE: ... and a sentence"
    rm pytest.ini
}

check_plugin() {
    pytest --heaptap --heaptap-dir kept --junit-xml junit.xml test_limits.py
    is "$STATUS" 1 "$WHERE: tests over their limits fail"
    is "$(sed -n 's/^FAILED [^:]*::\([a-z_]*\).*/\1/p' out | tr '\n' ' ')" \
        "test_peak test_leaks test_allocates test_library test_thread test_fails_by_itself " "$WHERE: ... these, and no other"
    grep -qE "^test_peak: peak: 20[0-9] kB, over its limit of 100 kB$" out
    ok $? "$WHERE: a message says how much and what the limit is"
    grep -qE "^ +20[0-9] kB  .*/test_limits.py:11  build" out
    ok $? "$WHERE: ... the bytes and the line"
    has out "test_leaks: left at the end: 48.9 kB, over its limit of 0 B" "$WHERE: what is left when a test returns"
    grep -qE "^ +48.9 kB  .*/test_limits.py:26  test_leaks" out
    ok $? "$WHERE: ... and its line"
    grep -qE "^ +1.2[0-9]* MB  .*/test_limits.py:37  test_library" out
    ok $? "$WHERE: what a library allocates is told by the line that called it"
    is "$(grep -c '/json/' out)" 0 "$WHERE: ... not by the library's"
    grep -qE "^ +10[0-9] kB  .*/test_limits.py:11  build" out
    ok $? "$WHERE: other threads count"
    grep -q "its own reason" out && ! grep -q "test_fails_by_itself: peak" out
    ok $? "$WHERE: a test that fails by itself says its own reason"
    is "$(sed -n '/^=* heaptap: /,$s/.* test_limits.py::\([A-Za-z_:]*\).*/\1/p' out | head -n 2 | tr '\n' ' ')" \
        "test_unmarked test_library " "$WHERE: the heaviest, with those without a mark"
    is "$(value test_nothing objects) $(value test_leaks live-at-end)" "0 50089" "$WHERE: exact figures in the JUnit file"
    run "$HEAPTAP" check kept/test_limits.py--test_leaks.ctf --max-live-at-end=0 --json
    is "$STATUS $(/usr/bin/python3 -c 'import json; print(json.load(open("out"))["budgets"][0]["measured"])')" "1 50089" \
        "$WHERE: the recordings are kept, and say the same"
    run "$HEAPTAP" tree kept/test_limits.py--test_unmarked.ctf
    is "$(grep -c 'heaptap_test$' out)" 1 "$WHERE: ... with whole stacks, which are the test's own"
    grep -q ' main$' out
    ok $? "$WHERE: ... from the outermost call on"
    run "$HEAPTAP" check --tests kept/*.ctf
    is "$STATUS $(sed -n 's/.*test_limits.py::\([a-z_]*\): \([a-z-]*\) .*/\1:\2/p' out | sort | tr '\n' ' ')" \
        "1 test_allocates:allocated test_fails_by_itself:peak test_leaks:live-at-end test_library:peak test_peak:peak test_thread:peak " \
        "$WHERE: ... with each test's name and limits"
    check_kinds
    pytest --heaptap --heaptap-dir named names
    is "$STATUS $(find named -name '*.ctf' | wc -l)" "0 8" "$WHERE: recordings of tests with names alike are files of their own"
    run "$HEAPTAP" check --tests --json named/*.ctf
    is "$(/usr/bin/python3 -c 'import json; print(len({test["name"] for test in json.load(open("out"))["tests"]}))')" 8 "$WHERE: ... of all of them"
    rm -r named
    mkdir moves && cp "$SOURCE/tests/guest/pytest/changes_folder.py" moves/test_changes_folder.py
    pytest --heaptap-dir kept-there moves
    is "$STATUS $(find kept-there -name '*.ctf' | wc -l)" "0 1" "$WHERE: a test that changes the folder"
    : >a-file
    pytest --heaptap-dir a-file moves
    is "$STATUS $(grep -c 'heaptap-dir a-file: File exists' err)" "4 1" "$WHERE: a file is no folder for recordings"
    rm -r moves kept-there a-file
    pytest test_limits.py -k "keeps or nothing"
    is "$STATUS $(grep -c 'heaptap' out)" "0 0" "$WHERE: without an option, marked tests are recorded and nothing is said"
    mkdir brief && cp "$SOURCE/tests/guest/pytest/brief_blocks.py" brief/test_brief.py
    MALLOC_MMAP_THRESHOLD_=4096 pytest --heaptap brief
    is "$STATUS" 0 "$WHERE: large blocks that end at once"
    rm -r brief
}

if /usr/bin/python3 -c 'import pytest' 2>/dev/null; then
    WHERE="pytest $(/usr/bin/python3 -c 'import pytest; print(pytest.__version__)')"
    PYTHON=/usr/bin/python3
    PLUGIN="-p heaptap_pytest"
    check_plugin

    if /usr/bin/python3 -c 'import xdist' 2>/dev/null; then
        pytest -n 2 --heaptap test_limits.py
        has out "heaptap: the heaviest of 10 tests, by peak" "$WHERE: the figures of tests that xdist distributes"
        has out "test_leaks: left at the end: 48.9 kB, over its limit of 0 B" "$WHERE: ... and their limits"
    else
        skip "pytest-xdist" "there is no python3-pytest-xdist here"
    fi

    # Coroutines that a plugin runs.
    for plugin in pytest_asyncio anyio; do
        if /usr/bin/python3 -c "import $plugin" 2>/dev/null; then
            PLUGIN="-p heaptap_pytest $([ $plugin = anyio ] && echo -p no:asyncio)"
            pytest kinds/test_waiting.py
            is "$(failed)" "test_waiting_peak " "$plugin: coroutines keep to their limits"
            grep -qE "^test_waiting_peak: peak: 20[0-9] kB, over its limit of 100 kB$" out
            ok $? "$plugin: ... which count what they allocate"
        else
            skip "$plugin" "it is not here"
        fi
    done
    PLUGIN="-p heaptap_pytest"

    # One program for the whole run, and no file for each test but its trace: a test costs less than 5 ms, of 100 once.
    printf '%s\n' 'import pytest' '@pytest.mark.parametrize("n", range(100))' 'def test_n(n): pass' >test_cost.py
    cat >cost.py <<'EOT'
import os, subprocess, sys
def cost(*options):
    before = os.times()
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "heaptap_pytest", "test_cost.py", *options],
                   check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
print(10 * min(cost("--heaptap") - cost() for _ in range(3)))
EOT
    each=$($PYTHON cost.py)
    awk -v each="$each" 'BEGIN { exit !(each < 20) }' # on a busy machine, under emulation
    ok $? "a test's cost is milliseconds: $each"
    strace -f -e trace=execve -o calls $PYTHON -m pytest -q -p no:cacheprovider -p heaptap_pytest --heaptap test_cost.py >out 2>&1
    if [ -s calls ]; then
        is "$(grep -c 'execve("[^"]*/heaptap"' calls)" 1 "heaptap check runs once"
    else
        skip "heaptap check runs once" "strace does not run here"
    fi

    # What is wrong is said in a sentence.
    cat >test_wrong.py <<'EOT'
import pytest
@pytest.mark.heaptap(size="1 MB")
def test_word(): pass
@pytest.mark.heaptap("1 MB")
def test_value(): pass
@pytest.mark.heaptap(limit="1 MB")
def test_right(): pass
def test_unmarked(): pass
EOT
    pytest test_wrong.py
    is "$STATUS $(failed)$(tail -n 1 out | sed 's/ in .*//')" "1 test_word test_value 2 failed, 2 passed" \
        "a word that is none fails its own test alone, and so does a value without one"
    has out "test_wrong.py::test_word: @pytest.mark.heaptap doesn't take size=: it takes limit=" "... with a sentence"
    has out "test_wrong.py::test_value: @pytest.mark.heaptap doesn't take a value without a name: it takes limit=" "... likewise"
    sed -i 's/size="1 MB"/limit="much"/' test_wrong.py
    pytest test_wrong.py
    has out "test_wrong.py::test_word: a budget is peak, allocated, live-at-end or objects" "a limit that is none"
    sed -i 's/limit="much"/limit="1 MB", peak="2 MB"/' test_wrong.py
    pytest test_wrong.py
    has out "test_wrong.py::test_word: @pytest.mark.heaptap takes limit= or peak=, which limit the same, and not both" "one limit under two names"
    sed -i 's/, peak="2 MB"//' test_wrong.py
    pytest -o heaptap_limit=1MB -o heaptap_peak=2MB test_wrong.py
    is "$STATUS" 4 "... in the ini file likewise"
    has err "in the ini file: heaptap_limit or heaptap_peak, which limit the same, and not both" "... with a sentence"
    run env HEAPTAP=/nonexistent PATH=/usr/bin:/bin /usr/bin/python3 -m pytest -q -p heaptap_pytest -p no:cacheprovider test_wrong.py
    has out "test_word has a limit, and nothing can be recorded: the variable HEAPTAP says /nonexistent, which is no program that can be run" \
        "without heaptap, a test with a limit fails"

    # Where all of the run is recorded, tests are not.
    run "$HEAPTAP" memtracer --output-file report -- /usr/bin/python3 -m pytest -q -p heaptap_pytest -p no:cacheprovider -k test_peak
    is "$STATUS $(grep -c 'test_limits.py:11' report | sed 's/[1-9][0-9]*/some/')" "0 some" "under memtracer tests run as they are"
    has out "heaptap: the limits of 1 test were not judged, as all of the run is recorded" "... and a line says so"
    run "$HEAPTAP" record -o whole.ctf -- /usr/bin/python3 -m pytest -q -p heaptap_pytest -p no:cacheprovider test_limits.py -k "peak or leaks or unmarked"
    is "$STATUS" 0 "under record likewise"
    has out "heaptap: the limits of 2 tests were not judged, as all of the run is recorded" "... and a line says so"
    run "$HEAPTAP" record -o whole.ctf -- /usr/bin/python3 -m pytest -q -p heaptap_pytest -p no:cacheprovider test_limits.py -k unmarked
    is "$STATUS:$(grep -c 'not judged' out)" 0:0 "... not where no test has limits"

    # As it is installed, pytest finds it by itself.
    DESTDIR=$TMP/root /usr/bin/meson install -C "$BUILD" --no-rebuild --quiet >log 2>&1
    PYTHONPATH=$(dirname "$(find "$TMP/root" -name heaptap_pytest.py)")
    PLUGIN=
    run env -u HEAPTAP PATH=/usr/bin:/bin LD_LIBRARY_PATH="$(dirname "$(find "$TMP/root" -name libheaptap.so)")" \
        /usr/bin/python3 -m pytest -q -p no:cacheprovider --heaptap -k test_peak
    grep -qE "^ +20[0-9] kB  .*/test_limits.py:11  build" out
    ok $? "installed, it is found by its entry point, and finds heaptap beside it"
    PYTHONPATH=$SOURCE/bindings/python
else
    skip "the plugin" "there is no python3-pytest here"
fi

if root=$("$SOURCE/scripts/debian" 13 2>why); then
    cat >python13 <<EOT
#!/bin/sh
exec "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" --argv0 "$root/usr/bin/python3.13" "$root/usr/bin/python3.13" "\$@"
EOT
    chmod +x python13
    WHERE="Debian 13"
    PYTHON=$TMP/python13
    PLUGIN="-p heaptap_pytest"
    if ./python13 -c 'import pytest' 2>why; then
        check_plugin
    else
        skip "Debian 13" "$root does not run here: $(tail -n 1 why)"
    fi
else
    skip "Debian 13" "$(tail -n 1 why)"
fi
done_testing
