#include "format/import/json_profile.h"

#include <string.h>

#include "base/error.h"
#include "spec/own_member.h"
#include "spec/pprof_fields.h"

enum heaptap_status json_profile_end(struct json_reader *json, struct profile_builder *builder,
                                     struct model **result, struct heaptap_error *error)
{
    enum heaptap_status status = json_reader_end(json);
    *result =
        status == HEAPTAP_OK ? profile_builder_finish(builder, json_reader_offset(json)) : NULL;
    if (status == HEAPTAP_OK && !*result)
        status = error_no_memory(error);
    json_reader_release(json);
    profile_builder_release(builder);
    return status;
}

/* The name or the unit of the value type, of a profile with one. */
static void read_text(struct json_reader *json, struct model *model, bool is_unit)
{
    const char *text = names_copy(&model->names, json_reader_string(json));
    if (!text)
        json_reader_fail_memory(json);
    else if (model->samples.type_count == 1)
        *(is_unit ? &model->samples.types->unit : &model->samples.types->name) = text;
}

/* Another tool may have a member of that name: what isn't as heaptap writes it is passed over.  False where it is. */
static bool read_own(struct json_reader *json, struct model *model, const char *key)
{
    char first = json_reader_peek(json);
    bool is_text = first == '"', is_truth = first == 't' || first == 'f';
    if (is_text && strcmp(key, OWN_MEMBER_SAMPLE) == 0)
        read_text(json, model, false);
    else if (is_text && strcmp(key, OWN_MEMBER_UNIT) == 0)
        read_text(json, model, true);
    else if (!is_truth || strcmp(key, OWN_MEMBER_COMPLETE) != 0)
        return false;
    else if (!json_reader_truth(json) && json->status == HEAPTAP_OK &&
             !profile_add_comment(model, PPROF_MADE_OF_PART))
        json_reader_fail_memory(json);
    return true;
}

void json_profile_own_member(struct json_reader *json, struct profile_builder *builder)
{
    const char *key;
    if (json_reader_peek(json) != '{') {
        json_reader_skip(json);
        return;
    }
    for (json_reader_object(json); (key = json_reader_key(json));)
        if (!read_own(json, builder->model, key))
            json_reader_skip(json);
}
