#!/bin/sh
# Long names of functions: whole in a pipe, without what can be left out on a terminal.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1

# A profile of stacks, innermost first, each of as many bytes as its number times 100.
/usr/bin/python3 - profile.pb <<'EOF'
import os, sys
STACKS = [["void app::Index<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, app::Record>::insert<int>(int&&, std::less<void>) const", "main"],
          ["operator new(unsigned long, std::align_val_t, std::nothrow_t const&, unsigned long)", "(anonymous namespace)::Table<a::b<int>, c>::operator bool() const", "main"],
          ["std::enable_if<true, std::vector<int> >::type app::make<std::vector<int, std::allocator<int> >, &app::first>(app::tag)", "main"],
          ["main::{lambda(std::vector<app::Record, std::allocator<app::Record> > const&)#1}::operator()(std::vector<app::Record> const&) const", "main"],
          ["<alloc::vec::Vec<T,A> as core::iter::traits::collect::Extend<T>>::extend_with_a_long_name", "main"],
          ["Btype.iter_type_expr.(fun)_that_has_a_name_of_its_own_which_goes_on_for_long", "main"]]

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from protobuf_encode import field as message, field as number, varint

texts = ["", "alloc_space", "bytes", "app.cc"]
names = sorted({name for stack in STACKS for name in stack})
out = message(1, number(1, 1) + number(2, 2))
for i, stack in enumerate(STACKS):
    out += message(2, message(1, b"".join(varint(names.index(name) + 1) for name in stack)) + message(2, varint((i + 1) * 100)))
for i, name in enumerate(names, 1):
    out += message(4, number(1, i) + message(4, number(1, i) + number(2, i)))
    out += message(5, number(1, i) + number(2, len(texts)) + number(4, 3))
    texts.append(name)
out += b"".join(message(6, text.encode()) for text in texts)
open(sys.argv[1], "wb").write(out)
EOF

run "$HEAPTAP" top profile.pb
is "$STATUS:$(grep -c 'app::Index<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, app::Record>::insert<int>(int&&, std::less<void>) const$' out)" \
    0:1 "top in a pipe: whole names"
same_names() { # COMMAND-NAME: what stands from the first line that has main or a name on is as in `wanted`
    sed 's/\x1b\[[0-9;]*m//g' out | grep -e 'fun)\|name_of\|_for_long\|extend_with\|lambda\|app::\|Index\|operator ' | sed 's/^.*% *[├└│]*─* *//' >got
    same got wanted "$1"
}
on_terminal 80 "$HEAPTAP" top profile.pb
cat >wanted <<'EOF'
…e_of_its_own_which_goes_on_for_long
…t::Extend>::extend_with_a_long_name
main::{lambda#1}::operator()
app::make<std::vector, &app::first>
operator new
…Index<std::string, a…>::insert<int>
…:Table<a::b<int>, c>::operator bool
EOF
same_names "top on a terminal: no return types, parameters, arguments of the standard library's templates"
[ "$(widest out)" -le 80 ]
ok $? "... no line is too long"
on_terminal 80 "$HEAPTAP" tree profile.pb
cat >wanted <<'EOF'
…a_name_of_its_own_which_goes_on_for_long
…ollect::Extend>::extend_with_a_long_name
main::{lambda#1}::operator()
app::make<std::vector, &app::first>
…ace)::Table<a::b<int>, c>::operator bool
operator new
…Index<std::string, app::R…>::insert<int>
EOF
same_names "tree"
on_terminal 80 "$HEAPTAP" hotspots profile.pb libraries=show
cat >wanted <<'EOF'
….(fun)_that_has_a_name_of_its_own_which_goes_on_for_long app.cc:3
…:iter::traits::collect::Extend>::extend_with_a_long_name app.cc:2
main::{lambda#1}::operator()                              app.cc:5
app::make<std::vector, &app::first>                       app.cc:7
operator new                                              app.cc:6
…onymous namespace)::Table<a::b<int>, c>::operator bool app.cc
app::Index<std::string, app::Record>::insert<int>         app.cc:8
EOF
same_names "hotspots"
[ "$(widest out)" -le 80 ]
ok $? "... no line is too long"
for report in top tree hotspots "tree --callers"; do
    pattern=
    [ "${report#tree --callers}" = "$report" ] || pattern=Index
    # shellcheck disable=SC2086
    on_terminal 80 "$HEAPTAP" $report --full-names profile.pb $pattern
    has out 'app::Index<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, app::Record>::insert<int>(int&&, std::less<void>) const' \
        "$report: --full-names"
done
run "$HEAPTAP" graph profile.pb
has out 'label="app\nIndex<std\nstring, app\nRecord>\ninsert<int>\n100B' "graph: boxes without parameters and what compilers add to arguments"
has out 'tooltip="void app::Index<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, app::Record>::insert<int>(int&&, std::less<void>) const (100B)"' \
    "... all of it under the pointer"
run "$HEAPTAP" graph --full-names profile.pb
has out 'char_traits<char>' "... --full-names"
has out 'allocator<char> >, app\nRecord>\ninsert<int>' "... in boxes"
on_terminal 300 "$HEAPTAP" top profile.pb
has out 'app::Index<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, app::Record>::insert<int>(int&&, std::less<void>) const' \
    "nothing is left out where there is room"
done_testing
