/* What the lines of heaptrack's recordings (heaptrack.c) and their blocks (heaptrack_blocks.c) share. */
#ifndef FORMAT_IMPORT_HEAPTRACK_PARTS_H
#define FORMAT_IMPORT_HEAPTRACK_PARTS_H

#include "base/error.h"
#include "format/import/file_format.h"
#include "format/import/heaptrack_names.h"

struct heaptrack_kind {
    uint64_t bytes;
    uint32_t stack;
};

struct heaptrack_block {
    uint64_t id;   /* in the trace */
    uint32_t next; /* the next older one alive of its key, or in the list of those to be used again;
                      NO_BLOCK ends it */
};

#define NO_BLOCK UINT32_MAX

/* Versions of the file's format: the newest that is known; since when blocks are told by kind, and strings have their length before them. */
enum { FORMAT_NEWEST = 3, FORMAT_BY_KIND = 1, FORMAT_SIZED = 3 };

/* The file as far as it has been read, and the trace that is made of it. */
struct heaptrack_converting {
    struct lines lines;
    struct heaptrack_names names;
    const struct heaptap_sink *sink;
    struct file_conversion *outcome;
    struct heaptap_error *error;
    struct heaptap_writer *writer; /* NULL until the first event */
    struct heaptap_domain *domain;
    char version[32];
    uint64_t format;
    bool has_version, has_pages, has_last_lines;
    const char *command, *program; /* NULL until told */
    struct heaptrack_kind *kinds;
    size_t kind_count, kind_capacity;
    struct map alive; /* by key: the youngest block of it, or NO_BLOCK */
    struct heaptrack_block *blocks;
    size_t block_count, block_capacity;
    uint32_t free_block; /* the first of those to be used again */
    int64_t now_us;
    struct heaptap_metadata *modules; /* of a raw file; those mapped now first noted last */
    size_t module_count, module_capacity;
    struct heaptap_metadata *suppressions;
    size_t suppression_count, suppression_capacity;
    uint64_t codes[HEAPTRACK_DEEPEST];
};

static inline enum heaptap_status heaptrack_no_memory(struct heaptrack_converting *converting)
{
    return error_no_memory(converting->error);
}

/* "+": a block is allocated; the trace's writer is there. */
enum heaptap_status heaptrack_take_allocation(struct heaptrack_converting *converting, char *at);

/* "-": one ends. */
enum heaptap_status heaptrack_take_end(struct heaptrack_converting *converting, char *at);

/* "a": a kind of block. */
enum heaptap_status heaptrack_take_kind(struct heaptrack_converting *converting, char *at);

#endif
