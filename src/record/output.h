/* The trace file: its name, and the way packets get into it. */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "heaptap/trace.h"

/* Expands a pattern: %p the process id, %e the executable's base name, %t the time in UTC as
 * YYYYmmdd-HHMMSS, %% a percent sign; any other % stays as it is.  False if it does not fit. */
bool output_name(char *name, size_t size, const char *pattern, const char *executable, uint64_t pid,
                 int64_t time_us);

/* The pattern of followed children: absolute, and with `.%p` before the extension unless the
 * pattern has a %p already.  False if it does not fit. */
bool output_child_pattern(char *pattern, size_t size, const char *parent);

struct output {
    int fd;       /* -1: closed */
    dev_t device; /* of the file, to tell that `fd` still is it */
    ino_t inode;
    uint64_t max_bytes;     /* 0: no limit */
    _Atomic uint64_t bytes; /* written so far */
    _Atomic bool full;      /* max_bytes are reached */
    _Atomic bool failed;    /* a write has, and that was said */
    int failure;            /* its errno */
    uint64_t room;          /* where output_put_stop writes to; 0: nowhere */
    char name[PATH_MAX];
};

/* Opens output->name, emptied.  With `fresh` a name that exists is another's: `-2`, `-3`, ... is
 * inserted before its extension.  0 or an errno. */
int output_open(struct output *output, bool fresh);

void output_close(struct output *output);

/* The sink of a writer.  A descriptor that the program has closed or put to another use is opened
 * again; the program's own files are never written to. */
struct heaptap_sink output_sink(struct output *output);

/* Where the disk is full the trace has no room left to say why it ends, so that is kept from the
 * start: a record of HEAPTAP_STOPPED with this name, the last one written before this call. */
#define OUTPUT_STOP_ROOM "................................................................"
void output_keep_stop_room(struct output *output);

/* Puts when and why the recording ended into that room.  The file does not grow. */
void output_put_stop(struct output *output, int64_t time_us, const char *reason);

#endif
