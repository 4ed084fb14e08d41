/* libcurl's functions, once http_curl_load has succeeded: to be included in place of its own header.  One that is used and not
 * listed here does not link. */
#ifndef HTTP_CURL_H
#define HTTP_CURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "http/library.h"

#undef curl_easy_getinfo
#undef curl_easy_setopt

/* clang-format off */
#define HTTP_CURL_FUNCTIONS(X) \
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

extern struct http_curl {
    HTTP_CURL_FUNCTIONS(HTTP_MEMBER)
} http_curl;

/* HEAPTAP_SYSTEM where there is no such library. */
enum heaptap_status http_curl_load(struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#define curl_easy_cleanup http_curl.curl_easy_cleanup
#define curl_easy_escape http_curl.curl_easy_escape
#define curl_easy_getinfo http_curl.curl_easy_getinfo
#define curl_easy_init http_curl.curl_easy_init
#define curl_easy_perform http_curl.curl_easy_perform
#define curl_easy_setopt http_curl.curl_easy_setopt
#define curl_easy_strerror http_curl.curl_easy_strerror
#define curl_free http_curl.curl_free
#define curl_multi_add_handle http_curl.curl_multi_add_handle
#define curl_multi_cleanup http_curl.curl_multi_cleanup
#define curl_multi_info_read http_curl.curl_multi_info_read
#define curl_multi_init http_curl.curl_multi_init
#define curl_multi_perform http_curl.curl_multi_perform
#define curl_multi_poll http_curl.curl_multi_poll
#define curl_multi_remove_handle http_curl.curl_multi_remove_handle
#define curl_multi_wakeup http_curl.curl_multi_wakeup
#define curl_slist_append http_curl.curl_slist_append
#define curl_slist_free_all http_curl.curl_slist_free_all

#endif
