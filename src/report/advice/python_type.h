/* Types of Python's blocks, as the adapter says them: "(internal)" for what stands beside an object (tables of dicts and lists),
 * "(numpy data)" for arrays. */
#ifndef REPORT_ADVICE_PYTHON_TYPE_H
#define REPORT_ADVICE_PYTHON_TYPE_H

#include <string.h>

#include "report/sites/evidence.h"
#include "report/sites/name_letter.h"

#define PYTHON_NAME NAME_LETTERS "." /* what a name with its object's consists of */

static inline bool python_is_type(const struct evidence *evidence, const char *name)
{
    return strcmp(evidence->type, name) == 0;
}

static inline bool python_is_table(const struct evidence *evidence)
{
    return python_is_type(evidence, "(internal)");
}

#endif
