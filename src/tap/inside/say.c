#include "tap/inside/say.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "tap/inside/kernel.h"
#include "tap/inside/scratch.h"
#include "tap/inside/text.h"

enum { MOST_STRINGS = 8, LINE_BYTES = 4096 + 512 };

struct saying {
    enum note_kind kind;
    const char *strings[MOST_STRINGS];
    size_t count;
};

static void write_line(void *context)
{
    static const char prefix[] = "heaptap: ";
    const struct saying *saying = context;
    char line[LINE_BYTES];
    struct kernel_quiet quiet;
    struct text text;
    text_init(&text, line, sizeof line - 1);
    text_add(&text, prefix);
    for (size_t i = 0; i < saying->count; i++)
        text_add(&text, saying->strings[i]);
    const char *told = line + sizeof prefix - 1;
    kernel_quiet_begin(&quiet);
    bool noted = notes_wanted() && notes_write(saying->kind, told, (size_t)(text.at - told));
    *text.at++ = '\n';
    if (!noted)
        kernel_write(STDERR_FILENO, line, (size_t)(text.at - line));
    kernel_quiet_end(&quiet);
}

void say_as(enum note_kind kind, const char *first, ...)
{
    struct saying saying = {.kind = kind};
    va_list strings;
    va_start(strings, first);
    for (const char *string = first; string && saying.count < MOST_STRINGS;
         string = va_arg(strings, const char *))
        saying.strings[saying.count++] = string;
    va_end(strings);
    int saved_errno = errno;
    scratch_run_or_here(write_line, &saying);
    errno = saved_errno;
}
