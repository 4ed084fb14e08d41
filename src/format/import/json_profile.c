#include "format/import/json_profile.h"

#include "base/error.h"

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
