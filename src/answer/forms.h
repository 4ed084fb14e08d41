/* The forms that an answer may be told in.  Each begins `answer`, which is then said to and closed; what it writes goes
 * to `file`, whose errors show there. */
#ifndef ANSWER_FORMS_H
#define ANSWER_FORMS_H

#include "answer/answer.h"

/* Sentences and tables for a terminal, as wide as that is; in full elsewhere (answer/table.h).  Returns NULL when there is
 * no memory, as the others do; answer_close frees it. */
struct answer *text_answer(FILE *file);

/* An object with the records' members, and the tables as arrays of objects, without sentences. */
struct answer *json_answer(FILE *file);

/* The same in one line, which ends with a newline: several are JSON Lines. */
struct answer *json_line_answer(FILE *file);

/* One line, for a program that shows names to people: texts are in plain form (base/plain.h).  `columns`, keys with
 * separated by commas, are the only ones in rows; "" for every column.  It is borrowed until the answer is closed. */
struct answer *json_answer_shown(FILE *file, const char *columns);

/* As json_answer_shown, of the tables that are ANSWER_IN_COLUMNS: an object with their columns (answer/columns.h) in place of
 * an array of rows, which have no tables of their own. */
struct answer *columns_answer(FILE *file, const char *columns);

/* A header with the keys, then the rows of the one table that is for CSV (RFC 4180).  The rows of a table within it
 * follow their row, with the cells of columns of the same keys. */
struct answer *csv_answer(FILE *file);

/* One SVG document, of charts and histograms, or of a tree; of tables that are none nothing. */
struct answer *svg_answer(FILE *file);

/* What was found, and nothing else: commands of a workflow of GitHub's, SARIF 2.1.0, and a JUnit report, which also has what
 * holds. */
struct answer *github_answer(FILE *file);
struct answer *sarif_answer(FILE *file);
struct answer *junit_answer(FILE *file);

/* Sentences as paragraphs, tables as GitHub's Markdown has them: for pull requests. */
struct answer *markdown_answer(FILE *file);

#endif
