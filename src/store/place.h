/* A place of the program, as a person names it: a function, or a line.
 *
 *     parse_line              the function of that name, to the letter
 *     src/parse.c:120         that line of the file whose path ends so
 *
 * A text that is both is either. */
#ifndef STORE_PLACE_H
#define STORE_PLACE_H

#include "store/database.h"
#include "store/store.h"

/* The longest that a place may be. */
enum { STORE_PLACE_MAX = 4096 };

struct store_place {
    const char *function;       /* the whole text; borrowed */
    char file[STORE_PLACE_MAX]; /* "" where it names no line */
    uint32_t line;
};

/* HEAPTAP_BAD_ARGUMENT where the text is empty or too long. */
enum heaptap_status store_place_parse(struct store_place *place, const char *text,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Makes temp.passing(id): the nodes of all stacks that lead through the place, or end there.  False when there is no
 * memory. */
bool store_place_mark(struct database *database, const struct store_place *place);

#endif
