/* The end of reading a profile that is one JSON document. */
#ifndef FORMAT_IMPORT_JSON_PROFILE_H
#define FORMAT_IMPORT_JSON_PROFILE_H

#include "format/import/json_reader.h"
#include "profile/list/profile_builder.h"

/* Ends the document and the profile that was built of it, and releases both.  `*result` is the caller's; NULL where
 * something was wrong. */
enum heaptap_status json_profile_end(struct json_reader *json, struct profile_builder *builder,
                                     struct model **result, struct heaptap_error *error);

/* Reads the value of the member of spec/own_member.h.  What the values are is the profile's only sample type; of a format that has
 * several, each with its own name, it says nothing more. */
void json_profile_own_member(struct json_reader *json, struct profile_builder *builder);

#endif
