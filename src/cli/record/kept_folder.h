/* The folder in which processes keep what they gather for profiles (tap/gather/kept.h): heaptap's own, out of the way
 * of what is done to the profiles.  Beside each file a link leads to its profile. */
#ifndef CLI_RECORD_KEPT_FOLDER_H
#define CLI_RECORD_KEPT_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Profiles that could not be written: their data stay where they are. */
struct kept_unsaved {
    size_t count;
    char kept[PATH_MAX], profile[PATH_MAX]; /* of the first */
    int code;                               /* why not */
};

/* "PROFILE and 3 more profiles OF: No space left on device"; there is one at least.  malloc'ed; NULL when there is no memory. */
char *kept_unsaved_text(const struct kept_unsaved *unsaved, const char *of);

/* Saves a profile from what is kept for it, if its process is no more: `ended` is one that ended at `end_us`; 0: not known.
 * False where nothing is saved.  One that can't be written is noted in `unsaved`, and leaves no empty file.  Of a process that is still
 * running nothing is touched; nor, without a word, of an earlier one whose profile's folder is gone: it may come back. */
bool kept_finish(const char *kept, const char *profile, pid_t ended, int64_t end_us,
                 struct kept_unsaved *unsaved);

/* False with errno. */
bool kept_folder_make(char name[PATH_MAX]);

/* Saves the profiles whose process is no more, as kept_finish does, and says which of them are missing. */
void kept_folder_save(const char *folder, pid_t ended, int64_t end_us,
                      struct kept_unsaved *unsaved);

/* The path of what is kept there for a profile; false where it is too long. */
bool kept_in_folder(char path[PATH_MAX], const char *folder, const char *profile);

/* Removes it, unless somebody still keeps something there: then whoever records next looks at it. */
void kept_folder_leave(const char *folder);

/* Where heaptap itself was killed during a recording: finishes what lies in its folder, of processes that are no more.
 * `tell`: says where intervals are that nobody takes. */
void kept_finish_folders(bool tell);

/* Notes that this process takes what comes into the folder. */
void kept_own_folder(const char *folder);

#endif
