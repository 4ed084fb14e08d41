/* The options of memtracer's tables.  Those that choose rows by patterns are clauses of the filter; --memtracer.* are the names
 * that another memory tracer has. */
#include <stddef.h>

#include "report/guest/memtracer.h"

_Static_assert(sizeof(struct memtracer_question) <= QUESTION_OWN_BYTES, "room for it");

static const struct option_word formats[] = {
    {"table", MEMTRACER_LINES},         {"histogram", MEMTRACER_FUNCTIONS},
    {"typehistogram", MEMTRACER_TYPES}, {"calltree", MEMTRACER_CALLS},
    {"json", 0, REPORT_JSON},           {"csv", 0, REPORT_CSV},
    {"markdown", 0, REPORT_MARKDOWN},   {NULL},
};

static const struct option_word orders[] = {{"size", GUEST_BYTES},
                                            {"count", GUEST_COUNT},
                                            {"live", GUEST_LIVE_BYTES},
                                            {"peak", GUEST_PEAK_BYTES},
                                            {NULL}};

#define OWN(name) offsetof(struct memtracer_question, name)

#define CLAUSE(its_word, its_letter, its_help, its_clause)                                         \
    {                                                                                              \
        .word = (its_word), .letter = (its_letter), .kind = OPTION_PATTERNS, .value = "LIST",      \
        .help = (its_help), .clause = (its_clause)                                                 \
    }

#define ALIAS(its_word, its_value, its_help, other, what)                                          \
    {                                                                                              \
        .word = (its_word), .kind = OPTION_SAME, .value = (its_value), .help = (its_help),         \
        .same_as = &memtracer_options[other], .always = (what)                                     \
    }

enum { FORMAT, MIN_SIZE, STACK_LIMIT, FUNCTION, INCLUDE, LANGUAGE, REST };

const struct question_option memtracer_options[] = {
    [FORMAT] = {"format", 'f', OPTION_WORD, PART_OWN, "FORMAT",
                "The rows: table (the default: lines), histogram (functions), typehistogram or "
                "calltree; or the form: json, csv or markdown. Can be given once for each",
                OWN(rows), OWN(has_format), .words = formats},
    [MIN_SIZE] = {"min-size", 0, OPTION_SIZE, PART_OWN, "BYTES",
                  "Hide smaller rows (kB, MB, GB: powers of 1024)", OWN(limits.bytes)},
    [STACK_LIMIT] = {"stack-limit", 0, OPTION_NUMBER, PART_OWN, "N",
                     "Show at most N calls of a stack", OWN(stack_limit), .least = 1,
                     .most = UINT32_MAX},
    [FUNCTION] = CLAUSE("function", 0, "Only functions that match one of these patterns",
                        "site:function=\"(?s)^(?:%.)\\z\""),
    [INCLUDE] = CLAUSE("include", 0,
                       "Only files that match one of these patterns, separated by commas (* any "
                       "text, ? any letter)",
                       "site:file=\"(?s)^(?:%.)\\z|(?:^|/)(?:%/)\\z\""),
    [LANGUAGE] = CLAUSE("language", 0, "Only languages that match one of these patterns",
                        "tag:language=\"(?is)^(?:%.)\\z\""),
    [REST] = CLAUSE("exclude", 0, "No files that match one of these patterns",
                    "site:file!=\"(?s)^(?:%.)\\z|(?:^|/)(?:%/)\\z\""),
    CLAUSE("type", 'T', "Only types that match one of these patterns", "type=\"(?s)^(?:%.)\\z\""),
    {"filter", 'F', OPTION_CLAUSES, 0, "CLAUSES",
     "Only stacks that pass: focus=REGEX (some call), ignore=REGEX (no call), site=REGEX (the "
     "last call), type=REGEX",
     offsetof(struct question, filter)},
    {"min-count", 0, OPTION_AMOUNT, PART_OWN, "N",
     "Hide rows with fewer allocations (k, M: thousands)", OWN(limits.count)},
    {"top", 't', OPTION_NUMBER, PART_OWN, "N", "Show the first N rows", OWN(limits.rows),
     .least = 1, .most = UINT32_MAX},
    {"sort", 0, OPTION_WORD, PART_OWN, "KEY",
     "Sort by size (the default), count, live (bytes) or peak (bytes), the largest first",
     OWN(limits.order), .words = orders},
    {"wide", 'w', OPTION_FLAG, PART_OWN, NULL,
     "Also show columns for live blocks, the peak, promoted and temporary blocks, and age",
     OWN(is_wide)},
    {"stacks", 0, OPTION_FLAG, PART_OWN, NULL,
     "Keep whole call stacks, and show them below each row", OWN(stacks)},
    ALIAS("json", NULL, "The same as --format json", FORMAT, "json"),
    ALIAS("csv", NULL, "The same as --format csv", FORMAT, "csv"),
    ALIAS("markdown", NULL, "The same as --format markdown", FORMAT, "markdown"),
    {"memtracer.TraceStackTraces", 0, OPTION_TRUTH, PART_OWN, "BOOLEAN", NULL, OWN(stacks)},
    ALIAS("memtracer.Output", "FORMAT", NULL, FORMAT, NULL),
    ALIAS("memtracer.TraceMem", "BYTES", NULL, MIN_SIZE, NULL),
    ALIAS("memtracer.StackLimit", "N", NULL, STACK_LIMIT, NULL),
    ALIAS("memtracer.FilterRootName", "LIST", NULL, FUNCTION, NULL),
    ALIAS("memtracer.FilterFile", "LIST", NULL, INCLUDE, NULL),
    ALIAS("memtracer.FilterLanguage", "LIST", NULL, LANGUAGE, NULL),
    {NULL},
};

const struct memtracer_question memtracer_usual = {.limits.order = GUEST_BYTES};
