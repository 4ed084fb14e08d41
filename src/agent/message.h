/* A message of a client as JSON. */
#ifndef AGENT_MESSAGE_H
#define AGENT_MESSAGE_H

#include <jansson.h>
#include <stddef.h>

/* New; NULL with `wrong` where it is no JSON.  Bytes that are no UTF-8, and halves of surrogate pairs, which a client leaves that cuts
 * a text anywhere, become U+FFFD: so a request with such has an answer by its id. */
json_t *message_read(const char *bytes, size_t size, json_error_t *wrong);

#endif
