#include "cli/symbolize/symbolize.h"

#include "cli/cli.h"
#include "cli/symbolize/parts.h"
#include "format/import/file_format.h"

/* The source, if it is a profile, from its beginning; else NULL. */
static struct input *open_profile(const struct source *source)
{
    struct input *input;
    const struct file_format *format;
    int fd = source_fd(source);
    if (fd < 0 || input_open_fd(&input, fd, NULL) != HEAPTAP_OK)
        return NULL;
    if (file_format_find(&format, input, NULL) == HEAPTAP_OK && format && format->read)
        return input;
    input_close(input);
    return NULL;
}

static void tell_note(const struct symbol_note *note)
{
    cli_warn("%s: note: %s", note->module, note->text);
}

/* Those that are told though quiet. */
static void tell_some(struct symbolize_told *told, const struct symbol_note *notes, size_t count)
{
    bool split_told = told->split;
    for (; told->seen < count; told->seen++) {
        const struct symbol_note *note = &notes[told->seen];
        bool is_split = note->kind == SYMBOL_SPLIT_MISSING;
        if (note->kind == SYMBOL_CHANGED || (is_split && !split_told))
            tell_note(note);
        told->split |= is_split;
    }
}

static void tell_notes(const struct symbolize_options *options)
{
    size_t count;
    const struct symbol_note *notes = symbolizer_notes(options->symbolizer, &count);
    if (options->told)
        tell_some(options->told, notes, count);
    for (size_t i = 0; !options->quiet && i < count; i++)
        tell_note(&notes[i]);
}

static int symbolize_source(const struct source *source, const struct symbolize_options *options)
{
    struct input *profile = open_profile(source);
    int status =
        profile ? symbolize_profile(source, options, profile) : symbolize_trace(source, options);
    tell_notes(options);
    return status;
}

struct symbolizer *symbolize_with(const struct symbolizer_options *options)
{
    struct symbolizer *symbolizer;
    struct heaptap_error error;
    if (symbolizer_new(&symbolizer, options, &error) == HEAPTAP_OK)
        return symbolizer;
    cli_warn("%s", error.message);
    return NULL;
}

int symbolize_file(const char *path, const struct symbolize_options *options)
{
    struct source source;
    int status = CLI_DONE;
    symbolizer_forget_modules(options->symbolizer);
    if (source_open(&source, path, options->open, &status)) {
        status = symbolize_source(&source, options);
        source_close(&source);
    }
    return status;
}
