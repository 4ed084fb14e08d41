#include "answer/charset.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

bool charset_stdout_is_utf8(void)
{
    const char *terminal = getenv("TERM");
    setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}
