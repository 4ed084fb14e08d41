/* How wide texts are on a terminal, and texts cut to a width with a mark where something is left out. */
#ifndef ANSWER_CUT_H
#define ANSWER_CUT_H

#include <stddef.h>

/* Columns that the `size` bytes take; of a whole text, 0 for NULL. */
int bytes_width(const char *text, size_t size);
int text_width(const char *text);

/* The beginning of a text that is wider than `width`: "beginn…".  malloc'ed; NULL without memory. */
char *cut_end(const char *text, int width);

/* The same of a function's name or of a file, whose ends tell most: "…ner::name".  Of an instance of a template that does
 * not fit either, what it is called, the beginning of its arguments and the end: "…Handler<Response, …>::run".  Of a way, "a -> b -> c",
 * both ends: "a -…> c". */
char *cut_name(const char *text, int width);

#endif
