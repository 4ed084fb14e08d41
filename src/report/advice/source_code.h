/* Program text without its literals and comments: what is inside them becomes spaces, so that a comma of a string is no comma of
 * the program, and columns stay what they are. */
#ifndef REPORT_ADVICE_SOURCE_CODE_H
#define REPORT_ADVICE_SOURCE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum source_language {
    LANGUAGE_OTHER, /* nothing is known of it, and nothing is left out */
    LANGUAGE_OCAML,
    LANGUAGE_CPP, /* and C */
    LANGUAGE_PYTHON,
    LANGUAGE_LUA,
    LANGUAGES
};

/* By the end of the file's name. */
enum source_language source_language_of(const char *file);

/* The lines of a file, without their ends. */
struct source_file {
    char *const *lines;
    size_t count;
};

/* Lines `first` to `last`, counted from 1, each ended by '\n', as a text of at most size - 1 bytes.  What precedes them is read, as it says
 * whether they begin within a comment.  Returns where line `place` begins in the text, or its length where that is left out. */
size_t source_code(char *text, size_t size, const struct source_file *file,
                   enum source_language language, size_t first, size_t place, size_t last);

#endif
