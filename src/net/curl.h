/* libcurl's functions, once net_curl_load has succeeded: to be included in place of its own header.  One that is used and not
 * listed here does not link. */
#ifndef NET_CURL_H
#define NET_CURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "net/library.h"

#undef curl_easy_getinfo
#undef curl_easy_setopt

/* clang-format off */
#define NET_CURL_FUNCTIONS(X) \
    X(curl_easy_cleanup) \
    X(curl_easy_escape) \
    X(curl_easy_getinfo) \
    X(curl_easy_init) \
    X(curl_easy_perform) \
    X(curl_easy_setopt) \
    X(curl_easy_strerror) \
    X(curl_free) \
    X(curl_multi_add_handle) \
    X(curl_multi_cleanup) \
    X(curl_multi_info_read) \
    X(curl_multi_init) \
    X(curl_multi_perform) \
    X(curl_multi_poll) \
    X(curl_multi_remove_handle) \
    X(curl_multi_wakeup) \
    X(curl_slist_append) \
    X(curl_slist_free_all)
/* clang-format on */

extern struct net_curl {
    NET_CURL_FUNCTIONS(NET_MEMBER)
} net_curl;

/* HEAPTAP_SYSTEM where there is no such library. */
enum heaptap_status net_curl_load(struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#define curl_easy_cleanup net_curl.curl_easy_cleanup
#define curl_easy_escape net_curl.curl_easy_escape
#define curl_easy_getinfo net_curl.curl_easy_getinfo
#define curl_easy_init net_curl.curl_easy_init
#define curl_easy_perform net_curl.curl_easy_perform
#define curl_easy_setopt net_curl.curl_easy_setopt
#define curl_easy_strerror net_curl.curl_easy_strerror
#define curl_free net_curl.curl_free
#define curl_multi_add_handle net_curl.curl_multi_add_handle
#define curl_multi_cleanup net_curl.curl_multi_cleanup
#define curl_multi_info_read net_curl.curl_multi_info_read
#define curl_multi_init net_curl.curl_multi_init
#define curl_multi_perform net_curl.curl_multi_perform
#define curl_multi_poll net_curl.curl_multi_poll
#define curl_multi_remove_handle net_curl.curl_multi_remove_handle
#define curl_multi_wakeup net_curl.curl_multi_wakeup
#define curl_slist_append net_curl.curl_slist_append
#define curl_slist_free_all net_curl.curl_slist_free_all

#endif
