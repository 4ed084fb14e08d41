#include "cli/export_format.h"

#include <stdlib.h>
#include <string.h>

#include "report/tree/call_walk.h"
#include "cli/cli.h"
#include "cli/output_file.h"
#include "cli/report_output.h"
#include "format/export/folded.h"
#include "format/export/heapprofile.h"
#include "store/write_profile.h"

/* ---- What each writes --------------------------------------------------------------- */

static bool print_speedscope(const struct report *report, const struct export_head *head,
                             FILE *file)
{
    return speedscope_print(&report->selection.profile, &report->selection.frames, head, file);
}

static bool print_callgrind(const struct report *report, const struct export_head *head, FILE *file)
{
    return callgrind_print(&report->selection.profile, &report->selection.frames, head, file);
}

static bool print_dhat(const struct report *report, const struct export_head *head, FILE *file)
{
    return dhat_print(&report->matcher, &report->filter, head, file);
}

static bool print_folded(const struct report *report, const struct export_head *head, FILE *file)
{
    struct call_walk walk;
    struct branch_options how = {.grain = report->options->grain};
    struct folded_options folded = {.weight = report->weight,
                                    .with_positions = report->options->grain == GRAIN_LINE};
    if (!call_walk_init(&walk, &report->selection.profile, &report->selection.frames, &how))
        return false;
    bool done = folded_print(&walk, &report->selection.profile.estimate, &folded, file);
    call_walk_release(&walk);
    return done;
}

static bool print_heapprofile(const struct report *report, const struct export_head *head,
                              FILE *file)
{
    return heapprofile_print(&report->selection.profile, &report->selection.frames, head, file);
}

static bool fill_sqlite(const struct report *report, struct database *database)
{
    struct store_profile profile = {report->input.name, report->input.is_whole, &report->filter,
                                    &report->matcher, &report->selection};
    return store_write_profile(database, 1, &profile);
}

static const struct export_format formats[] = {
    {"speedscope", ".speedscope.json", "speedscope", 0, print_speedscope},
    {"callgrind", ".callgrind", "callgrind_annotate and KCachegrind", 0, print_callgrind},
    {"dhat", ".dhat.json", "DHAT's dh_view", EXPORT_NEEDS_BLOCKS, print_dhat},
    {"folded", ".folded", "tools for flame graphs", 0, print_folded},
    {"heapprofile", ".heapprofile", "the memory panel of Chrome's developer tools", 0,
     print_heapprofile},
    {"sqlite", ".sqlite", "SQLite", EXPORT_KEEPS_BLOCKS | EXPORT_IS_DATABASE, .fill = fill_sqlite},
};

enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

/* ---- The table ---------------------------------------------------------------------- */

const struct export_format *export_format_at(size_t i)
{
    return i < FORMAT_COUNT ? &formats[i] : NULL;
}

const struct option_word *export_format_words(void)
{
    static struct option_word words[FORMAT_COUNT + 1];
    for (int i = 0; i < FORMAT_COUNT; i++)
        words[i] = (struct option_word){formats[i].name, i + 1, 0};
    return words;
}

const struct export_format *export_format_of_file(const char *path)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (report_output_ends_with(path, formats[i].suffix))
            return &formats[i];
    return NULL;
}

const char *export_format_names(void)
{
    static char names[256];
    for (size_t i = 0, size = 0; i < FORMAT_COUNT && size < sizeof names; i++)
        size += (size_t)snprintf(names + size, sizeof names - size, "%s%s",
                                 i == 0                 ? ""
                                 : i + 1 < FORMAT_COUNT ? ", "
                                                        : " or ",
                                 formats[i].name);
    return names;
}

/* ---- Writing ------------------------------------------------------------------------ */

struct writing {
    const struct export_format *format;
    const struct report *report;
};

static bool print(void *context, FILE *file)
{
    const struct writing *writing = context;
    const struct report *report = writing->report;
    const char *executable = report->input.model->info.executable;
    const struct export_head head = {
        .name = report->input.name,
        .command = executable ? executable : "",
        .sample = report->sample,
        .unit = report->unit,
        .weight = report->weight,
        .grain = report->options->grain,
        .no_inlines = report->options->no_inlines,
        .is_complete = report->input.is_whole,
    };
    return writing->format->print(report, &head, file);
}

static bool fill_database(const struct export_format *format, const struct report *report,
                          struct database *database, const char *path)
{
    bool done = !database_create(database, path) || format->fill(report, database);
    return database_close(database) && done;
}

static int write_database(const struct export_format *format, const struct report *report,
                          const char *path)
{
    struct output_file file;
    struct database database;
    int code = output_file_open(&file, path);
    if (code)
        return output_file_fail(path, "a database", code);
    if (!file.temporary) {
        cli_warn("%s: a database needs a regular file", path);
        output_file_release(&file);
        return CLI_FAILED;
    }
    bool done = fill_database(format, report, &database, file.temporary);
    if (done && (code = output_file_commit(&file)))
        output_file_fail(path, "a database", code);
    else if (!done)
        cli_warn("%s: %s", path, *database.message ? database.message : "out of memory");
    output_file_release(&file);
    return done && !code ? CLI_DONE : CLI_FAILED;
}

int export_format_write(const struct export_format *format, const struct report *report,
                        const char *path)
{
    struct writing writing = {format, report};
    return format->fill ? write_database(format, report, path)
                        : report_output_write(path, print, &writing);
}
