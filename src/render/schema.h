/* What answers are made of, as documentation. */
#ifndef RENDER_SCHEMA_H
#define RENDER_SCHEMA_H

#include "answer/answer.h"

/* A section of docs/answers.md: the tables of one report with their columns, as Markdown. */
void schema_print(FILE *file, const char *report, const struct answer_table *const *tables);

#endif
