#include "format/import/foreign.h"

#include <stdbool.h>
#include <string.h>

#include "format/import/bytehound.h"
#include "format/import/json_start.h"

/* Bytes at the beginning, or keys of an object in JSON there: all that are named must stand.  Or a function that looks. */
struct foreign {
    const char *magic;
    size_t magic_size;
    const char *keys[2];
    const char *name;
    bool (*looks_like_one)(const uint8_t *bytes, size_t size);
};

#define MAGIC(bytes)                                                                               \
    bytes, sizeof(bytes) - 1,                                                                      \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }
#define KEYS(one, two)                                                                             \
    NULL, 0,                                                                                       \
    {                                                                                              \
        one, two                                                                                   \
    }

static bool is_all_zeros(const uint8_t *bytes, size_t size)
{
    return size >= 16 && *bytes == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static const struct foreign table[] = {
    {MAGIC("PERFILE2"), "perf's recording (perf.data); make folded stacks of it with `perf script` "
                        "and a collapsing script, or record allocations with `heaptap record`"},
    {MAGIC("2ELIFREP"), "perf's recording (perf.data) from a machine of the other byte order; make "
                        "folded stacks of it with `perf script`"},
    {MAGIC("FLR\0"), "a recording of Java's Flight Recorder; make folded stacks of it, with "
                     "async-profiler's converter for example"},
    {MAGIC("JAVA PROFILE 1."), "a Java heap dump (hprof), which has objects and no stacks that "
                               "allocated them"},
    {MAGIC("memray"), "memray's recording; make another file of it with `memray transform`, or "
                      "record with `heaptap memtracer`"},
    {.looks_like_one = bytehound_looks_like_one,
     .name =
         "bytehound's recording; make a file of heaptrack's of it with `bytehound export-heaptrack`"},
    {MAGIC("\x04\x22\x4d\x18"), "a file compressed with LZ4, as memray's recordings are; "
                                "decompress it first with `lz4 -d`"},
    {MAGIC("BZh"), "a file compressed with bzip2; decompress it first"},
    {MAGIC("\xfd"
           "7zXZ"),
     "a file compressed with xz; decompress it first"},
    {MAGIC("PK\003\004"), "a zip archive; unpack it first"},
    {MAGIC("# callgrind format"), "a callgrind profile, which has calls and no whole stacks; open "
                                  "it with kcachegrind or callgrind_annotate"},
    {MAGIC("version: 1\ncreator: "), "a callgrind profile, which has calls and no whole stacks; "
                                     "open it with kcachegrind or callgrind_annotate"},
    {MAGIC("\x7f"
           "ELF"),
     "a program, library or core dump; run it under `heaptap record`"},
    {MAGIC("go 1."), "an execution trace of Go; write a heap profile with runtime/pprof instead"},
    {MAGIC("threadz"), "gperftools' list of threads, which has no values"},
    {MAGIC("--- threadz"), "gperftools' list of threads, which has no values"},
    {MAGIC("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"), "gperftools' CPU profile; make a pprof profile of "
                                                "it with `go tool pprof -proto`"},
    {MAGIC("--- heapz"), "a heap profile of Java in pprof's old text format; open it with `go tool "
                         "pprof`"},
    {MAGIC("--- contention"), "a profile of contended locks of Java in pprof's old text format; "
                              "open it with `go tool pprof`"},
    {MAGIC("\0\0\0\0\3\0\0\0\1\0\0\0"), "a CPU profile of Java in pprof's old format; open it with "
                                        "`go tool pprof`"},
    {MAGIC("--- symbol"), "a profile with symbols that gperftools' pprof --raw wrote; use the heap "
                          "profile that it was made of"},
    {MAGIC("<?xml"), "an XML file"},
    {MAGIC("<!DOCTYPE"), "a web page"},
    {MAGIC("<html"), "a web page"},
    {MAGIC("<svg"), "a picture (SVG)"},
    {MAGIC("%PDF"), "a PDF document"},
    {.looks_like_one = is_all_zeros,
     .name = "nothing but zeros, as a recording is when its program was killed before the first "
             "event; record it again"},
    {KEYS("traceEvents", NULL), "a trace of Chrome's or Perfetto's, which has spans of time; no "
                                "command reads that"},
    {KEYS("snapshot", "meta"), "a V8 heap snapshot, which has objects and no stacks that "
                               "allocated them; take a sampling heap profile with `node "
                               "--heap-prof`"},
    {KEYS("nodes", "callFrame"), "a V8 CPU profile; take a sampling heap profile with `node "
                                 "--heap-prof`"},
    {KEYS("meta", "interval"), "a profile of Firefox's profiler or samply; save it as speedscope's "
                               "or folded stacks"},
};

static bool fits(const struct foreign *foreign, const uint8_t *bytes, size_t size)
{
    if (size < foreign->magic_size ||
        (foreign->magic && memcmp(bytes, foreign->magic, foreign->magic_size) != 0))
        return false;
    if (foreign->looks_like_one && !foreign->looks_like_one(bytes, size))
        return false;
    for (int i = 0; i < 2; i++)
        if (foreign->keys[i] && !json_start_has_key(bytes, size, foreign->keys[i]))
            return false;
    return true;
}

const char *foreign_name(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (fits(&table[i], bytes, size))
            return table[i].name;
    return NULL;
}
