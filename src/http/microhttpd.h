/* libmicrohttpd's functions, once http_microhttpd_load has succeeded: to be included in place of its own header.  One that is used and not
 * listed here does not link. */
#ifndef HTTP_MICROHTTPD_H
#define HTTP_MICROHTTPD_H

#include <microhttpd.h>

#include "http/library.h"

/* clang-format off */
#define HTTP_MICROHTTPD_FUNCTIONS(X) \
    X(MHD_add_response_header) \
    X(MHD_create_response_from_buffer) \
    X(MHD_destroy_response) \
    X(MHD_get_connection_info) \
    X(MHD_get_connection_values) \
    X(MHD_get_daemon_info) \
    X(MHD_lookup_connection_value) \
    X(MHD_queue_response) \
    X(MHD_quiesce_daemon) \
    X(MHD_resume_connection) \
    X(MHD_start_daemon) \
    X(MHD_stop_daemon) \
    X(MHD_suspend_connection)
/* clang-format on */

extern struct http_microhttpd {
    HTTP_MICROHTTPD_FUNCTIONS(HTTP_MEMBER)
} http_microhttpd;

/* HEAPTAP_SYSTEM where there is no such library. */
enum heaptap_status http_microhttpd_load(struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#define MHD_add_response_header http_microhttpd.MHD_add_response_header
#define MHD_create_response_from_buffer http_microhttpd.MHD_create_response_from_buffer
#define MHD_destroy_response http_microhttpd.MHD_destroy_response
#define MHD_get_connection_info http_microhttpd.MHD_get_connection_info
#define MHD_get_connection_values http_microhttpd.MHD_get_connection_values
#define MHD_get_daemon_info http_microhttpd.MHD_get_daemon_info
#define MHD_lookup_connection_value http_microhttpd.MHD_lookup_connection_value
#define MHD_queue_response http_microhttpd.MHD_queue_response
#define MHD_quiesce_daemon http_microhttpd.MHD_quiesce_daemon
#define MHD_resume_connection http_microhttpd.MHD_resume_connection
#define MHD_start_daemon http_microhttpd.MHD_start_daemon
#define MHD_stop_daemon http_microhttpd.MHD_stop_daemon
#define MHD_suspend_connection http_microhttpd.MHD_suspend_connection

#endif
