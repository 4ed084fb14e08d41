/* What tools that judge sources are told: the rule, its limit, and the lines that break it. */
#include <string.h>

#include "base/plain.h"
#include "base/units.h"
#include "report/change/check_parts.h"

static const char *const rules[BUDGET_MEASURES] = {
    [BUDGET_PEAK] = "More bytes are alive at once than the limit allows",
    [BUDGET_ALLOCATED] = "More bytes are allocated than the limit allows",
    [BUDGET_LIVE_AT_END] = "More bytes are left at the end than the limit allows",
    [BUDGET_OBJECTS] = "More objects are allocated than the limit allows",
};

/* "peak <= 1.0 kB where focus=map": what tells the limits of a file apart. */
static void put_limit(struct text *text, const struct outcome *outcome)
{
    const struct budget *budget = outcome->budget;
    char limit[UNITS_TEXT_BYTES];
    text_put_string(text, budget_measure_name(budget->measure));
    text_put_string(text, budget->is_expected ? " ~ " : " <= ");
    text_put_string(text, check_amount(limit, budget->measure, outcome->limit));
    if (*budget->filter.text && !budget->test) {
        text_put_string(text, " where ");
        text_put_string(text, budget->filter.text);
    }
    text_put_char(text, 0);
}

static size_t list_spots(struct answer_spot spots[BUDGET_SITES], const struct outcome *outcome)
{
    size_t count = check_telling_sites(outcome);
    for (size_t i = 0; i < count; i++) {
        const struct call_node *node = &outcome->sites.nodes[i];
        const struct symbol *symbol = &outcome->sites.symbols.items[node->symbol];
        bool has_file = symbol->file && *symbol->file; /* some profiles have an empty one */
        spots[i] = (struct answer_spot){node->name, symbol->function,
                                        has_file ? symbol->file : NULL, symbol->line};
    }
    return count;
}

void check_find(struct answer *answer, const struct outcome *outcome, struct text *line)
{
    static const enum answer_level levels[] = {[VERDICT_HOLDS] = ANSWER_HOLDS,
                                               [VERDICT_UNCERTAIN] = ANSWER_DOUBTFUL,
                                               [VERDICT_BROKEN] = ANSWER_BROKEN};
    struct answer_spot spots[BUDGET_SITES];
    struct text limit = {0};
    put_limit(&limit, outcome);
    if (limit.failed || line->failed) {
        answer->failed = true;
    } else {
        line->bytes[line->size - 1] = 0;
        const struct answer_finding finding = {
            .level = outcome->is_open ? ANSWER_REFUSED : levels[outcome->verdict],
            .rule = budget_measure_name(outcome->budget->measure),
            .help = rules[outcome->budget->measure],
            .subject = outcome->file,
            .part = outcome->budget->test,
            .limit = limit.bytes,
            .sentence = line->bytes,
            .spots = spots,
            .count = list_spots(spots, outcome),
        };
        answer_find(answer, &finding);
    }
    text_release(&limit);
}

static void refuse(struct answer *answer, struct answer_finding *finding, struct text *sentence)
{
    text_put_char(sentence, 0);
    finding->level = ANSWER_REFUSED;
    finding->sentence = sentence->bytes;
    if (sentence->failed)
        answer->failed = true;
    else
        answer_find(answer, finding);
    text_release(sentence);
}

/* "story.ctf: a test: it isn't judged: why"; what says why may begin with the names as well. */
static void put_refusal(struct text *sentence, const struct check_test *test,
                        const struct text *why)
{
    text_put_string(sentence, plain(test->file));
    text_put_string(sentence, ": ");
    text_put_string(sentence, plain(test->name));
    text_put_string(sentence, ": ");
    size_t size = sentence->failed ? 0 : sentence->size;
    bool has_names =
        why->size >= size && size > 0 && memcmp(why->bytes, sentence->bytes, size) == 0;
    size_t from = has_names ? size : 0;
    text_put_string(sentence, "it isn't judged: ");
    text_put(sentence, why->bytes + from, why->size - from);
    sentence->failed |= why->failed;
}

void check_test(struct answer *answer, const struct check_test *test, const struct text *why)
{
    struct answer_finding finding = {.level = ANSWER_HOLDS,
                                     .rule = "limit",
                                     .help = "A limit can be read and fits its test",
                                     .subject = test->file,
                                     .part = test->name};
    struct text sentence = {0};
    if (!test->is_refused) {
        answer_find(answer, &finding);
        return;
    }
    put_refusal(&sentence, test, why);
    refuse(answer, &finding, &sentence);
}

void check_file_refused(struct answer *answer, const char *file, const struct text *why)
{
    struct answer_finding finding = {
        .rule = "file", .help = "A file can be read and judged", .subject = file};
    struct text sentence = {.failed = why->failed};
    const char *name = plain(file);
    if (why->size == 0 || !memmem(why->bytes, why->size, name, strlen(name))) {
        text_put_string(&sentence, name);
        text_put_string(&sentence, ": ");
    }
    text_put(&sentence, why->bytes, why->size);
    refuse(answer, &finding, &sentence);
}
