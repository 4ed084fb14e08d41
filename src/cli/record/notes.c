#include "cli/record/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/plain.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/lack.h"
#include "cli/record/notes_listen.h"
#include "tap/inside/notes.h"

enum { SHOWN_MOST = 10 }; /* of a kind of which there may be many */

void notes_make(struct notes *notes)
{
    *notes = (struct notes){.fd = memfd_create("heaptap-notes", MFD_CLOEXEC), .listener = -1};
    if (notes->fd < 0 || !notes_place(notes->place, sizeof notes->place, notes->fd))
        notes->place[0] = 0;
    else
        notes->listener = notes_listen(&notes->socket, notes->place, sizeof notes->place);
}

/* ---- Reading ------------------------------------------------------------------------- */

static void read_file(int fd, struct text *lines)
{
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0 || !text_reserve(lines, (size_t)status.st_size))
        return;
    ssize_t got = pread(fd, lines->bytes + lines->size, (size_t)status.st_size, 0);
    lines->size += got > 0 ? (size_t)got : 0;
    if (got > 0)
        text_put_char(lines, 0); /* should the last one not be whole */
}

/* The texts, each ended by a zero byte, up to an empty one; to be freed. */
static char *read_lines(struct notes *notes)
{
    struct text lines = {0};
    if (notes->listener >= 0)
        notes->left_out = notes_receive(notes->listener, &notes->socket, &lines);
    read_file(notes->fd, &lines);
    text_put_char(&lines, 0);
    return text_take(&lines);
}

/* ---- Telling ------------------------------------------------------------------------- */

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

/* How many there were of what is told a few times at most. */
struct told {
    size_t remarks, faults, missing;
};

static void tell_one(const char *text, const char *more, size_t *count)
{
    if (++*count <= SHOWN_MOST)
        cli_warn("%s%s", text, more);
}

/* A part of the recording, or a whole process, is lost: the answer lacks it. */
static void lack_one(const char *text, const char *more)
{
    char sentence[1024];
    snprintf(sentence, sizeof sentence, "%s%s", plain(text), more);
    lack_add(sentence);
}

static void tell_missing(struct told *told, const char *trace, bool faults_only)
{
    static const char missing[] =
        ": a trace was begun here, but is missing: it was removed or renamed, or "
        "its program had another root folder";
    lack_one(trace, missing);
    if (!faults_only)
        tell_one(trace, missing, &told->missing);
}

/* Of a line that is the first of its words. */
static void tell(struct told *told, const char *line, bool faults_only)
{
    const char *text = line + 1;
    if (*line == NOTE_LOSS || *line == NOTE_REMARK)
        lack_one(text, "");
    if (*line == NOTE_LOSS || *line == NOTE_FAULT)
        tell_one(text, "", &told->faults);
    else if (*line == NOTE_REMARK && !faults_only)
        tell_one(text, "", &told->remarks);
    else if (*line == NOTE_BEGUN && is_missing(text))
        tell_missing(told, text, faults_only);
}

static size_t rest_of(size_t count)
{
    return count > SHOWN_MOST ? count - SHOWN_MOST : 0;
}

static void tell_rest(const struct notes *notes, const struct told *told)
{
    size_t faults = rest_of(told->faults) + rest_of(told->missing) + notes->left_out;
    if (told->remarks > SHOWN_MOST)
        cli_warn("%zu other programs ran without being recorded, too", rest_of(told->remarks));
    if (faults > 0)
        cli_warn("%zu more messages of recorded processes are not shown", faults);
    if (notes->left_out > 0)
        lack_add("not all messages of recorded processes could be read");
}

void notes_print(struct notes *notes, bool faults_only)
{
    char *lines = read_lines(notes);
    struct told told = {0};
    for (const char *line = lines; line && *line; line += strlen(line) + 1) {
        bool is_begun = *line == NOTE_BEGUN, is_recording = *line == NOTE_RECORDING;
        notes->begun |= is_begun || is_recording;
        notes->explained |= !is_recording && (!is_begun || is_missing(line + 1));
        if (!was_before(lines, line))
            tell(&told, line, faults_only);
    }
    tell_rest(notes, &told);
    notes->lost = lack_said();
    free(lines);
}

void notes_release(struct notes *notes)
{
    if (notes->fd >= 0)
        close(notes->fd);
    if (notes->listener >= 0)
        close(notes->listener);
    notes->fd = notes->listener = -1;
}
