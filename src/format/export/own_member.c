#include "spec/own_member.h"

#include "answer/json.h"
#include "format/export/stack_lines.h"

void export_put_own_member(struct json *json, const struct export_head *head)
{
    json_begin_object(json);
    json_put_string(json, OWN_MEMBER_SAMPLE, head->sample);
    json_put_string(json, OWN_MEMBER_UNIT, head->unit);
    json_put_bool(json, OWN_MEMBER_COMPLETE, head->is_complete);
    json_end(json);
}
