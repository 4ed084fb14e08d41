"""Forked children, each with numbers of its own: 300 in the parent, 1000 and 2000 in the children."""
import os
import sys


class Noted:
    __slots__ = ()


def make(n):
    return [Noted() for _ in range(n)]


kept = make(300)
for n in (1000, 2000):
    child = os.fork()
    if not child:
        mine = make(n)
        if n == 1000:
            os._exit(3)
        sys.exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == (3 if n == 1000 else 4)
