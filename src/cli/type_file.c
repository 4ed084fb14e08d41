#include "cli/type_file.h"

#include <stdio.h>

#include "base/hex.h"
#include "heaptap/trace.h"
#include "symbol/dwarf_types.h"

static size_t build_id_of(uint8_t id[HEAPTAP_BUILD_ID_MAX], const char *text)
{
    size_t size = 0;
    for (; size < HEAPTAP_BUILD_ID_MAX; size++, text += 2) {
        int high = hex_digit(text[0]), low = high >= 0 ? hex_digit(text[1]) : -1;
        if (low < 0)
            break;
        id[size] = (uint8_t)(high * 16 + low);
    }
    return size;
}

static bool find(struct debug_file *file, const struct report_type_question *question,
                 struct report_type *type)
{
    uint64_t bias;
    struct dwarf_type found;
    if (!file->dwfl ||
        !debug_file_load_bias(file, question->start, question->size, question->file_offset, &bias))
        return false;
    debug_file_find_dwarf(file);
    if (!dwarf_type_find(file, question->address - bias, question->name, &found))
        return false;
    snprintf(type->name, sizeof type->name, "%s", found.name);
    type->bytes = found.bytes;
    return true;
}

bool type_file_find(const struct report_type_question *question, struct report_type *type)
{
    uint8_t id[HEAPTAP_BUILD_ID_MAX];
    size_t size = build_id_of(id, question->build_id);
    struct debug_path path;
    struct debug_file file = {0};
    if (debug_path_init(&path, NULL, 0, NULL) != HEAPTAP_OK)
        return false;
    bool done = debug_file_open(&file, question->path, id, size, &path) != DEBUG_FILE_NO_MEMORY &&
                find(&file, question, type);
    debug_file_close(&file);
    debug_path_release(&path);
    return done;
}
