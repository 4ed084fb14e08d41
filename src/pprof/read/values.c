#include "pprof/read/decoding.h"

#include "base/error.h"

enum heaptap_status pprof_take_message(struct pprof_decoding *decoding, struct wire wire,
                                       pprof_take_field *take, void *to)
{
    struct wire_field field;
    enum heaptap_status status;
    while ((status = wire_next(&wire, &field, decoding->error)) == HEAPTAP_OK) {
        status = take(decoding, &field, to);
        if (status != HEAPTAP_OK)
            return status;
    }
    return status == HEAPTAP_END ? HEAPTAP_OK : status;
}

enum heaptap_status pprof_expect(struct pprof_decoding *decoding, const struct wire_field *field,
                                 enum wire_type type, const char *what)
{
    if (field->type == type)
        return HEAPTAP_OK;
    return error_at(decoding->error, field->offset, "%s has wire type %u; expected %u", what,
                    (unsigned)field->type, (unsigned)type);
}

enum heaptap_status pprof_number(struct pprof_decoding *decoding, const struct wire_field *field,
                                 const char *what, uint64_t *to)
{
    *to = field->value;
    return pprof_expect(decoding, field, WIRE_VARINT, what);
}

enum heaptap_status pprof_integer(struct pprof_decoding *decoding, const struct wire_field *field,
                                  const char *what, int64_t *to)
{
    *to = (int64_t)field->value;
    return pprof_expect(decoding, field, WIRE_VARINT, what);
}

enum heaptap_status pprof_truth(struct pprof_decoding *decoding, const struct wire_field *field,
                                const char *what, bool *to)
{
    *to = field->value != 0;
    return pprof_expect(decoding, field, WIRE_VARINT, what);
}

enum heaptap_status pprof_string_at(struct pprof_decoding *decoding, uint64_t value,
                                    uint64_t offset, const char *what, const char **to)
{
    const struct pprof *pprof = decoding->pprof;
    if (value >= pprof->string_count)
        return error_at(decoding->error, offset, "%s is string %lld, but there are %zu", what,
                        (long long)value, pprof->string_count);
    *to = pprof->strings[value];
    return HEAPTAP_OK;
}

enum heaptap_status pprof_string(struct pprof_decoding *decoding, const struct wire_field *field,
                                 const char *what, const char **to)
{
    enum heaptap_status status = pprof_expect(decoding, field, WIRE_VARINT, what);
    return status == HEAPTAP_OK ? pprof_string_at(decoding, field->value, field->offset, what, to)
                                : status;
}
