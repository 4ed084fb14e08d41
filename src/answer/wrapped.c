#include "answer/wrapped.h"

#include <ctype.h>
#include <string.h>

#include "answer/cut.h"
#include "answer/table.h"

/* The bytes up to the next space at which a line may end: a figure stays with its unit. */
static size_t piece_size(const char *text)
{
    size_t size = strcspn(text, " ");
    while (size > 0 && isdigit((unsigned char)text[size - 1]) && text[size] == ' ' &&
           text[size + 1] != ' ')
        size += 1 + strcspn(text + size + 1, " ");
    return size;
}

void wrapped_put(FILE *file, const char *text, int indent, int columns)
{
    int at = indent, spaces = 0;
    while (*text) {
        size_t size = piece_size(text);
        int width = bytes_width(text, size);
        if (columns > 0 && at > indent && at + spaces + width > columns) {
            fprintf(file, "\n%*s", indent, "");
            at = indent;
            spaces = 0;
        }
        fprintf(file, "%*s%.*s", spaces, "", (int)size, text);
        at += spaces + width;
        text += size;
        spaces = (int)strspn(text, " ");
        text += spaces;
    }
    fputc('\n', file);
}
