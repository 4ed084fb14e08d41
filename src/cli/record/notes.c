#include "cli/record/notes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "tap/inside/notes.h"

enum { REMARKS_MOST = 10 };

void notes_make(struct notes *notes)
{
    *notes = (struct notes){.fd = memfd_create("heaptap-notes", MFD_CLOEXEC)};
    if (notes->fd < 0 || !notes_place(notes->place, sizeof notes->place, notes->fd))
        notes->place[0] = 0;
}

/* The texts, each ended by a zero byte, up to an empty one; to be freed. */
static char *read_lines(int fd)
{
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size == 0)
        return NULL;
    char *lines = malloc((size_t)status.st_size + 2);
    ssize_t got = lines ? pread(fd, lines, (size_t)status.st_size, 0) : -1;
    if (got <= 0) {
        free(lines);
        return NULL;
    }
    lines[got] = lines[got + 1] = 0;
    return lines;
}

static bool was_before(const char *lines, const char *line)
{
    for (; lines < line; lines += strlen(lines) + 1)
        if (strcmp(lines, line) == 0)
            return true;
    return false;
}

static bool is_missing(const char *trace)
{
    return access(trace, F_OK) != 0;
}

static void tell_missing(const char *lines)
{
    for (const char *line = lines; *line; line += strlen(line) + 1)
        if (*line == NOTE_BEGUN && !was_before(lines, line) && is_missing(line + 1))
            cli_warn("%s: a trace was begun here, but is missing: it was removed or renamed, or "
                     "its program had another root folder",
                     line + 1);
}

void notes_print(struct notes *notes, bool faults_only)
{
    char *lines = read_lines(notes->fd);
    unsigned remarks = 0;
    for (const char *line = lines; line && *line; line += strlen(line) + 1) {
        bool is_remark = *line == NOTE_REMARK, is_begun = *line == NOTE_BEGUN,
             is_recording = *line == NOTE_RECORDING;
        notes->begun |= is_begun || is_recording;
        notes->explained |= !is_recording && (!is_begun || is_missing(line + 1));
        if (is_begun || is_recording || was_before(lines, line) || (is_remark && faults_only))
            continue;
        remarks += is_remark;
        if (!is_remark || remarks <= REMARKS_MOST)
            cli_warn("%s", line + 1);
    }
    if (remarks > REMARKS_MOST)
        cli_warn("%u other programs ran without being recorded, too", remarks - REMARKS_MOST);
    if (lines && !faults_only)
        tell_missing(lines);
    free(lines);
}

void notes_release(struct notes *notes)
{
    if (notes->fd >= 0)
        close(notes->fd);
    notes->fd = -1;
}
