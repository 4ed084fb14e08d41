#include "inside/say.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "inside/notes.h"
#include "inside/text.h"

void say(const char *first, ...)
{
    char line[4096 + 512];
    struct text text;
    int saved_errno = errno;
    va_list strings;
    text_init(&text, line, sizeof line - 1);
    text_add(&text, "heaptap: ");
    va_start(strings, first);
    for (const char *string = first; string; string = va_arg(strings, const char *))
        text_add(&text, string);
    va_end(strings);
    *text.at++ = '\n';
    const char *told = line + sizeof "heaptap: " - 1;
    ssize_t ignored = 0;
    if (notes_wanted())
        notes_write(NOTE_FAULT, told, (size_t)(text.at - told));
    else
        ignored = write(STDERR_FILENO, line, (size_t)(text.at - line));
    (void)ignored;
    errno = saved_errno;
}

const char *say_errno(int code)
{
    switch (code) {
    case EBADF:
        return "closed by the program, and not to be opened again";
    case EPIPE:
        return "Broken pipe";
    case EACCES:
        return "Permission denied";
    case EDQUOT:
        return "Disk quota exceeded";
    case EEXIST:
        return "File exists";
    case EFBIG:
        return "File too large";
    case EIO:
        return "Input/output error";
    case EISDIR:
        return "Is a directory";
    case EMFILE:
    case ENFILE:
        return "Too many open files";
    case ENAMETOOLONG:
        return "File name too long";
    case ENOENT:
        return "No such file or directory";
    case ENOMEM:
        return "Out of memory";
    case ENOSPC:
        return "No space left on device";
    case ENOTDIR:
        return "Not a directory";
    case EPERM:
        return "Operation not permitted";
    case EROFS:
        return "Read-only file system";
    default:
        return "error";
    }
}
