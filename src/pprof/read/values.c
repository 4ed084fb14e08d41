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

enum heaptap_status pprof_string_at(struct pprof_decoding *decoding, uint64_t value,
                                    uint64_t offset, const char *what, const char **to)
{
    if (value >= decoding->string_count)
        return error_at(decoding->error, offset, "%s is string %lld, but there are %zu", what,
                        (long long)value, decoding->string_count);
    *to = decoding->strings[value];
    return HEAPTAP_OK;
}

enum heaptap_status pprof_take_member(struct pprof_decoding *decoding,
                                      const struct wire_field *field, const pprof_fields fields,
                                      void *to)
{
    if (field->number >= PROFILE_FIELDS || fields[field->number].value == PPROF_OTHER)
        return HEAPTAP_OK;
    const struct pprof_field *known = &fields[field->number];
    void *member = (char *)to + known->member;
    enum heaptap_status status = pprof_expect(decoding, field, WIRE_VARINT, known->what);
    if (status != HEAPTAP_OK)
        return status;
    switch (known->value) {
    case PPROF_OTHER:
        break;
    case PPROF_ID:
        decoding->id = field->value;
        break;
    case PPROF_NUMBER:
        *(uint64_t *)member = field->value;
        break;
    case PPROF_INTEGER:
        *(int64_t *)member = (int64_t)field->value;
        break;
    case PPROF_TRUTH:
        *(bool *)member = field->value != 0;
        break;
    case PPROF_STRING:
        return pprof_string_at(decoding, field->value, field->offset, known->what, member);
    }
    return HEAPTAP_OK;
}

/* A structure, and the fields that go into it. */
struct members {
    const struct pprof_field *fields;
    void *to;
};

static enum heaptap_status take_member(struct pprof_decoding *decoding,
                                       const struct wire_field *field, void *to)
{
    const struct members *members = to;
    return pprof_take_member(decoding, field, members->fields, members->to);
}

enum heaptap_status pprof_take_members(struct pprof_decoding *decoding, struct wire wire,
                                       const pprof_fields fields, void *to)
{
    struct members members = {fields, to};
    return pprof_take_message(decoding, wire, take_member, &members);
}
