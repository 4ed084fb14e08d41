/* A model's rows as tables of store/schema.sql. */
#ifndef STORE_WRITE_PROFILE_H
#define STORE_WRITE_PROFILE_H

#include "profile/selection.h"
#include "store/database.h"

struct store_profile {
    const char *name; /* of the file */
    bool is_whole;    /* all that the program did is in it */
    const struct filter *filter;
    const struct matcher *matcher;     /* which rows of its model, which are blocks or samples */
    const struct selection *selection; /* of the same filter: what is left of their stacks */
};

/* Writes the rows that pass, and the stacks, places, modules, threads and labels that they need, as profile number
 * `number`.  False when there is no memory; what goes wrong with the database is in the database. */
bool store_write_profile(struct database *database, int64_t number,
                         const struct store_profile *profile);

#endif
