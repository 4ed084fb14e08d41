/* Memory that extensions allocate by themselves and announce to Python, as NumPy does the data of
 * its arrays: by PyTraceMalloc_Track and PyTraceMalloc_Untrack. */
#ifndef TAP_GUEST_PYTHON_ANNOUNCED_H
#define TAP_GUEST_PYTHON_ANNOUNCED_H

#include <stdbool.h>

/* Begins to watch what is announced, if the environment asks for it. */
void announced_install(void);

/* Puts our functions in place of those that extensions call.  False if that can't be done. */
bool announced_replace(void);

/* Ends the watching, and forgets what was announced. */
void announced_end_part(void);

void announced_code_ends(const char *code);

/* From here on nobody tells that code ends. */
void announced_checks_code(void);

#endif
