#include "net/curl.h"

NET_LIBRARY(net_curl, LIBCURL, NET_CURL_FUNCTIONS)
