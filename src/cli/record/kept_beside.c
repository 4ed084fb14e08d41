#include "cli/record/kept_beside.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/text.h"
#include "cli/record/kept.h"
#include "cli/record/kept_file.h"
#include "cli/record/kept_folder.h"
#include "cli/record/running.h"
#include "cli/record/trace_name.h"

static bool is_for_this(const char *kept, const char *profile)
{
    struct stat status;
    struct kept_file file;
    if (lstat(kept, &status) != 0 || !kept_is_trusted(&status, profile) ||
        !kept_file_try(&file, kept))
        return false;
    pid_t recording = (pid_t)file.about.recording;
    kept_file_release(&file);
    return recording == getpid() || (recording > 0 && !process_is_running(recording));
}

static void save(const char *folder, const char *name, pid_t ended, int64_t end_us,
                 struct kept_unsaved *unsaved)
{
    char *profile = text_format("%s%s", folder, name), *kept = profile ? kept_path(profile) : NULL;
    if (kept && is_for_this(kept, profile))
        kept_finish(kept, profile, ended, end_us, unsaved);
    free(kept);
    free(profile);
}

void kept_beside_save(const char *pattern, pid_t ended, int64_t end_us,
                      struct kept_unsaved *unsaved)
{
    if (!trace_name_is_profile(pattern))
        return;
    char *folder = trace_name_folder(pattern);
    DIR *directory = folder ? opendir(*folder ? folder : ".") : NULL;
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        if (entry->d_name[0] != '.' || !ends_with(entry->d_name, KEPT_ENDING))
            continue;
        entry->d_name[strlen(entry->d_name) - strlen(KEPT_ENDING)] = 0;
        if (trace_name_matches(pattern, entry->d_name + 1))
            save(folder, entry->d_name + 1, ended, end_us, unsaved);
    }
    if (directory)
        closedir(directory);
    free(folder);
}
