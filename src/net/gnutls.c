#include "net/gnutls.h"

NET_LIBRARY(net_gnutls, LIBGNUTLS, NET_GNUTLS_FUNCTIONS)
