/* heaptap fleet services: who allocates how much, of the profiles of a store. */
#include <string.h>

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/report_command.h"
#include "cli/store_services.h"
#include "store/labels.h"

static int put(const struct services *services)
{
    int status = CLI_DONE;
    struct answer *answer = answer_output_open(services->options->format, &status);
    if (!answer)
        return status;
    services_put(answer, services);
    return answer_output_close(answer, true, status);
}

static int gather(const struct question *question)
{
    const struct services_question *own = (const struct services_question *)question->own;
    struct services services = {
        .label = own->label, .through = own->through, .steps = (size_t)own->steps};
    int status = store_services_read(&services, question);
    if (status == CLI_DONE)
        status = put(&services);
    fleet_services_release(&services);
    return status;
}

int cmd_services(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("services");
    struct question question = question_of(entry);
    int status = CLI_USAGE;
    report_parse(&question, argc, argv);
    const char *label = ((const struct services_question *)question.own)->label;
    if (label_is_key(label, strlen(label)))
        status = gather(&question);
    else
        cli_warn("--by takes the name of a label, not '%s'", label);
    question_release(&question);
    return status;
}
