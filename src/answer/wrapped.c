#include "answer/wrapped.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/affix.h"
#include "answer/cut.h"

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

/* The column where continuation lines begin: that after a number, "1. ", or after a label and its spaces. */
static size_t hanging(const char *sentence)
{
    enum { LABEL_MOST = 12 };
    size_t spaces = strspn(sentence, " "), digits = strspn(sentence + spaces, "0123456789");
    const char *gap = strstr(sentence + spaces, "  ");
    if (digits > 0 && begins_with(sentence + spaces + digits, ". "))
        return spaces + digits + 2;
    if (gap && gap - sentence < LABEL_MOST)
        return (size_t)(gap - sentence) + strspn(gap, " ");
    return spaces;
}

/* What is to be typed stays in one piece. */
static bool is_of_one_piece(const char *sentence)
{
    return strstr(sentence, ": heaptap ") || strstr(sentence, ": `heaptap ") ||
           strchr(sentence, '\n');
}

void wrapped_put_sentence(FILE *file, const char *sentence, int columns)
{
    size_t indent = hanging(sentence);
    if (columns == 0 || text_width(sentence) <= columns || is_of_one_piece(sentence)) {
        fprintf(file, "%s\n", sentence);
        return;
    }
    fwrite(sentence, 1, indent, file);
    wrapped_put(file, sentence + indent, (int)indent, columns);
}
