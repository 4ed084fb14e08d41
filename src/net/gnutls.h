/* libgnutls's functions, once net_gnutls_load has succeeded: to be included in place of its own header.  One that is used and not
 * listed here does not link. */
#ifndef NET_GNUTLS_H
#define NET_GNUTLS_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "net/library.h"

#undef gnutls_free

/* clang-format off */
#define NET_GNUTLS_FUNCTIONS(X) \
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

extern struct net_gnutls {
    NET_GNUTLS_FUNCTIONS(NET_MEMBER)
} net_gnutls;

/* HEAPTAP_SYSTEM where there is no such library. */
enum heaptap_status net_gnutls_load(struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#define gnutls_certificate_allocate_credentials net_gnutls.gnutls_certificate_allocate_credentials
#define gnutls_certificate_free_credentials net_gnutls.gnutls_certificate_free_credentials
#define gnutls_certificate_set_x509_key net_gnutls.gnutls_certificate_set_x509_key
#define gnutls_free (*net_gnutls.gnutls_free) /* a variable */
#define gnutls_load_file net_gnutls.gnutls_load_file
#define gnutls_memset net_gnutls.gnutls_memset
#define gnutls_strerror net_gnutls.gnutls_strerror
#define gnutls_x509_crt_deinit net_gnutls.gnutls_x509_crt_deinit
#define gnutls_x509_crt_get_expiration_time net_gnutls.gnutls_x509_crt_get_expiration_time
#define gnutls_x509_crt_list_import2 net_gnutls.gnutls_x509_crt_list_import2
#define gnutls_x509_privkey_deinit net_gnutls.gnutls_x509_privkey_deinit
#define gnutls_x509_privkey_import2 net_gnutls.gnutls_x509_privkey_import2
#define gnutls_x509_privkey_init net_gnutls.gnutls_x509_privkey_init

#endif
