/* --report: other commands of heaptap, asked about the trace of a program that has just run. */
#ifndef CLI_MEMTRACER_QUESTIONS_H
#define CLI_MEMTRACER_QUESTIONS_H

#include <stdbool.h>

#include "cli/memtracer/results.h"

/* The words of a question such as "top -n 5 'focus=^a b$'": "heaptap", the command, and what follows it.  Spaces
 * separate words; quotes and backslashes keep them together, as in a shell. */
struct question_words {
    char *text;   /* their memory */
    char **words; /* ending with NULL; room is left for the trace */
    int count;
    bool is_for_programs; /* JSON or CSV is asked for: nothing else may stand on standard output */
};

/* False: it can't be asked, and `*fault` says why, or NULL for want of memory.  To be released in either case. */
bool question_words_split(struct question_words *question, const char *text, const char **fault);
void question_words_release(struct question_words *question);

/* Does one of them ask for JSON or CSV? */
bool questions_are_for_programs(const struct question_words *questions, int count);

/* The name in `folder` of a trace for a program that is run by `command` (NULL: given as text), to be freed; NULL without
 * memory. */
char *questions_trace(const char *folder, char *const *command);

/* Asks `count` questions about each process that left a trace, in a process of their own.  A command has the trace in
 * place of the word {}, or else after its name.  What is printed goes to the file, or to standard output where that is
 * NULL.  The exit status: the worst of them. */
int questions_ask(const struct question_words *questions, int count, const struct results *results,
                  const char *output_file);

#endif
