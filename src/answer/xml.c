#include "answer/xml.h"

#include "base/plain.h"

void xml_put_plain(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            fputs("&amp;", file);
        else if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '"')
            fputs("&quot;", file);
        else
            fputc(*text, file);
    }
}

void xml_put_text(FILE *file, const char *text)
{
    xml_put_plain(file, plain(text));
}
