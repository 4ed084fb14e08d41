# Makes two heaptrack recordings, a and b, whose functions grew, shrank, went and came.  To be sourced.
# recording OFFSET: main, and below it same, grown, shrunk, and gone or added; addresses OFFSET on.
recording() {
    cat <<EOF
v 10400 3
X ./prog
s 4 main
s 4 same
s 5 grown
s 6 shrunk
s $2
s 4 t.cc
i ${1}10 0 1 6 1
i ${1}20 0 2 6 2
i ${1}30 0 3 6 3
i ${1}40 0 4 6 4
i ${1}50 0 5 6 5
t 1 0
t 2 1
t 3 1
t 4 1
t 5 1
a 64 2
a 64 3
a 64 4
a 64 5
+ 0
+ 1
+ 2
+ 2
+ 3
EOF
}
recording 1 "4 gone" >a
{ recording 7 "5 added"; printf '+ 1\n+ 1\n- 2\n- 3\n'; } >b
