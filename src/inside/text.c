#include "inside/text.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "inside/notes.h"

void text_init(struct text *text, char *buffer, size_t size)
{
    *text = (struct text){buffer, buffer, buffer + size - 1, false};
    *buffer = 0;
}

void text_add_bytes(struct text *text, const char *bytes, size_t size)
{
    size_t room = (size_t)(text->end - text->at);
    if (size > room) {
        size = room;
        text->cut = true;
    }
    memcpy(text->at, bytes, size);
    text->at += size;
    *text->at = 0;
}

void text_add(struct text *text, const char *string)
{
    text_add_bytes(text, string, strlen(string));
}

static void add_digits(struct text *text, uint64_t number, unsigned base, unsigned digits)
{
    char reversed[24], forward[24];
    unsigned count = 0;
    do {
        reversed[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0 || count < digits);
    for (unsigned i = 0; i < count; i++)
        forward[i] = reversed[count - 1 - i];
    text_add_bytes(text, forward, count);
}

void text_add_number(struct text *text, uint64_t number)
{
    add_digits(text, number, 10, 1);
}

void text_add_padded(struct text *text, uint64_t number, unsigned digits)
{
    add_digits(text, number, 10, digits);
}

void text_add_hex(struct text *text, uint64_t number)
{
    add_digits(text, number, 16, 1);
}

void text_say(const char *first, ...)
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

const char *text_of_errno(int code)
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
