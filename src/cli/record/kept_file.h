/* A file in which a process kept what it gathered, read after its end. */
#ifndef CLI_RECORD_KEPT_FILE_H
#define CLI_RECORD_KEPT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/pprof.h"
#include "tap/gather/kept.h"
#include "tap/gather/restore.h"

struct kept_file {
    void *bytes; /* a copy: the process may be anything but dead, and make its file shorter */
    size_t size;
    struct heaptap_pprof *profile;
    struct pprof_restored about;
};

/* `written`: as pprof_restore has it.  False with a message where it can't be read. */
bool kept_file_restore(struct kept_file *file, const char *path, uint64_t written);
void kept_file_release(struct kept_file *file);

/* The same, of what may be of another version, without a message. */
bool kept_file_try(struct kept_file *file, const char *path);

/* Saves it as the profile `name`, up to `end_us`; 0: up to when the process last said that it was
 * there.  0 or an errno. */
int kept_file_write(struct kept_file *file, const char *name, int64_t end_us);

/* The same.  False with a message. */
bool kept_file_save(struct kept_file *file, const char *name, int64_t end_us);

#endif
