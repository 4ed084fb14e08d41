#include "net/tls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/gnutls.h"

/* What is read, and made of it. */
struct pair {
    gnutls_datum_t certificate, key; /* bytes of the files, with a 0 after them */
    gnutls_x509_crt_t *chain;
    unsigned count;
    gnutls_x509_privkey_t private;
};

static enum heaptap_status load(gnutls_datum_t *bytes, const char *path,
                                struct heaptap_error *error)
{
    errno = 0;
    if (gnutls_load_file(path, bytes) == 0)
        return HEAPTAP_OK;
    if (errno == 0)
        errno = EIO;
    return error_system(error, "cannot read it");
}

static enum heaptap_status parse_certificate(struct pair *pair, struct heaptap_error *error)
{
    int code = gnutls_x509_crt_list_import2(&pair->chain, &pair->count, &pair->certificate,
                                            GNUTLS_X509_FMT_PEM, 0);
    if (code >= 0 && pair->count > 0)
        return HEAPTAP_OK;
    return error_set(error, HEAPTAP_BAD_ARGUMENT,
                     "there is no certificate in it (-----BEGIN CERTIFICATE-----), or a damaged "
                     "one");
}

static enum heaptap_status parse_key(struct pair *pair, struct heaptap_error *error)
{
    if (gnutls_x509_privkey_init(&pair->private) < 0)
        return error_no_memory(error);
    int code = gnutls_x509_privkey_import2(pair->private, &pair->key, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (code >= 0)
        return HEAPTAP_OK;
    if (code == GNUTLS_E_DECRYPTION_FAILED)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "the key in it is encrypted: decrypt it, with openssl pkey, into a file "
                         "that nobody else can read");
    return error_set(error, HEAPTAP_BAD_ARGUMENT,
                     "there is no private key in it (-----BEGIN PRIVATE KEY-----), or a damaged "
                     "one");
}

static enum heaptap_status match(const struct pair *pair, const char *certificate,
                                 struct heaptap_error *error)
{
    gnutls_certificate_credentials_t both;
    if (gnutls_certificate_allocate_credentials(&both) < 0)
        return error_no_memory(error);
    int code = gnutls_certificate_set_x509_key(both, pair->chain, (int)pair->count, pair->private);
    gnutls_certificate_free_credentials(both);
    if (code >= 0)
        return HEAPTAP_OK;
    if (code == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "it is not the key of the certificate in %.100s", certificate);
    return error_set(error, HEAPTAP_BAD_ARGUMENT, "it cannot be used with %.100s: %.100s",
                     certificate, gnutls_strerror(code));
}

static enum heaptap_status read_pair(struct pair *pair, const char *certificate, const char *key,
                                     const char **where, struct heaptap_error *error)
{
    *where = certificate;
    enum heaptap_status status = net_gnutls_load(error);
    if (status != HEAPTAP_OK)
        return status;
    status = load(&pair->certificate, certificate, error);
    if (status == HEAPTAP_OK)
        status = parse_certificate(pair, error);
    if (status != HEAPTAP_OK)
        return status;
    *where = key;
    status = load(&pair->key, key, error);
    if (status == HEAPTAP_OK)
        status = parse_key(pair, error);
    return status == HEAPTAP_OK ? match(pair, certificate, error) : status;
}

/* The bytes of files that are needed no more. */
static void drop(gnutls_datum_t *bytes)
{
    if (!bytes->data)
        return;
    gnutls_memset(bytes->data, 0, bytes->size);
    gnutls_free(bytes->data);
}

static void release(struct pair *pair)
{
    for (unsigned i = 0; i < pair->count; i++)
        gnutls_x509_crt_deinit(pair->chain[i]);
    if (pair->chain)
        gnutls_free(pair->chain);
    if (pair->private)
        gnutls_x509_privkey_deinit(pair->private);
    drop(&pair->certificate);
    drop(&pair->key);
}

enum heaptap_status net_tls_read(struct net_tls *tls, const char *certificate, const char *key,
                                 const char **where, struct heaptap_error *error)
{
    struct pair pair = {0};
    *tls = (struct net_tls){0};
    enum heaptap_status status = read_pair(&pair, certificate, key, where, error);
    if (status == HEAPTAP_OK) {
        tls->expires = gnutls_x509_crt_get_expiration_time(pair.chain[0]);
        tls->certificate = strdup((const char *)pair.certificate.data);
        tls->key = strdup((const char *)pair.key.data);
        if (!tls->certificate || !tls->key)
            status = error_no_memory(error);
    }
    release(&pair);
    if (status != HEAPTAP_OK)
        net_tls_release(tls);
    return status;
}

void net_tls_release(struct net_tls *tls)
{
    free(tls->certificate);
    if (tls->key)
        explicit_bzero(tls->key, strlen(tls->key));
    free(tls->key);
    *tls = (struct net_tls){0};
}
