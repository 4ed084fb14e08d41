/* The viewer's server: a page and answers about a trace over HTTP, to this machine alone.
 *
 * It listens on 127.0.0.1 (net/server.h), answers GET, checks Host and the token of its address, and serves what is embedded in the program or
 * computed: no file.  A thread of its own answers; what it answers from is handed over and taken
 * back under a lock. */
#ifndef PAGE_SERVER_H
#define PAGE_SERVER_H

#include <stdint.h>

#include "heaptap/status.h"
#include "page/answer.h"
#include "page/dataset.h"
#include "page/request.h"

struct viewer_server;

/* Starts to listen at `port`, 0 for any that is free, with the message that `name` is being read.
 * `name` is borrowed. */
enum heaptap_status viewer_server_new(struct viewer_server **server, uint16_t port,
                                      const char *name,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void viewer_server_free(struct viewer_server *server);

/* Where a browser finds it.  The address has a token of 128 random bits in it, without which nothing is
 * answered: others on this machine can reach the port, too. */
enum { VIEWER_ADDRESS_BYTES = 160 };
void viewer_server_address(const struct viewer_server *server, char *address);

/* Tells the page how far the reading is: bytes read, of so many; `whole` is 0 where that isn't
 * known; and what is read, which is copied. */
void viewer_server_progress(struct viewer_server *server, uint64_t bytes, uint64_t whole,
                            const struct heaptap_trace_info *info);

/* What is answered from from now on: `count` files, borrowed until others are shown or the server
 * is freed.  When it returns, nothing that was shown before is looked at any more. */
void viewer_server_show(struct viewer_server *server, struct viewer_dataset **files, size_t count,
                        bool is_live);

/* What the files are compared with; borrowed as they are.  To be called before they are shown. */
void viewer_server_set_base(struct viewer_server *server, struct viewer_dataset *base);

/* Where sources come from, and who reads files again; borrowed, until the server is freed. */
void viewer_server_set_reading(struct viewer_server *server, const struct viewer_reading *reading);
void viewer_server_set_sources(struct viewer_server *server, const struct viewer_sources *sources);

/* The same for one of them, in place of the one at that index. */
void viewer_server_show_one(struct viewer_server *server, size_t index,
                            struct viewer_dataset *file);

#endif
