#include "profile/filter_words.h"

#include <string.h>

static int64_t born_at(const struct filter_life *life)
{
    return life->born_us;
}

static int64_t promoted_at(const struct filter_life *life)
{
    return life->promoted_us;
}

static int64_t died_at(const struct filter_life *life)
{
    return life->died_us;
}

static int64_t lived(const struct filter_life *life)
{
    return life->died_us - life->born_us;
}

static int64_t age(const struct filter_life *life)
{
    return life->end_us - life->born_us;
}

static const struct filter_word_info words[FILTER_WORD_COUNT] = {
    [FILTER_ALLOCATED] = {"allocated",
                          "TIME",
                          "when it was allocated",
                          ABOUT_OBJECTS,
                          STAGE_LIVES,
                          VALUE_TIME,
                          WORD_NEEDS_TIMES | WORD_HAS_ORDER,
                          {"0s..1s", "50%..100%"},
                          born_at},
    [FILTER_LIVE_AT] = {"live-at",
                        "TIME",
                        "alive then; with a range, at some time within it",
                        ABOUT_OBJECTS,
                        STAGE_LIVES,
                        VALUE_TIME,
                        WORD_NEEDS_TIMES | WORD_CHOOSES_FATES,
                        {"peak", "end", "50%"}},
    [FILTER_COLLECTED] = {"collected",
                          "TIME",
                          "when it was collected; collected=never for what is alive at the end",
                          ABOUT_OBJECTS,
                          STAGE_LIVES,
                          VALUE_TIME_OR_NEVER,
                          WORD_NEEDS_TIMES | WORD_HAS_ORDER | WORD_CHOOSES_FATES,
                          {"never"},
                          died_at},
    [FILTER_PROMOTED] = {"promoted",
                         "TIME",
                         "when it went from the minor to the major heap; promoted=never",
                         ABOUT_OBJECTS,
                         STAGE_LIVES,
                         VALUE_TIME_OR_NEVER,
                         WORD_NEEDS_TIMES | WORD_HAS_ORDER,
                         {"never"},
                         promoted_at},
    [FILTER_LIFETIME] = {"lifetime",
                         "DURATION",
                         "from allocation to collection, or to the end of the trace",
                         ABOUT_OBJECTS,
                         STAGE_LIVES,
                         VALUE_DURATION,
                         WORD_NEEDS_TIMES | WORD_HAS_ORDER | WORD_CHOOSES_FATES,
                         {"1ms", "..10ms", "1s.."},
                         lived},
    [FILTER_AGE] = {"age",
                    "DURATION",
                    "from allocation to the end of the trace, of collected objects, too",
                    ABOUT_OBJECTS,
                    STAGE_LIVES,
                    VALUE_DURATION,
                    WORD_NEEDS_TIMES | WORD_NEEDS_END | WORD_HAS_ORDER,
                    {"..1s", "10s.."},
                    age},
    [FILTER_SIZE] = {"size",
                     "BYTES",
                     "of the object; in pprof profiles, the label `bytes`",
                     ABOUT_OBJECTS,
                     STAGE_SHAPES,
                     VALUE_BYTES,
                     WORD_HAS_ORDER,
                     {"1k", "..64", "1M.."}},
    [FILTER_SOURCE] = {"source",
                       "HEAP,...",
                       "the heap: minor, major, external. Without minor, an object is born at\n"
                       "its promotion; without major, it ends there",
                       ABOUT_OBJECTS,
                       STAGE_SHAPES,
                       VALUE_HEAPS,
                       WORD_NEEDS_TIMES | WORD_MOVES_LIVES,
                       {"minor", "major", "external"}},
    [FILTER_DOMAIN] = {"domain",
                       "NUMBER,...",
                       "the domain or thread that allocated it",
                       ABOUT_OBJECTS,
                       STAGE_SHAPES,
                       VALUE_DOMAINS,
                       WORD_NEEDS_TIMES,
                       {0}},
    [FILTER_THREAD] = {"thread",
                       "REGEX",
                       "the name of that thread, or its kernel thread id",
                       ABOUT_OBJECTS,
                       STAGE_SHAPES,
                       VALUE_REGEX,
                       WORD_NEEDS_TIMES,
                       {0}},
    [FILTER_PROGRAM] = {"program",
                        "REGEX",
                        "the path of the program that allocated it, or the pid of the process, of\n"
                        "traces that are read as one",
                        ABOUT_OBJECTS,
                        STAGE_SHAPES,
                        VALUE_REGEX,
                        WORD_NEEDS_TIMES,
                        {0}},
    [FILTER_TYPE] = {"type",
                     "REGEX",
                     "the object's type, in traces of guest languages",
                     ABOUT_OBJECTS,
                     STAGE_STACKS,
                     VALUE_REGEX,
                     0,
                     {0}},
    [FILTER_DEPTH] = {"depth",
                      "NUMBER",
                      "how many frames its stack has; inlined functions are not counted",
                      ABOUT_OBJECTS,
                      STAGE_STACKS,
                      VALUE_DEPTH,
                      WORD_HAS_ORDER,
                      {"1", "..3", "100.."}},
    [FILTER_TAG] = {"tag",
                    "REGEX",
                    "any label matches; tag:KEY=REGEX: the one with that key;\n"
                    "tag:KEY>=NUMBER for labels that are numbers",
                    ABOUT_SAMPLES,
                    STAGE_SHAPES,
                    VALUE_LABEL,
                    WORD_HAS_ORDER | WORD_TAKES_KEY,
                    {0}},
    [FILTER_FOCUS] = {"focus",
                      "REGEX",
                      "at least one frame matches",
                      ABOUT_STACKS,
                      STAGE_STACKS,
                      VALUE_REGEX,
                      WORD_TAKES_PART | WORD_NEEDS_FRAME,
                      {0}},
    [FILTER_IGNORE] = {"ignore",
                       "REGEX",
                       "no frame matches",
                       ABOUT_STACKS,
                       STAGE_STACKS,
                       VALUE_REGEX,
                       WORD_TAKES_PART,
                       {0}},
    [FILTER_SITE] = {"site",
                     "REGEX",
                     "the innermost call matches, be it a library's",
                     ABOUT_STACKS,
                     STAGE_STACKS,
                     VALUE_REGEX,
                     WORD_TAKES_PART | WORD_NEEDS_FRAME,
                     {0}},
    [FILTER_HIDE] = {"hide",
                     "REGEX",
                     "matching frames are left out of their stacks",
                     ABOUT_STACKS,
                     STAGE_EDITS,
                     VALUE_REGEX,
                     WORD_TAKES_PART,
                     {0}},
    [FILTER_SHOW] = {"show",
                     "REGEX",
                     "frames that don't match are left out",
                     ABOUT_STACKS,
                     STAGE_EDITS,
                     VALUE_REGEX,
                     WORD_TAKES_PART | WORD_NEEDS_FRAME,
                     {0}},
    [FILTER_SHOW_FROM] = {"show-from",
                          "REGEX",
                          "stacks begin with the outermost frame that matches",
                          ABOUT_STACKS,
                          STAGE_EDITS,
                          VALUE_REGEX,
                          WORD_TAKES_PART | WORD_NEEDS_FRAME,
                          {0}},
    [FILTER_OWN] = {"own",
                    "REGEX",
                    "stacks end in the innermost frame that matches: one's own code; own!=REGEX\n"
                    "is not one's own, beside libraries",
                    ABOUT_STACKS,
                    STAGE_ENDS,
                    VALUE_REGEX,
                    WORD_TAKES_PART,
                    {0}},
    [FILTER_LIBRARIES] =
        {"libraries",
         "show",
         "allocators, standard libraries, installed packages and guests' types are\n"
         "shown at the ends of stacks; libraries=hide leaves them out, as hotspots,\n"
         "leaks, advice, check and compare do by default",
         ABOUT_STACKS,
         STAGE_ENDS,
         VALUE_LIBRARIES,
         0,
         {"show", "hide"}},
};

const struct filter_word_info *filter_word_info(enum filter_word word)
{
    return &words[word];
}

const char *filter_word_name(enum filter_word word)
{
    return filter_word_info(word)->name;
}

enum filter_word filter_find_word(const char *name, size_t length)
{
    enum filter_word word = 0;
    for (; word < FILTER_WORD_COUNT; word++)
        if (strlen(filter_word_name(word)) == length &&
            memcmp(filter_word_name(word), name, length) == 0)
            break;
    bool is_old = length == strlen("allocators") && memcmp(name, "allocators", length) == 0;
    return is_old ? FILTER_LIBRARIES : word;
}

bool filter_has_trait(const struct filter_clause *clause, enum filter_trait trait)
{
    return filter_word_info(clause->word)->traits & trait;
}

unsigned filter_stages(const struct filter *filter)
{
    unsigned stages = 0;
    for (size_t i = 0; i < filter->count; i++)
        stages |= words[filter->clauses[i].word].stage;
    return stages;
}

unsigned filter_traits(const struct filter *filter)
{
    unsigned traits = 0;
    for (size_t i = 0; i < filter->count; i++)
        traits |= words[filter->clauses[i].word].traits;
    return traits;
}
