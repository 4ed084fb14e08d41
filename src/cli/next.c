#include "cli/next.h"

#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "answer/table.h"
#include "report/steps.h"

void next_put_word(struct text *text, const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_-./:=@%+,";
    if (*word && !word[strspn(word, safe)]) {
        text_put_string(text, word);
        return;
    }
    text_put_char(text, '\'');
    for (; *word; word++)
        if (*word == '\'')
            text_put_string(text, "'\\''");
        else
            text_put_char(text, *word);
    text_put_char(text, '\'');
}

/* Steps that need a function of the answer, which text has not kept, are left out. */
static void put_command(struct text *text, const struct report_step *step, const char *path)
{
    text_put_string(text, "heaptap ");
    text_put_string(text, step->kind == STEP_COMPARE ? "compare" : step->report);
    text_put_char(text, ' ');
    next_put_word(text, path);
    if (step->kind == STEP_COMPARE)
        text_put_string(text, " after.ctf");
    if (step->clause) {
        text_put_char(text, ' ');
        text_put_string(text, step->clause);
    }
}

/* Lines of a command and, as far as they fit, why. */
static void put_lines(struct text *text, const char *report, const char *path)
{
    int width = table_width();
    for (const struct report_step *step = report_steps; step->after; step++) {
        if (strcmp(step->after, report) != 0 || step->rows || step->kind == STEP_SOURCE)
            continue;
        size_t start = text->size;
        text_put_string(text, "  ");
        put_command(text, step, path);
        if (width == 0 || text->size - start + strlen(step->why) + 4 <= (size_t)width) {
            text_put_string(text, "  # ");
            text_put_string(text, step->why);
        }
        text_put_char(text, '\n');
    }
}

void next_print(const char *report, const char *path, FILE *to)
{
    struct text text = {0};
    put_lines(&text, report, path);
    text_put_char(&text, 0);
    if (!text.failed && text.size > 1)
        fprintf(to, "\nNext:\n%s", plain_as(text.bytes, PLAIN_KEEP_LINES));
    text_release(&text);
}

void next_print_line(const char *const *paths, size_t count, bool has_holders, FILE *to)
{
    struct text text = {0};
    text_put_string(&text, "Go on with: heaptap advice");
    for (size_t i = 0; i < (count > NEXT_FILES ? 1 : count); i++) {
        text_put_char(&text, ' ');
        next_put_word(&text, paths[i]);
    }
    text_put_string(&text, " (or view, hotspots, leaks");
    text_put_string(&text, has_holders ? ", holders)" : ")");
    text_put_char(&text, 0);
    if (!text.failed)
        fprintf(to, "\n%s\n", plain(text.bytes));
    text_release(&text);
}

void next_say(const char *report, const struct question *question)
{
    if (question->format == REPORT_TEXT && !question->output && question->more_count == 0 &&
        strcmp(question->path, "-") != 0 && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
        strcmp(report, "summary") == 0 ? next_print_line(&question->path, 1, false, stderr)
                                       : next_print(report, question->path, stderr);
}
