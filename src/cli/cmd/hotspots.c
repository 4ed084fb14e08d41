/* heaptap hotspots: a report that can also be told as memtrace tells it. */
#include <stdio.h>

#include "analyze/memtrace_hotspots.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/report_command.h"
#include "cli/report_options.h"
#include "export/memtrace_hotspots.h"
#include "report/hotspots.h"

static int print_memtrace(const struct report *report)
{
    struct memtrace_hotspots hotspots;
    const struct selection *selection = &report->selection;
    const char *refusal = hotspots_refuse(report);
    if (refusal) {
        cli_warn("%s: %s", report->input.subject, refusal);
        return CLI_USAGE;
    }
    if (!memtrace_hotspots_init(&hotspots, &selection->profile, &selection->frames))
        return cli_out_of_memory();
    memtrace_hotspots_print(&hotspots, &report->input.model->info, stdout);
    memtrace_hotspots_release(&hotspots);
    return report_status(report);
}

static int answer_memtrace(struct question *question)
{
    struct report report;
    int status;
    question->by_site = false;
    if (report_open(&report, question, &status)) {
        status = print_memtrace(&report);
        report_close(&report);
    }
    return status;
}

int cmd_hotspots(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("hotspots");
    struct question question = question_of(entry);
    cli_parse(report_entry_argp(entry, NULL, NULL), argc, argv, 0, &question);
    bool is_memtrace = ((struct hotspots_choice *)question.own)->form == HOTSPOTS_MEMTRACE;
    int status = is_memtrace ? answer_memtrace(&question) : report_command_answer(&question);
    question_release(&question);
    return status;
}
