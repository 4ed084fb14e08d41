#include "net/microhttpd.h"

NET_LIBRARY(net_microhttpd, LIBMICROHTTPD, NET_MICROHTTPD_FUNCTIONS)
