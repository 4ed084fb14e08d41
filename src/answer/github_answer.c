/* An answer as commands of a workflow, which GitHub shows as notes at the lines of a change: ::error file=...,line=...::text.
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands */
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "answer/findings.h"
#include "answer/forms.h"

/* A text in plain form, without what would end it. */
static void put(FILE *file, const char *text, const char *ends)
{
    for (; *text; text++)
        if (strchr(ends, *text))
            fprintf(file, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, file);
}

static void find(struct answer *answer, const struct answer_finding *finding)
{
    FILE *file = answer->file;
    const struct answer_spot *spot = findings_spot(finding);
    if (finding->level == ANSWER_HOLDS)
        return;
    fprintf(file, "::%s ", finding->level == ANSWER_DOUBTFUL ? "warning" : "error");
    if (spot) {
        fputs("file=", file);
        put(file, plain(findings_path(spot->file)), "%,:");
        if (spot->line > 0)
            fprintf(file, ",line=%u", spot->line);
        fputc(',', file);
    }
    fprintf(file, "title=heaptap %s::", finding->rule);
    put(file, finding->sentence, "%");
    fputc('\n', file);
}

static void finish(struct answer *answer)
{
    (void)answer;
}

struct answer *github_answer(FILE *file)
{
    static const struct answer_form form = {.name = "github", .close = finish, .find = find};
    struct answer *answer = calloc(1, sizeof *answer);
    if (answer)
        *answer = (struct answer){.form = &form, .file = file};
    return answer;
}
