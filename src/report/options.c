#include "report/options.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/near.h"
#include "base/units.h"
#include "profile/filter_words.h"

static const struct option_word grains[] = {
    {"functions", GRAIN_NAME}, {"filefunctions", GRAIN_FUNCTION}, {"files", GRAIN_FILE},
    {"lines", GRAIN_LINE},     {"addresses", GRAIN_ADDRESS},      {NULL, 0}};

static const struct option_word samples[] = {
    {"alloc_space", 0},     {"alloc_objects", 0},     {"inuse_space", 0},
    {"inuse_objects", 0},   {"promoted_space", 0},    {"promoted_objects", 0},
    {"collected_space", 0}, {"collected_objects", 0}, {NULL, 0}};

#define FIELD(name) offsetof(struct question, name)

static const struct question_option options[] = {
    {"filter", 'F', OPTION_CLAUSES, PART_FILTER, "FILTER",
     "Only what passes FILTER, such as 'size>=1k live-at=peak focus=main'; its clauses can also "
     "follow the trace. `heaptap help filters` explains them",
     FIELD(filter)},
    {"sample", 's', OPTION_TEXT, PART_SAMPLE, "TYPE",
     "Which values: alloc_space (the default of traces), alloc_objects, inuse_space, "
     "inuse_objects, promoted_space, promoted_objects, collected_space, collected_objects; for a "
     "pprof profile, one of its own. A part of the name, such as inuse or objects, or its number, "
     "from 0, is enough",
     FIELD(sample), .words = samples},
    {"tagroot", 0, OPTION_TEXT, PART_SAMPLE, "KEYS", NULL, FIELD(tag_root)},
    {"tagleaf", 0, OPTION_TEXT, PART_SAMPLE, "KEYS", NULL, FIELD(tag_leaf)},
    {"granularity", 'g', OPTION_WORD, PART_GRAIN, "UNIT",
     "What a row stands for: functions, filefunctions, files, lines or addresses. Default: "
     "functions; in advice, export and leaks, lines",
     FIELD(grain), .words = grains},
    {"no-inlines", 0, OPTION_FLAG, PART_INLINES, NULL,
     "Count inlined functions as part of those they are inlined into", FIELD(no_inlines)},
    {"unit", 0, OPTION_TEXT, PART_UNIT, "UNIT",
     "Print sizes or times in UNIT: B, kB, MB, ...; ns, us, ms, s, hrs. Counts stay as they are",
     FIELD(unit)},
    {"relative-percentages", 0, OPTION_FLAG, PART_RELATIVE, NULL,
     "Percentages are of what passes the filter, not of everything", FIELD(is_relative)},
    {"mean", 0, OPTION_FLAG, PART_MEAN, NULL,
     "Print what one block has on average, not all blocks together; in a pprof profile, values divided by the "
     "first sample type's",
     FIELD(is_mean)},
    {"source-path", 0, OPTION_TEXT, PART_SOURCES, "DIR[:DIR...]",
     "Read sources below these folders as well; by default, only below the present one",
     FIELD(source_path)},
    {"suppressions", 0, OPTION_TEXT, PART_SUPPRESSIONS, "FILE",
     "Leave out stacks that match a line of FILE, such as leak:libfontconfig, and print how much "
     "they were",
     FIELD(suppressions)},
    {"base", 0, OPTION_TEXT, PART_BASE, "FILE", "Compare with FILE", FIELD(other)},
    {"full-names", 0, OPTION_FLAG, PART_NAMES, NULL,
     "Print names in full, even if they are too long for the terminal", FIELD(full_names)},
    {"json", 0, OPTION_FORM, PART_FORMAT, NULL, "Print JSON", .form = REPORT_JSON},
    {"csv", 0, OPTION_FORM, PART_FORMAT, NULL, "Print comma-separated values", .form = REPORT_CSV},
    {"markdown", 0, OPTION_FORM, PART_MARKDOWN, NULL,
     "Print Markdown, for pull requests and the like", .form = REPORT_MARKDOWN},
    {"svg", 0, OPTION_FORM, PART_PICTURE, NULL, "A picture, as one SVG file", .form = REPORT_SVG},
    {"output", 'o', OPTION_TEXT, PART_PICTURE, "FILE",
     "Write to FILE, as a picture if its name ends with .svg; - for standard output, the default",
     FIELD(output)},
    {"node-count", 'n', OPTION_NUMBER, PART_NODES | PART_COUNT, "N", "Show N at most; 0 for all",
     FIELD(node_count)},
    {"node-fraction", 0, OPTION_SHARE, PART_NODES, "PART",
     "Leave out what is less than PART of the whole, 0.005 by default", FIELD(node_fraction),
     FIELD(node_fraction_given)},
    {"edge-fraction", 0, OPTION_SHARE, PART_NODES, "PART",
     "Leave out calls that are less than PART of the whole, 0.001 by default", FIELD(edge_fraction),
     FIELD(edge_fraction_given)},
    {"cum", 0, OPTION_FLAG, PART_NODES, NULL,
     "Sort by what comes through a function, not by its own", FIELD(by_cum)},
};

const struct question_option *question_option_at(size_t i)
{
    return i < sizeof options / sizeof options[0] ? &options[i] : NULL;
}

const struct question_option *question_clause_at(size_t i)
{
    static struct question_option clauses[FILTER_WORD_COUNT + 1];
    bool is_old_word = i == FILTER_WORD_COUNT; /* of `libraries` */
    enum filter_word word = is_old_word ? FILTER_LIBRARIES : (enum filter_word)i;
    if (i > FILTER_WORD_COUNT)
        return NULL;
    clauses[i] = (struct question_option){is_old_word ? "allocators" : filter_word_name(word),
                                          .kind = OPTION_CLAUSE,
                                          .parts = PART_FILTER,
                                          .value = "VALUE",
                                          .field = FIELD(filter),
                                          .least = (long)word};
    return &clauses[i];
}

bool option_refuse(struct heaptap_error *error, const char *what, const char *value)
{
    error_set(error, HEAPTAP_BAD_ARGUMENT, "takes %s, not '%s'", what, value);
    return false;
}

bool question_accept(const char *wrong, struct heaptap_error *error)
{
    if (wrong)
        error_set(error, HEAPTAP_BAD_ARGUMENT, "%s", wrong);
    return !wrong;
}

bool option_take_rate(void *field, const char *value, struct heaptap_error *error)
{
    double rate;
    *(const char **)field = value;
    return (amount_plain(value, &rate) && rate > 0 && rate <= 1) ||
           option_refuse(error, "a number over 0 and at most 1", value);
}

bool option_take_bytes(void *field, const char *value, struct heaptap_error *error)
{
    double *bytes = field;
    return (amount_bytes(value, bytes) && *bytes >= 1 && *bytes <= 1e18) ||
           option_refuse(error, "a size such as 64, 317kB or 1.5M", value);
}

/* Is `text` the word that a value may be, in the singular or in the plural? */
static bool option_is_word(const char *text, const char *word)
{
    size_t size = strlen(text), length = strlen(word);
    size -= size > 0 && text[size - 1] == 's';
    length -= length > 0 && word[length - 1] == 's';
    return size == length && strncmp(text, word, size) == 0;
}

static bool option_number(const char *text, long *number, struct heaptap_error *error)
{
    double value;
    if (amount_count(text, &value) && value <= UINT32_MAX && value == trunc(value))
        return *number = (long)value, true;
    return option_refuse(error, "a whole number", text);
}

static bool option_share(const char *text, double *share, struct heaptap_error *error)
{
    const char *rest = "";
    double value = 0;
    bool is_number = amount_number(text, &value, &rest), is_percent = strcmp(rest, "%") == 0;
    if (is_percent)
        value /= 100;
    if (is_number && (!*rest || is_percent) && value <= 1)
        return *share = value, true;
    return option_refuse(error, "a part of the whole, from 0 to 1 or 0% to 100%", text);
}

static bool set_number(long *field, const struct question_option *option, const char *text,
                       struct heaptap_error *error)
{
    struct heaptap_error ignored;
    long value = 0;
    if (option->most == 0)
        return option_number(text, field, error);
    if (option_number(text, &value, &ignored) && value >= option->least && value <= option->most)
        return *field = value, true;
    error_set(error, HEAPTAP_BAD_ARGUMENT, "takes a whole number from %ld to %ld, not '%s'",
              option->least, option->most, text);
    return false;
}

static bool set_percent(double *field, const char *text, struct heaptap_error *error)
{
    const char *rest = "";
    double value = 0;
    bool is_number = amount_number(text, &value, &rest);
    if (is_number && (!*rest || strcmp(rest, "%") == 0) && value <= 100)
        return *field = value / 100, true;
    return option_refuse(error, "a percentage from 0 to 100", text);
}

/* "functions, files or lines"; the text is the caller's to release. */
static struct text list_words(const struct option_word *words)
{
    struct text list = {0};
    for (size_t i = 0; words[i].word; i++) {
        if (i > 0)
            text_put_string(&list, words[i + 1].word ? ", " : " or ");
        text_put_string(&list, words[i].word);
    }
    return list;
}

static const struct option_word *near_words; /* near_word's function has no context */

static const char *near_word_at(size_t i)
{
    return near_words[i].word;
}

/* The word that a value is perhaps meant to be; NULL for none. */
static const char *meant(const struct option_word *words, const char *value)
{
    size_t count = 0;
    while (words[count].word)
        count++;
    near_words = words;
    return near_word(value, strlen(value), near_word_at, count);
}

/* NULL with a message where it is none of them.  A question's words may be in the plural. */
static const struct option_word *find_word(const struct option_word *words, bool is_question,
                                           const char *value, struct heaptap_error *error)
{
    for (size_t i = 0; words[i].word; i++)
        if (strcmp(value, words[i].word) == 0 ||
            (is_question && option_is_word(value, words[i].word)))
            return &words[i];
    struct text list = list_words(words);
    const char *near = meant(words, value);
    error_set(error, HEAPTAP_BAD_ARGUMENT, "takes %.*s, not '%s'%s%s%s", (int)list.size,
              list.bytes ? list.bytes : "", value, near ? "; did you mean " : "", near ? near : "",
              near ? "?" : "");
    text_release(&list);
    return NULL;
}

static bool take_form(struct question *question, enum report_format form,
                      struct heaptap_error *error)
{
    bool fits = question->format == REPORT_TEXT || question->format == form;
    if (fits)
        question->format = form;
    else
        error_set(error, HEAPTAP_BAD_ARGUMENT, "is a second format: one at a time");
    return fits;
}

static bool set_word(struct question *question, void *field, const struct option_word *words,
                     const char *value, struct heaptap_error *error)
{
    const struct option_word *word = find_word(words, question, value, error);
    if (word && word->form)
        return take_form(question, (enum report_format)word->form, error);
    if (word)
        memcpy(field, &word->value, sizeof word->value);
    return word;
}
_Static_assert(sizeof(enum symbol_grain) == sizeof(int), "set_word copies an int");

static bool set_form(struct question *question, const struct question_option *option,
                     const char *value, struct heaptap_error *error)
{
    const struct option_word *word =
        option->words ? find_word(option->words, true, value, error) : NULL;
    enum report_format form = (enum report_format)(word ? word->form : option->form);
    if (option->words && !word)
        return false;
    return take_form(question, form, error);
}

static void add_space(struct text *filter)
{
    if (filter->size > 0)
        text_put_char(filter, ' ');
}

void question_add_clauses(struct text *filter, const char *clauses)
{
    add_space(filter);
    text_put_string(filter, clauses);
}

void question_add_clause(struct text *filter, enum filter_word word, const char *value)
{
    static const char operators[] = "<>=!";
    bool has_operator =
        filter_word_info(word)->traits & WORD_HAS_ORDER && *value && strchr(operators, *value);
    question_add_clauses(filter, filter_word_name(word));
    if (has_operator) {
        text_put_string(filter, value);
        return;
    }
    text_put_string(filter, "=\"");
    for (; *value; value++) {
        if (*value == '"')
            text_put_char(filter, '"');
        text_put_char(filter, *value);
    }
    text_put_char(filter, '"');
}

static bool set_amount(double *field, const char *text, struct heaptap_error *error)
{
    return amount_count(text, field) ||
           option_refuse(error, "a number such as 500, 100k or 2M", text);
}

static bool set_time(double *field, const char *text, struct heaptap_error *error)
{
    return amount_duration(text, field) ||
           option_refuse(error, "a time such as 1.5s or 20ms", text);
}

static bool set_size(double *field, const char *text, struct heaptap_error *error)
{
    bool is_rounded;
    if (!amount_bytes_rounded(text, field, &is_rounded))
        return option_refuse(error, "a size such as 400, 64k or 1.5MB", text);
    if (is_rounded)
        *field = units_size_least(*field);
    return true;
}

static bool set_truth(bool *field, const char *text, struct heaptap_error *error)
{
    *field = !text || strcmp(text, "true") == 0;
    return *field || strcmp(text, "false") == 0 || option_refuse(error, "true or false", text);
}

/* ---- Patterns --------------------------------------------------------------------------- */

/* In quotes, where a quote is written twice. */
static void put_pattern(struct text *clause, const char *pattern, size_t size, const char *any)
{
    for (const char *at = pattern; at < pattern + size; at++) {
        bool is_wild = *at == '*' || *at == '?';
        if (is_wild)
            text_put_string(clause, any);
        else if ((unsigned char)*at < 0x80 && !isalnum((unsigned char)*at))
            text_put_char(clause, '\\');
        if (*at == '"')
            text_put_char(clause, '"');
        if (*at != '?')
            text_put_char(clause, *at);
    }
}

static void put_patterns(struct text *clause, const char *list, bool are_names)
{
    const char *between = "";
    for (size_t size; list; list = list[size] ? list + size + 1 : NULL) {
        size = strcspn(list, ",");
        if (are_names && memchr(list, '/', size))
            continue;
        text_put_string(clause, between);
        put_pattern(clause, list, size, are_names ? "[^/]" : ".");
        between = "|";
    }
    if (!*between)
        text_put_string(clause, "(?!)"); /* which matches nothing */
}

static bool add_patterns(struct text *filter, const char *form, const char *list,
                         struct heaptap_error *error)
{
    if (!*list) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "takes patterns with commas between, not nothing");
        return false;
    }
    add_space(filter);
    for (; *form; form++)
        if (*form == '%')
            put_patterns(filter, list, *++form == '/');
        else
            text_put_char(filter, *form);
    return true;
}

/* ---- Setting --------------------------------------------------------------------------- */

/* The kinds that are about more of a question than one of its fields; those that have no value need nothing. */
static bool ask(struct question *question, void *field, const struct question_option *option,
                const char *value, struct heaptap_error *error)
{
    switch (option->kind) {
    case OPTION_FORM:
        return set_form(question, option, value, error);
    case OPTION_CLAUSES:
        question_add_clauses(field, value);
        return true;
    case OPTION_CLAUSE:
        question_add_clause(field, (enum filter_word)option->least, value);
        return true;
    case OPTION_PATTERNS:
        return add_patterns(&question->filter, option->clause, value, error);
    case OPTION_SAME:
        return question_set(question, option->same_as, option->always ? option->always : value,
                            error);
    default:
        return true;
    }
}

/* `question` is NULL for a command's own options. */
static bool set(struct question *question, char *target, const struct question_option *option,
                const char *value, struct heaptap_error *error)
{
    void *field = target + option->field;
    switch (option->kind) {
    case OPTION_FLAG:
        return *(bool *)field = true;
    case OPTION_TEXT:
        return *(const char **)field = value, true;
    case OPTION_FILE:
        *(const char **)field = value;
        return *value || option_refuse(error, "the name of a file", value);
    case OPTION_NUMBER:
        return set_number(field, option, value, error);
    case OPTION_SHARE:
        return option_share(value, field, error);
    case OPTION_PERCENT:
        return set_percent(field, value, error);
    case OPTION_WORD:
        return set_word(question, field, option->words, value, error);
    case OPTION_AMOUNT:
        return set_amount(field, value, error);
    case OPTION_TIME:
        return set_time(field, value, error);
    case OPTION_SIZE:
        return set_size(field, value, error);
    case OPTION_TRUTH:
        return set_truth(field, value, error);
    case OPTION_TAKEN:
        return option->take(field, value, error);
    default:
        return ask(question, field, option, value, error);
    }
}

static bool set_given(struct question *question, char *target, const struct question_option *option,
                      const char *value, struct heaptap_error *error)
{
    if (!set(question, target, option, value, error))
        return false;
    if (option->given)
        *(bool *)(target + option->given) = true;
    return true;
}

bool question_set(struct question *question, const struct question_option *option,
                  const char *value, struct heaptap_error *error)
{
    char *target = option->parts & PART_OWN ? question->own : (char *)question;
    return set_given(question, target, option, value, error);
}

bool option_set(void *target, const struct question_option *option, const char *value,
                struct heaptap_error *error)
{
    return set_given(NULL, target, option, value, error);
}
