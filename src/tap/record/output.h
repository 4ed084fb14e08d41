/* The trace file: its name, and the way packets get into it. */
#ifndef TAP_RECORD_OUTPUT_H
#define TAP_RECORD_OUTPUT_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "heaptap/trace.h"
#include "tap/inside/growing_file.h"

struct output {
    struct growing_file file; /* open where the trace is written in place */
    int fd;                   /* else; -1: closed */
    bool only_name;           /* nothing is written but by name: it is only made sure of */
    dev_t device;             /* of the file, to tell that `fd` still is it */
    ino_t inode;
    uint64_t max_bytes;     /* 0: no limit */
    _Atomic uint64_t bytes; /* written so far by write(2) */
    _Atomic bool full;      /* max_bytes are reached */
    _Atomic bool failed;    /* writing has, and that was said */
    int failure;            /* its errno */
    uint8_t *stop;          /* in place: where output_put_stop writes to; NULL: nowhere */
    uint64_t room;          /* else: the same in the file; 0: nowhere */
    bool is_stream;         /* a pipe: what is written can't be changed */
    char name[PATH_MAX];
};

/* Opens output->name, emptied; a file that has the name loses it.  With `fresh` a name that exists
 * is another's: `-2`, `-3`, ... is inserted before its extension.  0 or an errno. */
int output_open(struct output *output, bool fresh);

/* Removes the file, if it is a regular one and its name leads to it. */
void output_remove(struct output *output);

/* Whether what is recorded survives this process without being written. */
static inline bool output_is_in_place(const struct output *output)
{
    return growing_file_is_open(&output->file);
}

/* In place: what the writer tells when there is no room any more; of no account before
 * output_keep_stop_room. */
void output_no_room(void *output, int code);

/* In place, for a handler of SIGBUS: the memory at `address` is gone because somebody has cut the file short.  The recording
 * ends, and the thread can go on.  False where that is not so. */
bool output_take_fault(struct output *output, const void *address);

/* Else: the sink of a writer.  A descriptor that the program has closed or put to another use is
 * opened again. */
struct heaptap_sink output_sink(struct output *output);

/* What stop_room_keep has just written (tap/trace/stop_room.h), and where, if that is in place. */
void output_keep_stop_room(struct output *output, uint8_t *place);

/* Puts when and why the recording ended into that room.  The file does not grow. */
void output_put_stop(struct output *output, int64_t time_us, const char *reason);

#endif
