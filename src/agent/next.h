/* What could be asked after an answer: the loop from a number to a fix, a step at a time. */
#ifndef AGENT_NEXT_H
#define AGENT_NEXT_H

#include <jansson.h>

/* After `report`'s answer about `file`, under `filter` ("" for none): an array of {"tool", "arguments", "why"}, the most useful
 * first; empty where nothing comes to mind.  New; NULL when there is no memory. */
json_t *next_questions(const char *report, const json_t *answer, const char *file,
                       const char *filter);

/* A regular expression of a function's name and nothing else, malloc'ed. */
char *next_pattern(const char *function);

#endif
