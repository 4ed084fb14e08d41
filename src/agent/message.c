#include "agent/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

enum { ESCAPE = 6 }; /* \uXXXX */

static json_t *parse(const char *bytes, size_t size, json_error_t *wrong)
{
    return json_loadb(bytes, size, JSON_ALLOW_NUL | JSON_DECODE_ANY, wrong);
}

/* Does an escape of a surrogate begin here, of one of the halves whose second digits are given? */
static bool is_surrogate(const char *at, const char *halves)
{
    return at[0] == '\\' && at[1] == 'u' && (at[2] | 0x20) == 'd' && at[3] &&
           strchr(halves, at[3]) && strspn(at + 4, "0123456789abcdefABCDEF") >= 2;
}

/* Puts what begins with a backslash, and says how many bytes it took. */
static size_t put_escape(struct text *text, const char *at)
{
    static const char high[] = "89abAB", low[] = "cdefCDEF";
    bool is_high = is_surrogate(at, high), is_low = is_surrogate(at, low);
    size_t size = is_high && is_surrogate(at + ESCAPE, low) ? 2 * ESCAPE
                  : is_high || is_low                       ? ESCAPE
                                                            : 1 + (at[1] != 0);
    if (size == ESCAPE)
        text_put_string(text, "\\ufffd");
    else
        text_put(text, at, size);
    return size;
}

/* The same text, which ends with a 0, with U+FFFD for what is no character. */
static void mend(struct text *text, const char *bytes, size_t size)
{
    for (const char *at = bytes, *end = bytes + size; at < end;) {
        uint32_t character = (unsigned char)*at;
        int taken = character < 0x80 ? 1 : utf8_decode(at, &character);
        if (*at == '\\') {
            at += put_escape(text, at);
            continue;
        }
        if (character == UTF8_BAD)
            text_put_string(text, "\xef\xbf\xbd");
        else
            text_put(text, at, (size_t)taken);
        at += taken;
    }
}

json_t *message_read(const char *bytes, size_t size, json_error_t *wrong)
{
    struct text text = {0};
    json_t *message = parse(bytes, size, wrong);
    char *copy = message ? NULL : strndup(bytes, size); /* a 0 in it ends it, and is no JSON */
    if (!copy)
        return message;
    mend(&text, copy, strlen(copy));
    if (!text.failed && text.size > 0)
        message = parse(text.bytes, text.size, wrong);
    text_release(&text);
    free(copy);
    return message;
}
