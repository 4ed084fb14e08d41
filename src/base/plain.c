#include "base/plain.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/utf8.h"

bool plain_is_hidden(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x61c ||
           character == 0x200e || character == 0x200f ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069) || character == 0xfffe ||
           character == 0xffff || character == UTF8_BAD;
}

static bool is_digit(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

/* What makes a formula of a cell.  Some spreadsheets take the wide signs of East Asian texts, too. */
static bool is_formula_sign(uint32_t character)
{
    switch (character) {
    case '=':
    case '+':
    case '-':
    case '@':
    case 0xff1d:
    case 0xff0b:
    case 0xff0d:
    case 0xff20:
        return true;
    default:
        return false;
    }
}

/* Where the decimal point is a comma, spreadsheets take semicolons to separate cells, and what stands in quotes for several
 * cells or rows. */
static bool may_begin_cell(const char *name, const char *at)
{
    return at == name || strchr(";\n\"", at[-1]);
}

static bool is_kept(const char *name, const char *at, uint32_t character, unsigned form)
{
    if ((form & PLAIN_NO_FORMULAS) && is_formula_sign(character) && may_begin_cell(name, at))
        return false;
    switch (character) {
    case '\\':
        return (form & PLAIN_KEEP_ESCAPES) || at[1] != 'x' || !is_digit(at[2]) || !is_digit(at[3]);
    case ';':
        return !(form & PLAIN_NO_SEMICOLONS);
    case '\t':
        return form & PLAIN_KEEP_TABS;
    case '\n':
        return form & PLAIN_KEEP_LINES;
    default:
        return !plain_is_hidden(character);
    }
}

/* The bytes of the character of `name` at `at`, and whether it stays. */
static int next(const char *name, const char *at, unsigned form, bool *kept)
{
    uint32_t character;
    int size = utf8_decode(at, &character);
    *kept = is_kept(name, at, character, form);
    return size;
}

/* Most bytes: they stay in every form. */
static bool is_ordinary(char byte)
{
    return byte >= ' ' && byte < 0x7f && byte != '\\' && byte != ';' &&
           !is_formula_sign((uint32_t)byte);
}

/* Where the bytes of `name` end that stay as they are from `at` on; its end for an ordinary name. */
static const char *plain_end(const char *name, const char *at, unsigned form)
{
    bool kept;
    for (;;) {
        while (is_ordinary(*at))
            at++;
        int size = *at ? next(name, at, form, &kept) : 0;
        if (size == 0 || !kept)
            return at;
        at += size;
    }
}

void plain_put(struct text *text, const char *name, unsigned form)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = name;
    while (*at) {
        const char *end = plain_end(name, at, form);
        bool kept;
        text_put(text, at, (size_t)(end - at));
        at = end;
        if (!*at)
            break;
        for (int size = next(name, at, form, &kept); size > 0; size--, at++) {
            unsigned char byte = (unsigned char)*at;
            text_put(text, (char[]){'\\', 'x', digits[byte >> 4], digits[byte & 15]}, 4);
        }
    }
}

static int value_of(char digit)
{
    return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

void plain_parse(char *text)
{
    char *to = text;
    while (*text) {
        if (text[0] == '\\' && text[1] == 'x' && is_digit(text[2]) && is_digit(text[3]) &&
            (text[2] != '0' || text[3] != '0')) { /* no name has a 0 */
            *to++ = (char)(value_of(text[2]) << 4 | value_of(text[3]));
            text += 4;
        } else {
            *to++ = *text++;
        }
    }
    *to = 0;
}

static pthread_key_t copies_key;
static bool has_key;

static void release_copies(void *copies)
{
    for (int i = 0; i < PLAIN_COPIES; i++)
        text_release((struct text *)copies + i);
}

static void make_key(void)
{
    has_key = pthread_key_create(&copies_key, release_copies) == 0;
}

/* Those of this thread, which are freed when it ends. */
static struct text *own_copies(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static _Thread_local struct text copies[PLAIN_COPIES];
    pthread_once(&once, make_key);
    if (has_key)
        pthread_setspecific(copies_key, copies);
    return copies;
}

const char *plain_as(const char *name, unsigned form)
{
    static _Thread_local unsigned turn;
    if (!name || !*plain_end(name, name, form))
        return name;
    struct text *copy = &own_copies()[turn++ % PLAIN_COPIES];
    copy->size = 0;
    copy->failed = false;
    plain_put(copy, name, form);
    text_put_char(copy, 0);
    return copy->failed ? "?" : copy->bytes;
}

const char *plain(const char *name)
{
    return plain_as(name, PLAIN_NAME);
}
