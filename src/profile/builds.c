#include "profile/builds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/path.h"

/* The first digits of a build id are enough to be read, and mostly to tell it from others. */
enum { SHORT_DIGITS = 8 };

static void need_digits(int *digits, const char *id, const char *other)
{
    bool is_short = strncmp(id, other, SHORT_DIGITS) != 0;
    int needed = is_short ? SHORT_DIGITS : (int)strlen(id);
    *digits = *id && needed > *digits ? needed : *digits;
}

/* By module, how many digits of its build id are told; 0 where the file is of one build only, or has no id.  Each is compared
 * with the first of that name. */
static int *find_digits(struct model *model)
{
    struct map first = {0};
    int *digits = calloc(model->module_count + 1, sizeof *digits);
    bool done = digits, fresh;
    for (size_t i = 0; done && i < model->module_count; i++) {
        const char *name = model_text(model, path_file(model->modules[i].path));
        uint32_t *number =
            name ? map_put(&first, (uint64_t)(uintptr_t)name, (uint32_t)i, &fresh) : NULL;
        const char *id = model->modules[i].build_id;
        const char *other = number ? model->modules[*number].build_id : id;
        done = number;
        if (other == id)
            continue;
        need_digits(&digits[i], id, other);
        need_digits(&digits[*number], other, id);
    }
    map_release(&first);
    if (!done)
        free(digits);
    return done ? digits : NULL;
}

static bool tell_build(struct model *model, uint32_t number, int digits)
{
    struct model_frame *frame = &model->frames[number];
    struct heaptap_location line = model->lines[frame->first_line];
    char *told;
    if (ends_with(line.function, ")"))
        return true;
    if (asprintf(&told, "%s (build %.*s)", line.function, digits,
                 model->modules[frame->module].build_id) < 0)
        return false;
    line.function = told;
    frame->line_count = 0; /* lines may be shared with other frames */
    bool done = model_add_line(model, number, &line);
    free(told);
    return done;
}

bool builds_tell_apart(struct model *model)
{
    int *digits = find_digits(model);
    bool done = digits;
    for (uint32_t i = 0; done && i < model->frame_count; i++) {
        const struct model_frame *frame = &model->frames[i];
        bool is_place = frame->module != MODEL_NONE && digits[frame->module] > 0 &&
                        frame->line_count == 1 &&
                        ends_with_offset(model->lines[frame->first_line].function);
        if (is_place)
            done = tell_build(model, i, digits[frame->module]);
    }
    free(digits);
    return done;
}
