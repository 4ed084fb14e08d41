"""Limits its own address space, unless that is limited already, and uses most of it: limited.py [MEGABYTES]"""
import resource
import sys

if len(sys.argv) > 1:
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]) << 20,) * 2)
limit, _ = resource.getrlimit(resource.RLIMIT_AS)


class Kept:
    pass


large = bytearray(max(limit - (60 << 20), 1 << 20))  #: bytearray=1
kept = [Kept() for _ in range(20000)]  #: Kept=20000
print(len(kept), "kept")
