/* The folder in which processes keep what they gather for profiles (tap/gather/kept.h): heaptap's own, out of the way
 * of what is done to the profiles.  Beside each file a link leads to its profile. */
#ifndef CLI_RECORD_KEPT_FOLDER_H
#define CLI_RECORD_KEPT_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum kept_outcome { KEPT_SAVED, KEPT_IN_USE, KEPT_UNSAVED };

/* Saves a profile from what is kept for it, if its process is no more: `ended` is one that ended at `end_us`; 0: not known.
 * KEPT_UNSAVED after a message.  Of a process that is still running nothing is touched, and nothing, without a word, of one of
 * before whose profile has no place any more: it may come back. */
enum kept_outcome kept_finish(const char *kept, const char *profile, pid_t ended, int64_t end_us);

/* False with errno. */
bool kept_folder_make(char name[PATH_MAX]);

/* Saves the profiles whose process is no more, as kept_finish does, and says which of them are missing.  False if one can't be
 * written: it stays. */
bool kept_folder_save(const char *folder, pid_t ended, int64_t end_us);

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
