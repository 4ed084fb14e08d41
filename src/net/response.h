/* What a server answers, as HTTP. */
#ifndef NET_RESPONSE_H
#define NET_RESPONSE_H

#include "net/incoming.h"

/* Its answer, whose text is taken. */
enum MHD_Result response_send(struct incoming *incoming);

/* Its status and sentence. */
enum MHD_Result response_refuse(const struct incoming *incoming);

#endif
