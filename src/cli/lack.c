#include "cli/lack.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/plain.h"
#include "base/utf8.h"
#include "cli/cli.h"

struct said {
    char text[1024]; /* sentences, with semicolons between */
};

static struct said lacks, remarks;
static bool are_remarks_taken;

/* False where it has been said; what has no room is left out. */
static bool add(struct said *said, const char *sentence)
{
    size_t size = strlen(said->text), more = strlen(sentence);
    if (strstr(said->text, sentence))
        return false;
    if (size + more + sizeof "; " <= sizeof said->text)
        snprintf(said->text + size, sizeof said->text - size, "%s%s", size > 0 ? "; " : "",
                 sentence);
    return true;
}

void lack_say(const char *subject, const char *sentence)
{
    if (add(&lacks, sentence))
        cli_warn("%s: %s", subject, sentence);
}

void lack_warn(const char *format, ...)
{
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    cli_warn("%s", sentence);
    lack_add(plain(sentence));
}

void lack_add(const char *sentence)
{
    add(&lacks, sentence);
}

const char *lack_said(void)
{
    return *lacks.text ? lacks.text : NULL;
}

void lack_remark(const char *subject, const char *sentence)
{
    char with_subject[1024];
    snprintf(with_subject, sizeof with_subject, "%s: %s", path_file(subject), sentence);
    if (are_remarks_taken)
        remarks.text[0] = 0;
    are_remarks_taken = false;
    with_subject[utf8_cut(with_subject, strlen(with_subject))] = 0;
    add(&remarks, with_subject);
    cli_warn("%s: note: %s", subject, sentence);
}

const char *lack_take_remarks(void)
{
    const char *taken = are_remarks_taken || !*remarks.text ? NULL : remarks.text;
    are_remarks_taken = true;
    return taken;
}
