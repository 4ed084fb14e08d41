/* Addresses to listen at: "127.0.0.1:4040", "[::1]:4040". */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "heaptap/status.h"

struct listen_address {
    char host[48]; /* as it is written, without [ and ] */
    bool is_ipv6;
    uint16_t port;    /* 0: any that is free */
    bool is_loopback; /* this machine alone reaches it */
    struct sockaddr_storage socket;
};

/* HEAPTAP_BAD_ARGUMENT where the text is none. */
enum heaptap_status listen_parse(struct listen_address *address, const char *text,
                                 struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
