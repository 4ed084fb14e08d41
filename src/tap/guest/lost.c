/* A process that may not write what it is to leave: one that became another user's, say. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/path.h"
#include "tap/guest/state.h"
#include "tap/inside/environment.h"
#include "tap/inside/executable.h"
#include "tap/inside/notes.h"
#include "tap/inside/say.h"
#include "tap/inside/text.h"

static void tell(const char *notes, const char *what, const char *why)
{
    char path[PATH_MAX], number[24];
    struct text text;
    notes_init(notes);
    text_init(&text, number, sizeof number);
    text_add(&text, " (pid ");
    text_add_number(&text, (uint64_t)getpid());
    say_loss(executable_path(path, sizeof path) ? path_file(path) : "a program", number,
             "): ", what, ": ", why, "; the program runs without being recorded", NULL);
}

void guest_tell_lost(bool was_watched)
{
    const char *folder = getenv(GUEST_FOLDER), *notes = getenv(GUEST_NOTES);
    int saved_errno = errno;
    if (folder && notes && faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
        tell(notes, folder, say_errno(errno));
    else if (folder && notes && was_watched)
        tell(notes, trace_path(), "can't be written");
    errno = saved_errno;
}
