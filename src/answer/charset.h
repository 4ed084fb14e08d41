/* What characters the user's locale has. */
#ifndef ANSWER_CHARSET_H
#define ANSWER_CHARSET_H

#include <stdbool.h>

/* Does standard output take characters beyond ASCII?  Not where the locale isn't UTF-8, or TERM is
 * dumb. */
bool charset_stdout_is_utf8(void);

#endif
