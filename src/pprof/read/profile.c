#include "pprof/read/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stop_reason.h"
#include "spec/pprof_fields.h"
#include "pprof/read/wire.h"
#include "trace/whole.h"

/* Goes over the profile's fields as far as they are there, without looking into them.  The context
 * is the offset of the first one that has not been seen. */
static enum heaptap_status check_fields(void *context, const uint8_t *data, size_t size,
                                        struct heaptap_error *error)
{
    enum { HEAD_MAX = 32 }; /* bytes of two numbers, and more */
    uint64_t *next = context;
    while (*next + HEAD_MAX <= size) {
        struct wire wire = {data + *next, data + size, data};
        struct wire_field field;
        uint64_t content = 0;
        enum heaptap_status status = wire_tag(&wire, &field, error);
        if (status == HEAPTAP_OK && (field.type == WIRE_VARINT || field.type == WIRE_BYTES))
            status = wire_varint(&wire, &content, error);
        if (status != HEAPTAP_OK)
            return status;
        *next = wire_offset(&wire);
        if (field.type == WIRE_BYTES && __builtin_add_overflow(*next, content, next))
            return error_at(error, field.offset, "a field of %llu bytes begins here",
                            (unsigned long long)content);
        *next += field.type == WIRE_FIXED_64 ? 8 : field.type == WIRE_FIXED_32 ? 4 : 0;
    }
    return HEAPTAP_OK;
}

enum heaptap_status pprof_read(struct model **model, struct input *input,
                               struct heaptap_error *error)
{
    uint8_t *data = NULL;
    size_t size = 0;
    uint64_t next = 0;
    *model = NULL;
    enum heaptap_status status = whole_read(&data, &size, input, check_fields, &next, error);
    if (status == HEAPTAP_OK)
        status = pprof_decode(model, data, size, error);
    free(data);
    return status;
}

bool pprof_looks_like_one(const uint8_t *bytes, size_t size)
{
    /* A sample type to begin with, or, as Go has it, that of the period: a short message whose first field is 1 or 2. */
    return size >= 3 &&
           (bytes[0] == (PROFILE_SAMPLE_TYPE << 3 | WIRE_BYTES) ||
            bytes[0] == (PROFILE_PERIOD_TYPE << 3 | WIRE_BYTES)) &&
           bytes[1] >= 2 && bytes[1] < 64 && (bytes[2] == 0x08 || bytes[2] == 0x10);
}

static bool tells_lack(const char *comment)
{
    static const char *const said[] = {PPROF_ENDED_EARLY, PPROF_DROPPED,      PPROF_CUT,
                                       PPROF_UNFINISHED,  PPROF_MADE_OF_PART, STOP_PART,
                                       STOP_UNFINISHED};
    bool tells = false;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        tells |= strncmp(comment, said[i], strlen(said[i])) == 0;
    return tells;
}

const char *pprof_next_lack(const struct model *model, size_t *at)
{
    while (*at < model->file->comment_count) {
        const char *comment = model->file->comments[(*at)++];
        if (tells_lack(comment))
            return comment;
    }
    return NULL;
}
