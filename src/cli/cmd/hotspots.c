/* heaptap hotspots: a report that needs no model of a trace, which is summed up as it streams by. */
#include <stdio.h>

#include "analyze/memtrace_hotspots.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/next.h"
#include "cli/parse.h"
#include "cli/report_options.h"
#include "cli/selected_input.h"
#include "export/memtrace_hotspots.h"
#include "report/head.h"
#include "report/hotspots.h"

static const struct hotspots_choice *choice_of(const struct question *question)
{
    return (const struct hotspots_choice *)question->own;
}

static int print_memtrace(const struct selected_input *input)
{
    struct memtrace_hotspots hotspots;
    int status = input->trace.exit_status;
    if (!memtrace_hotspots_init(&hotspots, &input->profile, &input->frames)) {
        cli_fail_memory(&status);
        return status;
    }
    memtrace_hotspots_print(&hotspots, input->info, stdout);
    memtrace_hotspots_release(&hotspots);
    return status;
}

static bool put_hotspots(struct answer *answer, const struct question *question,
                         const struct selected_input *input)
{
    struct hotspots hotspots;
    struct hotspots_options how = {choice_of(question)->grain, choice_of(question)->by_given
                                                                   ? choice_of(question)->by
                                                                   : input->weight};
    struct hotspots_saying saying = {
        .how = &how,
        .estimate = &input->profile.estimate,
        .info = input->info,
        .trace = trace_input_name(&input->trace),
        .sample = input->quantity,
        .filter = input->has_report ? input->report.filter.text : "",
        .is_whole = trace_input_is_whole(&input->trace),
        .hidden = input->hidden,
        .hidden_share = report_hidden_share(&input->hidden, &input->profile, input->weight),
        .hides_libraries = input->hides_libraries,
    };
    if (!hotspots_init(&hotspots, &input->profile, &input->frames, &how))
        return false;
    hotspots_size(&saying, question, answer);
    bool done = hotspots_say(answer, &hotspots, &saying);
    hotspots_release(&hotspots);
    return done;
}

static int answer_it(const struct question *question, const struct selected_input *input)
{
    int status = input->trace.exit_status;
    const char *refusal = input->has_report ? hotspots_refuse(&input->report) : NULL;
    if (refusal) {
        cli_warn("%s: %s", trace_input_subject(&input->trace), refusal);
        return CLI_USAGE;
    }
    if (choice_of(question)->form == HOTSPOTS_MEMTRACE)
        return print_memtrace(input);
    struct answer *answer = answer_output_open(question->format, &status);
    return answer ? answer_output_close(answer, put_hotspots(answer, question, input), status)
                  : status;
}

int cmd_hotspots(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("hotspots");
    struct question question = question_of(entry);
    struct selected_input input;
    int status = CLI_DONE;
    cli_parse(report_entry_argp(entry, NULL, NULL), argc, argv, 0, &question);
    question.by_site = choice_of(&question)->form != HOTSPOTS_MEMTRACE;
    if (selected_input_open(&input, &question, &status)) {
        status = answer_it(&question, &input);
        selected_input_close(&input);
    }
    if (status == CLI_DONE && question.by_site)
        next_say("hotspots", &question);
    question_release(&question);
    return status;
}
