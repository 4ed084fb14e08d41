/* The server of heaptap fleet serve: takes profiles over HTTP, and puts them into a store.
 *
 * One thread speaks HTTP (net/server.h), another puts profiles into the store (writer.h), which has one writer so.  A profile is
 * acknowledged when it is stored. */
#ifndef FLEET_INGEST_SERVER_H
#define FLEET_INGEST_SERVER_H

#include "fleet/ingest/accepted.h"
#include "fleet/ingest/health.h"
#include "fleet/ingest/scrape.h"
#include "net/server.h"
#include "store/store.h"

struct ingest_server;

/* Pages of the server: what is asked of it by GET and is not its own, answered by a room above this one (fleet/pages.h). */
struct ingest_pages {
    void (*ask)(void *context, struct net_request *request); /* returns at once */
    void *context;
};

struct ingest_server_options {
    const char
        *address; /* to listen at, "127.0.0.1:4040" or "[::1]:4040"; port 0 is any that is free */
    const char *
        token; /* what requests have to bring, NULL for nothing; needed where other machines reach the address */
    const char *store; /* its name, to check whether it can be reached; NULL: not checked */
    health_say *say;   /* called when it can't, and when it can again */
    void *say_context;
    const struct net_tls *tls; /* NULL: not encrypted.  Borrowed until the server is freed */
    struct ingest_limits limits;
    const char *
        debug_folder; /* with debug files by build id, for profiles that come as addresses; NULL: the system's alone */
    const char *
        debuginfod; /* servers that such files are fetched from, with spaces between; NULL for none */
    const struct ingest_pages *
        pages; /* what else there is to GET; NULL for nothing.  Borrowed until the server is freed */
};

/* Starts to listen.  The store is borrowed until the server is freed, and used by the server alone. */
enum heaptap_status ingest_server_new(struct ingest_server **server,
                                      const struct ingest_server_options *options,
                                      struct store *store,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Fetches profiles from targets, too, from now on; they are borrowed until the server is freed, and `say` is told what fails and
 * works again. */
enum heaptap_status ingest_server_scrape(struct ingest_server *server,
                                         const struct ingest_targets *targets,
                                         ingest_scrape_say *say, void *context,
                                         struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Ends it when the requests that came whole are answered, and all pages that were asked for are done. */
void ingest_server_free(struct ingest_server *server);

/* Where it listens: NET_ADDRESS_BYTES at most. */
void ingest_server_address(const struct ingest_server *server, char *address);

#endif
