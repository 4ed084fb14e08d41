#include "export/xml.h"

#include <stdbool.h>

#include "base/utf8.h"

static bool is_allowed(uint32_t character)
{
    return character != UTF8_BAD && character != 0xfffe && character != 0xffff &&
           (character >= 0x20 || character == '\t' || character == '\n' || character == '\r');
}

static void put(FILE *file, const char *text, bool one_line)
{
    while (*text) {
        uint32_t character;
        int size = utf8_decode(text, &character);
        if (!is_allowed(character))
            fputs("\xef\xbf\xbd", file);
        else if (one_line && character < 0x20)
            fputc(' ', file);
        else if (character == '&')
            fputs("&amp;", file);
        else if (character == '<')
            fputs("&lt;", file);
        else if (character == '>')
            fputs("&gt;", file);
        else if (character == '"')
            fputs("&quot;", file);
        else
            fwrite(text, 1, (size_t)size, file);
        text += size;
    }
}

void xml_put_text(FILE *file, const char *text)
{
    put(file, text, false);
}

void xml_put_line(FILE *file, const char *text)
{
    put(file, text, true);
}
