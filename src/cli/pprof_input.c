#include "cli/pprof_input.h"

#include "cli/cli.h"
#include "cli/trace_open.h"
#include "format/import/file_format.h"
#include "pprof/read/merge.h"
#include "pprof/symbolize/symbolize.h"

struct pprof *pprof_input_read(struct trace_input *input, struct input *file)
{
    struct heaptap_error error;
    struct pprof *pprof;
    if (file_format_read(&pprof, file, &error) == HEAPTAP_OK) {
        input->lacks_a_part |= pprof_lacks_a_part(pprof);
        return pprof;
    }
    input->exit_status = cli_fail(trace_input_subject(input), &error);
    return NULL;
}

struct pprof *pprof_input_read_named(struct trace_input *input, struct input *file)
{
    struct pprof *pprof = pprof_input_read(input, file);
    if (!pprof || symbolize_pprof_quietly(pprof))
        return pprof;
    cli_warn("%s: out of memory", trace_input_subject(input));
    input->exit_status = CLI_FAILED;
    pprof_free(pprof);
    return NULL;
}

static struct pprof *read_one(struct trace_input *input, struct input *file,
                              const struct input_names *names)
{
    return names->is_unnamed ? pprof_input_read(input, file) : pprof_input_read_named(input, file);
}

/* One of several, after the first: without single blocks. */
static struct pprof *read_next(struct trace_input *input, const char *path,
                               const struct input_names *names)
{
    struct heaptap_reader_options how = {.only_allocations = true};
    struct input *file;
    if (!trace_input_open_any(input, &(struct input_names){path}, &how, &file))
        return NULL;
    if (!file) {
        cli_warn("%s: this is a trace: it can't be read as one with profiles, whose values have no "
                 "times; `heaptap pprof` makes profiles of traces",
                 trace_input_subject(input));
        trace_input_close(input);
        input->exit_status = CLI_USAGE;
        return NULL;
    }
    struct pprof *pprof = read_one(input, file, names);
    input_close(file);
    return pprof;
}

static bool merge_one(struct pprof *pprof, struct trace_input *input, const char *path,
                      const struct input_names *names)
{
    struct trace_input other;
    struct heaptap_error error;
    struct pprof *from = read_next(&other, path, names);
    bool done = from && pprof_merge(pprof, from, &error) == HEAPTAP_OK;
    input->lacks_a_part |= other.lacks_a_part;
    if (!done)
        input->exit_status =
            from ? cli_fail(trace_input_subject(&other), &error) : other.exit_status;
    pprof_free(from);
    return done;
}

struct pprof *pprof_input_read_many(struct trace_input *input, struct input *file,
                                    const struct input_names *names)
{
    struct input_files files;
    bool done = input_files_find(&files, names, NULL);
    struct pprof *pprof = done ? read_one(input, file, names) : NULL;
    for (size_t i = 1; pprof && i < files.count; i++) {
        if (!merge_one(pprof, input, files.paths[i], names)) {
            pprof_free(pprof);
            pprof = NULL;
        }
    }
    input_files_release(&files);
    return pprof;
}
