#include "report/advice/cpp_type.h"

#include <stdio.h>
#include <string.h>

#include "base/affix.h"
#include "base/code.h"
#include "report/advice/cpp_call.h"
#include "report/sites/name_letter.h"

enum { NAME_BYTES = 128 };

/* "shop::Event" of `new shop::Event(7)`, `std::make_unique<shop::Event>(7)`; "" for none. */
static void name_on(char name[NAME_BYTES], const char *code)
{
    static const char *const words[] = {"new ", "make_unique<", "make_shared<", "allocate_shared<"};
    static const char letters[] = NAME_LETTERS ":";
    *name = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words && !*name; i++) {
        const char *at = strstr(code, words[i]);
        const char *type = at ? at + strlen(words[i]) : "";
        type += strspn(type, " ");
        type += begins_with(type, "(std::nothrow) ") ? 15 : 0;
        type += begins_with(type, "const ") ? 6 : 0;
        type += begins_with(type, "struct ") ? 7 : 0;
        type += strspn(type, ":");
        snprintf(name, NAME_BYTES, "%.*s", (int)strspn(type, letters), type);
    }
}

/* The frame of the stack whose function, or one inlined into it, the place is in; NULL for none. */
static const struct model_frame *frame_of(const struct evidence *evidence)
{
    const struct model *model = evidence->sites->model;
    for (uint32_t node = model->trie.ends[evidence->stack]; node != STACK_ROOT;
         node = model->trie.nodes[node].parent) {
        const struct model_frame *frame = &model->frames[model->trie.nodes[node].frame];
        const struct heaptap_location *lines = model->lines + frame->first_line;
        if (evidence->place >= lines && evidence->place < lines + frame->line_count)
            return frame;
    }
    return NULL;
}

/* make_shared's blocks have the counts, a pointer and two numbers, in front of the object. */
static bool has_size(const struct evidence *evidence, uint64_t bytes)
{
    static const uint64_t counts = 16;
    uint64_t block = evidence->figures->common_bytes;
    bool is_joined = strstr(evidence->code, "_shared<");
    return block == (is_joined ? (bytes + counts + 7) / 8 * 8 : bytes);
}

bool cpp_type_of(const struct evidence *evidence, struct report_type *type)
{
    char name[NAME_BYTES];
    const struct model *model = evidence->sites->model;
    const struct model_frame *frame;
    name_on(name, evidence->code);
    if (!*name || !cpp_is_own(evidence) || !evidence->sources || !evidence->sources->type ||
        !(frame = frame_of(evidence)) || frame->module == MODEL_NONE)
        return false;
    const struct model_module *module = &model->modules[frame->module];
    struct report_type_question question = {
        module->path,        module->build_id,          module->start, module->size,
        module->file_offset, code_address(frame->code), name};
    return evidence->sources->type(&question, type) && has_size(evidence, type->bytes);
}
