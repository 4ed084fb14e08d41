/* A store in a file of SQLite, for the files of this folder that are its parts. */
#ifndef STORE_STORE_FILE_H
#define STORE_STORE_FILE_H

#include "store/database.h"
#include "store/store.h"

struct store {
    struct database database;
};

/* What the database said went wrong, if anything did; it works again after that. */
enum heaptap_status store_outcome(struct store *store, struct heaptap_error *error);

#endif
