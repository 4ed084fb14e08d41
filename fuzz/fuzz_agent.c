/* Any line at all, as a client of heaptap agent may send it: it is JSON, of which each text is UTF-8, or refused with a reason. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_error_t wrong = {.text = ""};
    json_t *message = message_read((const char *)data, size, &wrong);
    char *text = message ? json_dumps(message, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    json_t *again = text ? message_read(text, strlen(text), &wrong) : NULL;
    if (message ? !again || !json_equal(message, again) : !*wrong.text)
        abort();
    json_decref(again);
    json_decref(message);
    free(text);
    return 0;
}
