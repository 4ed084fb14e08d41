#include "cli/written_form.h"

#include <string.h>

#include "report/info/info.h"
#include "report/sites/memtrace_hotspots.h"
#include "cli/cli.h"
#include "cli/dot_program.h"
#include "report/sites/memtrace_hotspots_print.h"

static bool write_memtrace_hotspots(const struct report *report, FILE *file)
{
    struct memtrace_hotspots hotspots;
    const struct selection *selection = &report->selection;
    if (!memtrace_hotspots_init(&hotspots, &selection->profile, &selection->frames))
        return false;
    memtrace_hotspots_print(&hotspots, &report->input.model->info, file);
    memtrace_hotspots_release(&hotspots);
    return true;
}

static const struct written_form forms[] = {
    {"info", REPORT_MEMTRACE, NULL, info_write_memtrace},
    {"hotspots", REPORT_MEMTRACE, NULL, write_memtrace_hotspots},
    {"graph", REPORT_TEXT, NULL, graph_form_write},
    {"graph", REPORT_DOT, NULL, graph_form_write},
    {"graph", REPORT_SVG, "svg", graph_form_write},
    {"graph", REPORT_PNG, "png", graph_form_write},
    {"flamegraph", REPORT_TEXT, NULL, flamegraph_form_write_folded},
    {"flamegraph", REPORT_FOLDED, NULL, flamegraph_form_write_folded},
    {"flamegraph", REPORT_MEMTRACE, NULL, flamegraph_form_write_folded},
    {"flamegraph", REPORT_SVG, NULL, flamegraph_form_write_svg},
    {"flamegraph", REPORT_JSON, NULL, flamegraph_form_write_nodes},
    {"flamegraph", REPORT_CSV, NULL, flamegraph_form_write_nodes},
};

const struct written_form *written_form_find(const struct report_entry *entry,
                                             enum report_format format)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (forms[i].format == format && strcmp(forms[i].report, entry->name) == 0)
            return &forms[i];
    return NULL;
}

/* ---- Writing ----------------------------------------------------------------------------- */

struct writing {
    const struct written_form *form;
    const struct report *report;
};

static bool print(void *context, FILE *file)
{
    const struct writing *writing = context;
    return writing->form->write(writing->report, file);
}

int written_form_write(const struct written_form *form, const struct report *report)
{
    struct writing writing = {form, report};
    int status = dot_program_write(report->options->output, form->drawn_as, print, &writing);
    return status == CLI_DONE ? report->input.status : status;
}
