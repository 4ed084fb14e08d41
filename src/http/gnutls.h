/* libgnutls's functions, once http_gnutls_load has succeeded: to be included in place of its own header.  One that is used and not
 * listed here does not link. */
#ifndef HTTP_GNUTLS_H
#define HTTP_GNUTLS_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "http/library.h"

#undef gnutls_free

/* clang-format off */
#define HTTP_GNUTLS_FUNCTIONS(X) \
    X(gnutls_certificate_allocate_credentials) \
    X(gnutls_certificate_free_credentials) \
    X(gnutls_certificate_set_x509_key) \
    X(gnutls_free) \
    X(gnutls_load_file) \
    X(gnutls_memset) \
    X(gnutls_strerror) \
    X(gnutls_x509_crt_deinit) \
    X(gnutls_x509_crt_get_expiration_time) \
    X(gnutls_x509_crt_list_import2) \
    X(gnutls_x509_privkey_deinit) \
    X(gnutls_x509_privkey_import2) \
    X(gnutls_x509_privkey_init)
/* clang-format on */

extern struct http_gnutls {
    HTTP_GNUTLS_FUNCTIONS(HTTP_MEMBER)
} http_gnutls;

/* HEAPTAP_SYSTEM where there is no such library. */
enum heaptap_status http_gnutls_load(struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#define gnutls_certificate_allocate_credentials http_gnutls.gnutls_certificate_allocate_credentials
#define gnutls_certificate_free_credentials http_gnutls.gnutls_certificate_free_credentials
#define gnutls_certificate_set_x509_key http_gnutls.gnutls_certificate_set_x509_key
#define gnutls_free (*http_gnutls.gnutls_free) /* a variable */
#define gnutls_load_file http_gnutls.gnutls_load_file
#define gnutls_memset http_gnutls.gnutls_memset
#define gnutls_strerror http_gnutls.gnutls_strerror
#define gnutls_x509_crt_deinit http_gnutls.gnutls_x509_crt_deinit
#define gnutls_x509_crt_get_expiration_time http_gnutls.gnutls_x509_crt_get_expiration_time
#define gnutls_x509_crt_list_import2 http_gnutls.gnutls_x509_crt_list_import2
#define gnutls_x509_privkey_deinit http_gnutls.gnutls_x509_privkey_deinit
#define gnutls_x509_privkey_import2 http_gnutls.gnutls_x509_privkey_import2
#define gnutls_x509_privkey_init http_gnutls.gnutls_x509_privkey_init

#endif
