/* What the parts of a profile have in common while it is written: places (write_places.c), blocks and sums
 * (write_profile.c). */
#ifndef STORE_WRITING_H
#define STORE_WRITING_H

#include "store/row.h"
#include "store/write_profile.h"

struct writing {
    struct database *database;
    int64_t number; /* of the profile */
    const struct store_profile *profile;
    const struct model *model;
    bool *needed; /* by node of the selection's trie: a row that passes goes through it */
};

/* A row of the profile: its first column is its number. */
static inline struct row row_of(const struct writing *writing, sqlite3_stmt *statement)
{
    sqlite3_bind_int64(statement, 1, writing->number);
    return (struct row){statement, 1};
}

/* Writes the needed nodes with their frames, lines and modules.  False when there is no memory. */
bool store_write_places(struct writing *writing);

#endif
