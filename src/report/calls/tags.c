#include "report/calls/tags.h"

#include "report/calls/label_sums.h"
#include "report/head.h"

/* A key, or a tag of it. */
struct tag_row {
    const struct tag_key *key;
    const struct tag *tag;
    double whole; /* of which a key's share is */
};

/* ---- Columns ------------------------------------------------------------------------- */

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(get_##name, const struct tag_row *of = row, const void *all = context, expression)

static struct answer_value number_of(const struct tag *tag)
{
    struct answer_value value = {.is_known = tag->is_number, .integer = tag->number};
    return value;
}

/* Where values may be negative, shares say little: people are not told them. */
static struct answer_value shown_share(double value, double whole)
{
    return answer_number_if(whole > 0, value / whole);
}

GETTER(key_share, shown_share(of->key->total, of->whole))
GETTER(number, number_of(of->tag))
GETTER(text, answer_text(of->tag->is_number ? NULL : of->tag->text))
GETTER(share, answer_share(of->tag->value, of->key->total))
GETTER(shown_share, shown_share(of->tag->value, of->key->total))

#define OF_KEY(member) ANSWER_FIELD_OF(struct tag_row, key, member)
#define OF_TAG(member) ANSWER_FIELD_OF(struct tag_row, tag, member)

static const struct answer_column key_columns[] = {
    {"key", "Tag", ANSWER_NAME, OF_KEY(name), "the label's key; `size`, `thread`, ... of a trace"},
    {"total", "Total", ANSWER_AMOUNT, OF_KEY(total), "what has the key"},
    {NULL, "Share", ANSWER_SHARE, get_key_share},
    {"tag_count", NULL, ANSWER_WHOLE, OF_KEY(count), "how many tags it has, shown or not"},
};
static const struct answer_column tag_columns[] = {
    {"number", NULL, ANSWER_INTEGER, get_number, "the number, if the tag is one",
     .flags = ANSWER_OMIT},
    {"text", NULL, ANSWER_TEXT, get_text, "the text, if it is not a number", .flags = ANSWER_OMIT},
    {"unit", NULL, ANSWER_TEXT, ANSWER_FILLED_OF(struct tag_row, tag, unit), "the number's unit",
     .flags = ANSWER_OMIT},
    {"value", "Total", ANSWER_AMOUNT, OF_TAG(value), "what has the tag"},
    {"share", NULL, ANSWER_SHARE, get_share, "its part of what has the key"},
    {NULL, "Share", ANSWER_SHARE, get_shown_share},
    {NULL, "Tag", ANSWER_NAME, OF_TAG(text)},
};
static const struct answer_column flat_columns[] = {
    {"key", NULL, ANSWER_TEXT, OF_KEY(name), "the label's key"},
    {"tag", NULL, ANSWER_TEXT, OF_TAG(text), "the label, or the number"},
    {"unit", NULL, ANSWER_TEXT, ANSWER_FILLED_OF(struct tag_row, tag, unit), "the number's unit"},
    {"value", NULL, ANSWER_AMOUNT, OF_TAG(value), "what has the tag"},
    {"share", NULL, ANSWER_SHARE, get_share, "its part of what has the key"},
};

static const struct answer_table keys_table = {"keys",
                                               ANSWER_ROWS,
                                               ANSWER_GROUPED,
                                               ANSWER_IN_TEXT | ANSWER_IN_JSON,
                                               ANSWER_COLUMNS(key_columns),
                                               "a key"};
static const struct answer_table key_tags_table = {"tags",
                                                   ANSWER_ROWS,
                                                   ANSWER_GROUPED,
                                                   ANSWER_IN_TEXT | ANSWER_IN_JSON,
                                                   ANSWER_COLUMNS(tag_columns),
                                                   "a tag of the key, the heaviest first"};
static const struct answer_table flat_table =
    ANSWER_TABLE(ANSWER_ROWS, "tags", ANSWER_IN_CSV, flat_columns, "a tag");

/* ---- The answer ---------------------------------------------------------------------- */

/* How many tags of a key are told. */
static size_t shown(const struct report *report, const struct tag_key *key)
{
    return question_rows(report->options, 0, key->count);
}

static void put_tags(struct answer *answer, const struct report *report, const struct tags *tags,
                     const struct tag_key *key)
{
    for (size_t i = 0; i < shown(report, key); i++)
        answer_row(answer, &(struct tag_row){.key = key, .tag = &tags->items[key->first + i]});
}

static struct answer_section section_of(const struct report *report,
                                        const struct answer_table *table)
{
    const char *unit = report_asked_unit(report);
    return (struct answer_section){
        .table = table, .unit = report->unit, .shown_unit = unit ? unit : "minimum"};
}

static void put_keys(struct answer *answer, const struct report *report, const struct tags *tags)
{
    struct answer_section keys = section_of(report, &keys_table),
                          within = section_of(report, &key_tags_table);
    answer_begin(answer, &keys);
    for (size_t i = 0; i < tags->key_count; i++) {
        const struct tag_key *key = &tags->keys[i];
        answer_row(answer, &(struct tag_row){.key = key, .whole = report->whole});
        answer_begin(answer, &within);
        put_tags(answer, report, tags, key);
        if (shown(report, key) < key->count)
            answer_say(answer, "(%zu more)", key->count - shown(report, key));
        answer_end(answer);
    }
    answer_end(answer);
}

static void put_flat(struct answer *answer, const struct report *report, const struct tags *tags)
{
    struct answer_section section = section_of(report, &flat_table);
    answer_begin(answer, &section);
    for (size_t i = 0; i < tags->key_count; i++)
        put_tags(answer, report, tags, &tags->keys[i]);
    answer_end(answer);
}

const struct question_option tags_options[] = {
    {"node-count", 'n', OPTION_NUMBER, 0, "N",
     "Show the N heaviest of each key; 0 for all, the default",
     offsetof(struct question, node_count)},
    {NULL},
};

enum report_outcome tags_put(struct answer *answer, const struct report *report)
{
    struct tags tags;
    const char *unit = report->options->unit ? report->options->unit : "minimum";
    bool done = tags_init(&tags, &report->matcher,
                          &(struct tags_options){&report->what, report->weight,
                                                 answer_is_read(answer) ? unit : NULL});
    if (done) {
        report_say_head(answer, report);
        if (tags.key_count == 0 && report->input.model->kind != MODEL_OBJECTS)
            answer_say(answer, "None of the samples has a label");
        report_head(answer, report);
        put_keys(answer, report, &tags);
        put_flat(answer, report, &tags);
    }
    tags_release(&tags);
    return report_outcome_of(done);
}

const struct answer_table *const tags_tables[] = {&keys_table, &key_tags_table, &flat_table, NULL};
