/* The server of heaptap serve: takes profiles over HTTP, and puts them into a store.
 *
 * One thread of its own does everything, so that the store has one writer.  A profile is acknowledged when it is on the disk. */
#ifndef INGEST_SERVER_H
#define INGEST_SERVER_H

#include "store/store.h"

struct ingest_server;

/* What is too much. */
struct ingest_limits {
    size_t body_bytes;     /* of a request */
    size_t unpacked_bytes; /* of the profile in it */
    size_t series;         /* different sets of labels in the store */
    double per_second;     /* profiles; of one second at once */
    int64_t age_us;        /* how long ago a profile may have ended */
    int seconds;           /* that a request may take to arrive */
};

struct ingest_limits ingest_limits_usual(void);

/* Starts to listen at `address`, "127.0.0.1:4040" or "[::1]:4040"; port 0 is any that is free.  `token`, NULL for none, is what
 * requests have to bring; an address that other machines reach needs one.  The store is borrowed until the server is
 * freed, and used by nobody else. */
enum heaptap_status ingest_server_new(struct ingest_server **server, const char *address,
                                      const char *token, const struct ingest_limits *limits,
                                      struct store *store,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Ends it when the request in hand is answered. */
void ingest_server_free(struct ingest_server *server);

/* Where it listens: "http://127.0.0.1:4040". */
enum { INGEST_ADDRESS_BYTES = 80 };
void ingest_server_address(const struct ingest_server *server, char *address);

#endif
