/* Names of functions are left for the client to put in: what it would copy is data of the recording. */
#include "agent/next.h"

#include "base/plain.h"
#include "agent/tool.h"
#include "report/steps.h"

static void put_argument(struct text *text, const char *name, const char *value)
{
    text_put_char(text, ' ');
    text_put_string(text, name);
    text_put_char(text, '=');
    text_put_string(text, value);
}

static void put_step(struct text *text, const struct report_step *step, const char *file)
{
    text_put_string(text, "next: ");
    text_put_string(text, step->kind == STEP_ASK ? "ask" : "source");
    put_argument(text, "file", plain(file));
    if (step->report)
        put_argument(text, "report", step->report);
    if (step->rows && (!step->report || !step->clause))
        put_argument(text, "function", "^NAME$");
    if (step->clause) {
        put_argument(text, "filter", step->clause);
        text_put_string(text, step->rows ? ":function=NAME" : "");
    }
    text_put_string(text, "  # ");
    text_put_string(text, step->why);
    text_put_char(text, '\n');
}

void next_put(struct text *text, const char *report, const char *file)
{
    enum { STEPS_MOST = 3 };
    int count = 0;
    bool is_profile = file && tool_files_is_profile(file);
    for (const struct report_step *step = report_steps; step->after; step++)
        if (report && file && strcmp(step->after, report) == 0 && step->kind != STEP_COMPARE &&
            step->kind != STEP_VIEW && !(is_profile && report_step_needs_blocks(step)) &&
            count++ < STEPS_MOST)
            put_step(text, step, file);
}
