/* A file that is written as memory.  What is stored there survives the process at once, however it
 * ends, without a system call for each store; and there is no descriptor that the program could
 * close or put to another use.
 *
 * It is mapped by a view, which becomes longer with the file and stays where it is.  The file grows by
 * its name, if that still leads to it.  Regions are handed out whose pages are in memory and have their room on the
 * disk: a full disk is an errno of growing_file_take, never a SIGBUS later.
 *
 * A region belongs to whoever took it, until the file is closed.  It is zeros at first. */
#ifndef TAP_INSIDE_GROWING_FILE_H
#define TAP_INSIDE_GROWING_FILE_H

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tap/inside/file_view.h"

enum {
    GROWING_FILE_PAGE_BYTES = 4096,
    GROWING_FILE_CUT = ENODATA, /* as an errno: somebody has made the file shorter */
};

/* All zeros: not open. */
struct growing_file {
    struct file_view view;    /* none while the file is not open */
    uint64_t most_bytes;      /* how long the file may become; 0: as long as the view */
    _Atomic uint64_t used;    /* bytes handed out */
    _Atomic uint64_t size;    /* of the file */
    _Atomic uint64_t present; /* up to here pages are in memory and have their room */
    _Atomic int failed;       /* errno of the first failure to grow; 0: none */
    _Atomic bool sealed;      /* system calls may be made no more */
    _Atomic uint32_t locked;
    const uint8_t *_Atomic mark; /* the last byte that stays other than zero; NULL: none */
    bool has_descriptor;
    int descriptor; /* another's descriptor, which is tried before the name */
    dev_t device;
    ino_t inode;
    char path[PATH_MAX]; /* absolute */
};

/* Maps the empty file `fd`, open for reading and writing, which `path` leads to; one that is not
 * absolute is looked up from the current folder.  `fd` stays the caller's, to be closed.  0, or an
 * errno: ENODEV where the file can't be mapped (a pipe, some filesystems). */
int growing_file_open(struct growing_file *file, int fd, const char *path, uint64_t most_bytes);

/* `fd`, which leads to the file, stays open, unless somebody closes it: the file then grows even where
 * its name leads there no more. */
void growing_file_use_descriptor(struct growing_file *file, int fd);

/* `bytes`, rounded up to pages, at the end of what is used; NULL where there is no room, with the
 * reason in file->failed.  Any number of threads may call it at once. */
void *growing_file_take(struct growing_file *file, size_t bytes);

/* `byte`, in a region, is not zero and stays so.  Who cuts the file short at the moment at which another thread makes it longer
 * leaves its length as it should be, and zeros in it: the mark tells (GROWING_FILE_CUT). */
void growing_file_mark(struct growing_file *file, const uint8_t *byte);

/* How many bytes more the file may get. */
uint64_t growing_file_left(const struct growing_file *file);

/* Makes the file long enough for `bytes` more, or for as many as are to be had, while its name can
 * still be reached.  With `present` they have their room, too. */
void growing_file_reserve(struct growing_file *file, uint64_t bytes, bool present);

/* From now on regions come from what is present: for a process that may make no system calls. */
void growing_file_seal(struct growing_file *file);
void growing_file_unseal(struct growing_file *file);

/* Cuts off what is not used; no region may be taken meanwhile.  The file can grow again afterwards. */
void growing_file_trim(struct growing_file *file);

/* For a handler of SIGBUS: if `address` lies in the view, beyond what somebody has left of the file, other memory takes the
 * place of what is gone, which nobody will read, and the file has failed (GROWING_FILE_CUT). */
bool growing_file_take_fault(struct growing_file *file, const void *address);

/* Unmaps it.  What was stored stays in the file, which keeps its length. */
void growing_file_close(struct growing_file *file);

/* In a forked child, whose parent's file it is: nothing is written there any more.  With
 * `interrupted`, somebody may still store through a pointer into the view: that goes nowhere. */
void growing_file_leave_to_parent(struct growing_file *file, bool interrupted);

static inline uint64_t growing_file_whole_pages(uint64_t bytes)
{
    const uint64_t page = GROWING_FILE_PAGE_BYTES;
    return (bytes + page - 1) / page * page;
}

static inline bool growing_file_is_open(const struct growing_file *file)
{
    return file->view.base != NULL;
}

static inline uint64_t growing_file_offset(const struct growing_file *file, const void *at)
{
    return (uint64_t)((const uint8_t *)at - file->view.base);
}

#endif
