# Memory announced by PyTraceMalloc_Track, as extensions do: with the interpreter's lock and without, once and again.
import ctypes
import sys

HELD, LET_GO = ctypes.PyDLL(None), ctypes.CDLL(None)
for library in HELD, LET_GO:
    library.PyTraceMalloc_Track.argtypes = ctypes.c_uint, ctypes.c_size_t, ctypes.c_size_t
    library.PyTraceMalloc_Untrack.argtypes = ctypes.c_uint, ctypes.c_size_t
for name in "PyMem_Malloc", "PyMem_RawMalloc":
    getattr(HELD, name).argtypes = (ctypes.c_size_t,)
    getattr(HELD, name).restype = ctypes.c_size_t
NUMPY, OTHER, BASE = 389047, 7, 0x200000000000
answers = []


def announce():
    for i in range(10):
        answers.append(HELD.PyTraceMalloc_Track(NUMPY, BASE + 4096 * i, 1000))  # kept 6 of 10
    for i in range(4):
        answers.append(HELD.PyTraceMalloc_Untrack(NUMPY, BASE + 4096 * i))
    for i in range(6):
        HELD.PyTraceMalloc_Untrack(OTHER, BASE + 4096 * (4 + i))  # another's: not the end
        HELD.PyTraceMalloc_Track(OTHER, BASE + 4096 * (4 + i), 1000)  # once
        HELD.PyTraceMalloc_Track(NUMPY, BASE + 4096 * (4 + i), 1000)  # again
    HELD.PyTraceMalloc_Track(NUMPY, BASE + 4096 * 9, 5000)  # resized
    LET_GO.PyTraceMalloc_Track(OTHER, BASE + (1 << 20), 300)  # without the lock
    own = [HELD.PyMem_Malloc(700), HELD.PyMem_RawMalloc(900), HELD.PyMem_Malloc(100)]
    for block in own:
        HELD.PyTraceMalloc_Track(OTHER, block, 700)  # Python's own


announce()
print(answers == [-2] * 14)
sys.stdout.flush()
