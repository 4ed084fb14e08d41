/* Names as they may be shown.  Names come from files that anybody may have written: a terminal obeys
 * what stands in them (ESC ]0; sets its title), and a newline begins a row that is none.
 *
 * Shown plainly, control characters (C0, DEL, C1), characters that change the direction of text or
 * end a line (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069), U+FFFE, U+FFFF, and bytes
 * that are not UTF-8 are written as \x and two hexadecimal digits a byte.  A backslash stays as it
 * is, unless x and two such digits follow: then it is \x5c.  So every name reads back as it was, by
 * putting the byte in place of each \x and two digits, and ordinary names are not changed at all. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <stdbool.h>

#include "base/text.h"

/* What differs from form to form. */
enum plain_form {
    PLAIN_NAME = 0,
    PLAIN_KEEP_TABS = 1,     /* as in lines of source code */
    PLAIN_KEEP_LINES = 2,    /* newlines stay: the form has quotes for them */
    PLAIN_KEEP_ESCAPES = 8,  /* what is in plain form already stays as it is */
    PLAIN_NO_SEMICOLONS = 4, /* ';' is written as \x3b: it separates the functions of a stack */
    PLAIN_NO_FORMULAS =
        16, /* '=', '+', '-' and '@' are written so where a spreadsheet's cell may begin */
};

/* Puts `name` in that form, which is a sum of the above. */
void plain_put(struct text *text, const char *name, unsigned form);

/* The way back, in place: the name that was put in plain form. */
void plain_parse(char *text);

/* `name` itself when all of it stays, else a copy in plain form: for printf's arguments.  The copy is
 * kept until PLAIN_COPIES more have been made by this thread.  NULL stays NULL; "?" when there is no
 * memory. */
enum { PLAIN_COPIES = 8 };
const char *plain(const char *name);
const char *plain_as(const char *name, unsigned form);

/* Is this a character that is not shown as it stands?  UTF8_BAD is one. */
bool plain_is_hidden(uint32_t character);

#endif
