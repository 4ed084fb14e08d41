#include "cli/pprof_input.h"

#include <string.h>

#include "base/affix.h"
#include "cli/cli.h"
#include "cli/trace_open.h"
#include "format/import/file_format.h"
#include "profile/list/merge.h"
#include "pprof/symbolize/symbolize.h"
#include "spec/pprof_fields.h"

static enum heaptap_status take_model(struct model **model, struct profile_input *profile,
                                      struct heaptap_error *error)
{
    if (profile->file)
        return file_format_read(model, profile->file, error);
    *model = profile->model;
    profile->model = NULL;
    return HEAPTAP_OK;
}

/* A file of another profiler that is cut is no recording of ours that ended early. */
static const char *told_as(const char *lack)
{
    bool is_cut = begins_with(lack, PPROF_ENDED_EARLY "the file is cut: ");
    return is_cut ? lack + strlen(PPROF_ENDED_EARLY) : lack;
}

/* What a trace's metadata say, a profile's comments do. */
static void take_lacks(struct trace_input *input, const struct model *model)
{
    size_t at = 0;
    for (const char *lack; (lack = pprof_next_lack(model, &at));) {
        input->lacks_a_part = true;
        if (!input->quiet)
            cli_warn("%s: note: %s", trace_input_subject(input), told_as(lack));
    }
}

struct model *pprof_input_read(struct trace_input *input, struct profile_input *profile)
{
    struct heaptap_error error;
    struct model *model;
    if (take_model(&model, profile, &error) == HEAPTAP_OK) {
        take_lacks(input, model);
        return model;
    }
    input->exit_status = cli_fail(trace_input_subject(input), &error);
    return NULL;
}

struct model *pprof_input_read_named(struct trace_input *input, struct profile_input *profile)
{
    struct model *model = pprof_input_read(input, profile);
    if (!model || symbolize_pprof_quietly(model))
        return model;
    cli_warn("%s: out of memory", trace_input_subject(input));
    input->exit_status = CLI_FAILED;
    model_free(model);
    return NULL;
}

static struct model *read_one(struct trace_input *input, struct profile_input *profile,
                              const struct input_names *names)
{
    return names->is_unnamed ? pprof_input_read(input, profile)
                             : pprof_input_read_named(input, profile);
}

/* One of several, after the first: without single blocks. */
static struct model *read_next(struct trace_input *input, const char *path,
                               const struct input_names *names)
{
    struct heaptap_reader_options how = {.only_allocations = true};
    struct profile_input profile;
    if (!trace_input_open_any(input, &(struct input_names){path}, &how, &profile))
        return NULL;
    input->quiet = names->is_known;
    if (!profile_input_is_open(&profile)) {
        cli_warn("%s: this is a trace: it can't be read as one with profiles, whose values have no "
                 "times; `heaptap pprof` makes profiles of traces",
                 trace_input_subject(input));
        trace_input_close(input);
        input->exit_status = CLI_USAGE;
        return NULL;
    }
    struct model *model = read_one(input, &profile, names);
    profile_input_close(&profile);
    return model;
}

static bool merge_one(struct model *model, struct trace_input *input, const char *path,
                      const struct input_names *names)
{
    struct trace_input other;
    struct heaptap_error error;
    struct model *from = read_next(&other, path, names);
    bool done = from && profile_merge(model, from, &error) == HEAPTAP_OK;
    input->lacks_a_part |= other.lacks_a_part;
    if (!done)
        input->exit_status =
            from ? cli_fail(trace_input_subject(&other), &error) : other.exit_status;
    model_free(from);
    return done;
}

struct model *pprof_input_read_many(struct trace_input *input, struct profile_input *first,
                                    const struct input_names *names)
{
    struct input_files files;
    bool done = input_files_find(&files, names, NULL);
    struct model *model = done ? read_one(input, first, names) : NULL;
    for (size_t i = 1; model && i < files.count; i++) {
        if (!merge_one(model, input, files.paths[i], names)) {
            model_free(model);
            model = NULL;
        }
    }
    input_files_release(&files);
    return model;
}
