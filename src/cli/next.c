#include "cli/next.h"

#include <glob.h>
#include <string.h>
#include <unistd.h>

#include "answer/table.h"
#include "answer/wrapped.h"
#include "base/plain.h"
#include "report/reports.h"
#include "report/steps.h"

/* Does a shell take the word as it stands? */
static bool is_safe(const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_-./:=@%+,";
    return *word && !word[strspn(word, safe)];
}

/* A word as a shell takes it for itself, in quotes where it needs them. */
static void next_put_word(struct text *text, const char *word)
{
    if (is_safe(word)) {
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

/* Can the command be asked of the model?  Those that are no report can. */
static bool suits(const char *command, const struct model *model)
{
    const struct report_entry *entry = report_entry_find(command);
    return !entry || report_entry_suits(entry, model);
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
static void put_lines(struct text *text, const char *report, const char *path,
                      const struct model *model)
{
    int width = table_width();
    for (const struct report_step *step = report_steps; step->after; step++) {
        if (strcmp(step->after, report) != 0 || step->rows || step->kind == STEP_SOURCE ||
            (step->kind == STEP_ASK && !suits(step->report, model)) ||
            (model && model->kind != MODEL_OBJECTS && report_step_needs_blocks(step)))
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

void next_print(const char *report, const char *path, const struct model *model, FILE *to)
{
    struct text text = {0};
    put_lines(&text, report, path, model);
    text_put_char(&text, 0);
    if (!text.failed && text.size > 1)
        fprintf(to, "\nNext:\n%s", plain_as(text.bytes, PLAIN_KEEP_LINES));
    text_release(&text);
}

/* ---- Many files ------------------------------------------------------------------------ */

/* Of the first path, how much all others begin with, and end with behind that. */
static void find_common(const char *const *paths, size_t count, size_t *begin, size_t *end)
{
    size_t size = strlen(paths[0]);
    *begin = *end = size;
    for (size_t i = 1; i < count; i++) {
        size_t length = strlen(paths[i]), same = 0;
        while (same < *begin && paths[i][same] == paths[0][same])
            same++;
        *begin = same;
        for (same = 0; same < *end && same + *begin < length && same + *begin < size &&
                       paths[i][length - 1 - same] == paths[0][size - 1 - same];)
            same++;
        *end = same;
    }
}

static bool is_among(const char *path, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(path, paths[i]) == 0)
            return true;
    return false;
}

static bool matches_just(const char *pattern, const char *const *paths, size_t count)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return false;
    bool is_same = found.gl_pathc == count;
    for (size_t i = 0; is_same && i < count; i++)
        is_same = is_among(found.gl_pathv[i], paths, count);
    globfree(&found);
    return is_same;
}

/* "fk-*.ctf", where these and no others match that.  False where nothing was put. */
static bool put_pattern(struct text *text, const char *const *paths, size_t count)
{
    size_t begin, end, start = text->size;
    find_common(paths, count, &begin, &end);
    text_put(text, paths[0], begin);
    text_put_char(text, '*');
    text_put_string(text, paths[0] + strlen(paths[0]) - end);
    text_put_char(text, 0);
    if (text->failed)
        return false;
    char *star = text->bytes + start + begin;
    *star = 'x';
    bool is_plain = is_safe(text->bytes + start);
    *star = '*';
    bool is_put = is_plain && matches_just(text->bytes + start, paths, count);
    text->size = is_put ? text->size - 1 : start;
    return is_put;
}

static void put_files(struct text *text, const char *const *paths, size_t count)
{
    text_put_char(text, ' ');
    if (count > NEXT_FILES && put_pattern(text, paths, count))
        return;
    for (size_t i = 0; i < count; i++) {
        text_put_string(text, i > 0 ? " " : "");
        next_put_word(text, paths[i]);
    }
}

/* ---- A line ---------------------------------------------------------------------------- */

void next_print_line(const char *const *paths, size_t count, const struct model *model, FILE *to)
{
    static const char *const commands[] = {"advice", "view", "hotspots", "leaks", "holders"};
    size_t first = suits(commands[0], model) ? 0 : 2; /* all files have hot spots */
    struct text text = {0};
    text_put_string(&text, "Go on with: heaptap ");
    text_put_string(&text, commands[first]);
    put_files(&text, paths, count);
    for (size_t i = 1, told = 0; i < sizeof commands / sizeof *commands; i++)
        if (i != first && suits(commands[i], model)) {
            text_put_string(&text, told++ > 0 ? ", " : " (or ");
            text_put_string(&text, commands[i]);
        }
    text_put_char(&text, ')');
    text_put_char(&text, 0);
    if (!text.failed) {
        putc('\n', to);
        wrapped_put(to, plain(text.bytes), 0, table_width());
    }
    text_release(&text);
}

void next_say(const char *report, const struct question *question, const struct model *model)
{
    if (question->format == REPORT_TEXT && !question->output && question->more_count == 0 &&
        strcmp(question->path, "-") != 0 && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
        strcmp(report, "summary") == 0 ? next_print_line(&question->path, 1, model, stderr)
                                       : next_print(report, question->path, model, stderr);
}
