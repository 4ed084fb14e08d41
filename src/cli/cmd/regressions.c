/* heaptap fleet regressions: sites that grew between two versions by more than chance. */
#include "fleet/regressions.h"

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/report_command.h"
#include "cli/store_input.h"

static int read_side(struct fleet_comparison *comparison, int side, const char *path,
                     const struct question *question)
{
    struct store *store;
    struct store_selector selector;
    struct heaptap_error error;
    enum heaptap_status status = store_input_choose(&store, &selector, path, &error);
    if (status == HEAPTAP_OK)
        status = fleet_regressions_read(comparison, side, question, store, &selector, &error);
    store_input_close(store, path);
    return status == HEAPTAP_OK ? CLI_DONE : cli_fail(path, &error);
}

static int put(struct fleet_comparison *comparison, const struct question *question)
{
    int status = CLI_DONE;
    struct regressions regressions;
    if (!fleet_regressions_find(&regressions, comparison, question))
        return cli_out_of_memory();
    struct answer *answer = answer_output_open(question->format, &status);
    if (!answer)
        return status;
    regressions_put(answer, &regressions);
    return answer_output_close(answer, true, regressions.found > 0 ? CLI_FOUND : CLI_DONE);
}

int cmd_regressions(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("regressions");
    struct question question = question_of(entry);
    struct fleet_comparison comparison = {0};
    report_parse(&question, argc, argv);
    int status = read_side(&comparison, 0, question.path, &question);
    if (status == CLI_DONE)
        status = read_side(&comparison, 1, question.other, &question);
    if (status == CLI_DONE)
        status = put(&comparison, &question);
    fleet_regressions_release(&comparison);
    question_release(&question);
    return status;
}
