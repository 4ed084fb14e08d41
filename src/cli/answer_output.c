#include "cli/answer_output.h"

#include "cli/cli.h"
#include "cli/lack.h"

struct answer *answer_output_on(FILE *file, enum report_format format)
{
    static struct answer *(*const forms[])(FILE *) = {
        [REPORT_TEXT] = text_answer,     [REPORT_JSON] = json_answer,
        [REPORT_CSV] = csv_answer,       [REPORT_MARKDOWN] = markdown_answer,
        [REPORT_SVG] = svg_answer,       [REPORT_JSON_LINES] = json_line_answer,
        [REPORT_GITHUB] = github_answer, [REPORT_SARIF] = sarif_answer,
        [REPORT_JUNIT] = junit_answer,
    };
    struct answer *answer = forms[format](file);
    if (answer && lack_said())
        answer_lacks(answer, lack_said());
    const char *remarks = answer ? lack_take_remarks() : NULL;
    if (remarks)
        answer_remark(answer, remarks);
    return answer;
}

struct answer *answer_output_open(enum report_format format, int *status)
{
    struct answer *answer = answer_output_on(stdout, format);
    if (!answer)
        cli_fail_memory(status);
    return answer;
}

int answer_output_close(struct answer *answer, bool done, int status)
{
    if (!answer_close(answer) || !done)
        cli_fail_memory(&status);
    return status;
}
