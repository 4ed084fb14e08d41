/* libmicrohttpd's functions, once net_microhttpd_load has succeeded: to be included in place of its own header.  One that is used and not
 * listed here does not link. */
#ifndef NET_MICROHTTPD_H
#define NET_MICROHTTPD_H

#include <microhttpd.h>

#include "net/library.h"

/* clang-format off */
#define NET_MICROHTTPD_FUNCTIONS(X) \
    X(MHD_add_response_header) \
    X(MHD_basic_auth_get_username_password) \
    X(MHD_create_post_processor) \
    X(MHD_create_response_from_buffer) \
    X(MHD_destroy_post_processor) \
    X(MHD_destroy_response) \
    X(MHD_free) \
    X(MHD_get_connection_info) \
    X(MHD_get_connection_values) \
    X(MHD_get_daemon_info) \
    X(MHD_lookup_connection_value) \
    X(MHD_post_process) \
    X(MHD_queue_response) \
    X(MHD_quiesce_daemon) \
    X(MHD_resume_connection) \
    X(MHD_start_daemon) \
    X(MHD_stop_daemon) \
    X(MHD_suspend_connection)
/* clang-format on */

extern struct net_microhttpd {
    NET_MICROHTTPD_FUNCTIONS(NET_MEMBER)
} net_microhttpd;

/* HEAPTAP_SYSTEM where there is no such library. */
enum heaptap_status net_microhttpd_load(struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#define MHD_add_response_header net_microhttpd.MHD_add_response_header
#define MHD_basic_auth_get_username_password net_microhttpd.MHD_basic_auth_get_username_password
#define MHD_create_post_processor net_microhttpd.MHD_create_post_processor
#define MHD_create_response_from_buffer net_microhttpd.MHD_create_response_from_buffer
#define MHD_destroy_post_processor net_microhttpd.MHD_destroy_post_processor
#define MHD_destroy_response net_microhttpd.MHD_destroy_response
#define MHD_free net_microhttpd.MHD_free
#define MHD_get_connection_info net_microhttpd.MHD_get_connection_info
#define MHD_get_connection_values net_microhttpd.MHD_get_connection_values
#define MHD_get_daemon_info net_microhttpd.MHD_get_daemon_info
#define MHD_lookup_connection_value net_microhttpd.MHD_lookup_connection_value
#define MHD_post_process net_microhttpd.MHD_post_process
#define MHD_queue_response net_microhttpd.MHD_queue_response
#define MHD_quiesce_daemon net_microhttpd.MHD_quiesce_daemon
#define MHD_resume_connection net_microhttpd.MHD_resume_connection
#define MHD_start_daemon net_microhttpd.MHD_start_daemon
#define MHD_stop_daemon net_microhttpd.MHD_stop_daemon
#define MHD_suspend_connection net_microhttpd.MHD_suspend_connection

#endif
