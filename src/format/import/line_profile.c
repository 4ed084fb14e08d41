#include "format/import/line_profile.h"

#include "base/error.h"
#include "format/import/maps_line.h"
#include "spec/pprof_fields.h"

static enum heaptap_status take_module(struct line_profile *reading, char *line)
{
    return maps_line_add(&reading->builder, line) ? HEAPTAP_OK : error_no_memory(reading->error);
}

static enum heaptap_status read_lines(struct line_profile *reading,
                                      const struct line_profile_format *format)
{
    char *line;
    size_t size;
    bool is_head = format->take_head;
    enum heaptap_status status;
    while ((status = lines_next(&reading->lines, &line, &size, reading->error)) == HEAPTAP_OK) {
        status = is_head               ? format->take_head(reading, line, size)
                 : reading->in_modules ? take_module(reading, line)
                                       : format->take_line(reading, line, size);
        if (status != HEAPTAP_OK)
            return status;
        is_head = false;
    }
    if (status == HEAPTAP_END && is_head)
        return error_at(reading->error, 0, "this is empty");
    return status != HEAPTAP_END ? status : format->end ? format->end(reading) : HEAPTAP_OK;
}

/* NULL where it isn't. */
static const char *why_cut(const struct line_profile *reading,
                           const struct line_profile_format *format)
{
    return reading->lines.is_cut && !format->is_loose ? PPROF_ENDED_EARLY
               "the file is cut: its last line has no end"
           : reading->lacks_end ? PPROF_ENDED_EARLY
               "the file is cut: lines have to follow its last one"
           : reading->met < reading->announced ? PPROF_ENDED_EARLY
               "the file is cut: its stacks have fewer blocks than it says first"
                                               : NULL;
}

static bool note_cut(const struct line_profile *reading, const struct line_profile_format *format,
                     struct model *profile)
{
    const char *why = why_cut(reading, format);
    return !why || profile_add_comment(profile, why);
}

enum heaptap_status line_profile_read(struct line_profile *reading,
                                      const struct line_profile_format *format, struct input *input,
                                      struct model **result, struct heaptap_error *error)
{
    *result = NULL;
    reading->error = error;
    reading->in_modules = false;
    lines_init(&reading->lines, input);
    reading->lines.are_kept = true;
    bool has_begun = profile_builder_init(&reading->builder, format->name) &&
                     (!format->begin || format->begin(reading));
    enum heaptap_status status = has_begun ? read_lines(reading, format) : error_no_memory(error);
    if (status == HEAPTAP_OK) {
        *result = profile_builder_finish(&reading->builder, reading->lines.next_offset);
        status = *result ? HEAPTAP_OK : error_no_memory(error);
    }
    if (*result && format->finish)
        format->finish(reading, *result);
    if (*result && !note_cut(reading, format, *result)) {
        model_free(*result);
        *result = NULL;
        status = error_no_memory(error);
    }
    lines_release(&reading->lines);
    profile_builder_release(&reading->builder);
    return status;
}
