#include "trace/whole.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"

enum { STEP = 256 << 10 };

enum heaptap_status whole_check_size(const struct input *input, uint64_t size,
                                     struct heaptap_error *error)
{
    bool is_plain = strcmp(input_compression(input), "none") == 0;
    if (is_plain || size < WHOLE_FREE_BYTES ||
        size / WHOLE_RATIO_MAX <= input_consumed_bytes(input))
        return HEAPTAP_OK;
    return error_at(
        error, size,
        "it unpacks to more than %d times its size, which no profile does; if it is one, "
        "decompress it first, and give that file",
        WHOLE_RATIO_MAX);
}

enum heaptap_status whole_read(uint8_t **data, size_t *size, struct input *input,
                               whole_check *check, void *context, struct heaptap_error *error)
{
    size_t capacity = 0, got = 0;
    enum heaptap_status status;
    *data = NULL;
    *size = 0;
    do {
        status = ARRAY_RESERVE(data, &capacity, *size + STEP)
                     ? input_read(input, *data + *size, capacity - *size, &got, error)
                     : error_no_memory(error);
        if (status != HEAPTAP_OK)
            return status;
        *size += got;
        status = whole_check_size(input, *size, error);
        if (status == HEAPTAP_OK && check)
            status = check(context, *data, *size, error);
    } while (status == HEAPTAP_OK && got > 0);
    return status;
}
