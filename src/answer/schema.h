/* What answers are made of, as documentation, and for programs that show them. */
#ifndef ANSWER_SCHEMA_H
#define ANSWER_SCHEMA_H

#include "answer/answer.h"
#include "answer/json.h"

/* A section of `heaptap help json`: the tables of one report with their columns, as Markdown; before them those of its head, NULL for
 * none. */
void schema_print(FILE *file, const char *report, const struct answer_table *const *head,
                  const struct answer_table *const *tables);

/* The same for programs: members of an open object: "tables", each with "key" (null for members of what is around it), "shape"
 * and "columns", those that JSON has, each with "key", "title", "kind" and "help". */
void schema_put_json(struct json *json, const struct answer_table *const *tables);

#endif
