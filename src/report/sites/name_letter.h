/* What names of C, C++, OCaml and Python are made of. */
#ifndef REPORT_SITES_NAME_LETTER_H
#define REPORT_SITES_NAME_LETTER_H

#include <ctype.h>
#include <stdbool.h>

#define NAME_LETTERS                                                                               \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_" /* for strspn */

static inline bool is_name_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

#endif
