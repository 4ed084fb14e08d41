/* Answers: what a report says, in no form.
 *
 * A report says an answer piece by piece: sentences, records (the members of one thing) and tables, whose rows may
 * have tables of their own.  What a table or record is made of is known before the first row: an array of columns,
 * each with its key, its title and a function that finds its value in a row.  A form (answer/forms.h) makes text, JSON, CSV or
 * Markdown of the pieces as they come, so that nothing is kept which the form does not need; it knows kinds of values
 * and no report.
 *
 *     answer_say(answer, "words.ctf: 8.39 MB alive at the end");
 *     answer_begin(answer, &(struct answer_section){.table = &sites, .context = &leaks});
 *     for each site: answer_row(answer, site);
 *     answer_end(answer);
 *
 * `heaptap help json` prints all tables with their columns.
 *
 * So a new column is a line in its table, with the member of the row that it shows, or a function that works it out; a new report is
 * a file of them. */
#ifndef ANSWER_ANSWER_H
#define ANSWER_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "profile/estimate.h"

/* ---- Values -------------------------------------------------------------------------- */

enum answer_kind {
    ANSWER_TEXT,    /* words */
    ANSWER_NAME,    /* of a function or the like: shortened where there is little room */
    ANSWER_PLACE,   /* a file, with `number` its line, 0 for none */
    ANSWER_BYTES,   /* bytes; from here on numbers */
    ANSWER_COUNT,   /* how many; an estimate may have a fraction */
    ANSWER_WHOLE,   /* how many, exactly: never in thousands */
    ANSWER_DECIMAL, /* a number of no unit */
    ANSWER_INTEGER, /* `integer`, to the digit */
    ANSWER_ADDRESS, /* the same, without a sign; for people in hexadecimal */
    ANSWER_AMOUNT,  /* in the section's unit */
    ANSWER_CHANGE,  /* the same, of a difference: with its sign */
    ANSWER_SHARE,   /* a part of the whole: 0.25 is 25 % */
    ANSWER_SHIFT,   /* the same, of a difference: with its sign */
    ANSWER_TIME,    /* microseconds */
    ANSWER_FLAG,    /* 0 or 1 */
    ANSWER_SERIES,  /* numbers one after the other: `series`, of which there are `count` */
};

struct answer_value {
    bool is_known;     /* else null in JSON, an empty cell elsewhere */
    bool is_owned;     /* the text is malloc'ed, and freed once the row has been put */
    bool is_plain;     /* the text is in plain form already (base/plain.h) */
    const char *text;  /* borrowed until the row has been put */
    const char *after; /* put right after a name in text: " (inline)"; NULL for nothing */
    unsigned indent;   /* of a name, for people: how many steps it goes in */
    double number;
    int64_t integer;
    const double *series;
    size_t count;
    struct estimate_range range; /* of a column with ANSWER_HAS_RANGE */
    bool has_no_range;           /* that column's, but there are no bounds to tell */
};

static inline struct answer_value answer_nothing(void)
{
    return (struct answer_value){0};
}

static inline struct answer_value answer_number(double number)
{
    return (struct answer_value){.is_known = true, .number = number};
}

static inline struct answer_value answer_number_if(bool is_known, double number)
{
    return is_known ? answer_number(number) : answer_nothing();
}

/* Of a whole that is 0, no part is anything. */
static inline struct answer_value answer_share(double part, double whole)
{
    return answer_number(whole != 0 ? part / whole : 0);
}

/* For a column with ANSWER_HAS_RANGE. */
static inline struct answer_value answer_estimate(double number, struct estimate_range range)
{
    return (struct answer_value){.is_known = true, .number = number, .range = range};
}

static inline struct answer_value answer_integer(int64_t integer)
{
    return (struct answer_value){.is_known = true, .integer = integer};
}

/* NULL is nothing. */
static inline struct answer_value answer_text(const char *text)
{
    return (struct answer_value){.is_known = text, .text = text};
}

/* An empty text is nothing, too. */
static inline struct answer_value answer_filled(const char *text)
{
    return answer_text(text && *text ? text : NULL);
}

/* Takes over `text`, which is malloc'ed. */
static inline struct answer_value answer_made(char *text)
{
    return (struct answer_value){.is_known = text, .is_owned = true, .text = text};
}

static inline struct answer_value answer_place(const char *file, uint32_t line)
{
    return (struct answer_value){.is_known = file || line > 0, .text = file, .number = line};
}

static inline struct answer_value answer_series(const double *series, size_t count)
{
    return (struct answer_value){.is_known = true, .series = series, .count = count};
}

/* ---- Columns and tables -------------------------------------------------------------- */

enum answer_flag {
    ANSWER_WIDE = 1, /* text: only where there is room for it */
    ANSWER_SPARE =
        128,         /* text: left out where the table would not fit, the last such column first */
    ANSWER_OMIT = 2, /* JSON: where nothing is known, the member is left out; else it is null */
    ANSWER_NO_CSV = 4,   /* not in CSV */
    ANSWER_COARSE = 16,  /* text: shares in whole percents */
    ANSWER_NO_JSON = 32, /* not in JSON */
    ANSWER_DOT = 64,     /* text: a dot in place of 0 */
    ANSWER_LABEL = 256,  /* text: what the row is: before its figures */
    ANSWER_HAS_RANGE =
        8, /* an estimate with its bounds: JSON has members <key>_low and <key>_high, too */
};

/* Where a column's value lies in a row, if nothing need be worked out. */
struct answer_field {
    enum {
        FIELD_NONE,
        FIELD_DOUBLE, /* NAN is nothing */
        FIELD_SIGNED,
        FIELD_UNSIGNED,
        FIELD_BOOL,
        FIELD_TEXT,   /* a pointer; NULL is nothing */
        FIELD_CHARS,  /* the text itself */
        FIELD_SERIES, /* an array of doubles */
    } type;
    unsigned bytes;
    size_t offset; /* in the row, or in what a pointer in the row points to */
    size_t
        via; /* the pointer's offset in the row, plus 1; 0 for none.  Where it is NULL, there is nothing */
    enum { SCALE_NONE, SCALE_SAMPLES, SCALE_WHOLE } scale; /* by what its section says */
    size_t range;   /* of an estimate: the offset of its bounds, plus 1; 0 for none */
    bool is_filled; /* 0 and an empty text are nothing */
};

/* A column's function, where a value is worked out: `expression`, of what `row_is` and `context_is` declare. */
#define ANSWER_GET(function, row_is, context_is, expression)                                       \
    static ANSWER_SHARED_GET(function, row_is, context_is, expression)

/* The same of a column that several files have. */
#define ANSWER_SHARED_GET(function, row_is, context_is, expression)                                \
    struct answer_value function(const void *row, const void *context)                             \
    {                                                                                              \
        __attribute__((unused)) row_is;                                                            \
        __attribute__((unused)) context_is;                                                        \
        return expression;                                                                         \
    }

/* In the place of a column's function: a member of the row, of a double, whole number, bool, text or array of doubles. */
#define ANSWER_FIELD(type, member) ANSWER_FIELD_IN(type, 0, member, 0)
/* 0 and an empty text are nothing. */
#define ANSWER_FILLED(type, member) ANSWER_FIELD_IN(type, 0, member, .is_filled = true)
/* An estimate, with its bounds in another member: of a column with ANSWER_HAS_RANGE. */
#define ANSWER_BOUNDED(type, member, its_range)                                                    \
    ANSWER_FIELD_IN(type, 0, member, .range = offsetof(type, its_range) + 1)

/* The same of what a member of the row points to. */
#define ANSWER_FIELD_OF(type, pointer, member)                                                     \
    ANSWER_FIELD_IN(ANSWER_POINTED(type, pointer), offsetof(type, pointer) + 1, member, 0)
#define ANSWER_FILLED_OF(type, pointer, member)                                                    \
    ANSWER_FIELD_IN(ANSWER_POINTED(type, pointer), offsetof(type, pointer) + 1, member,            \
                    .is_filled = true)
#define ANSWER_BOUNDED_OF(type, pointer, member, its_range)                                        \
    ANSWER_FIELD_IN(ANSWER_POINTED(type, pointer), offsetof(type, pointer) + 1, member,            \
                    .range = offsetof(ANSWER_POINTED(type, pointer), its_range) + 1)

/* Samples, told as the bytes that they stand for: by the section's `sample_bytes`. */
#define ANSWER_SAMPLES(type, member) ANSWER_FIELD_IN(type, 0, member, .scale = SCALE_SAMPLES)
#define ANSWER_SAMPLES_OF(type, pointer, member)                                                   \
    ANSWER_FIELD_IN(ANSWER_POINTED(type, pointer), offsetof(type, pointer) + 1, member,            \
                    .scale = SCALE_SAMPLES)

/* As a part of the section's `whole`. */
#define ANSWER_PART(type, member) ANSWER_FIELD_IN(type, 0, member, .scale = SCALE_WHOLE)
#define ANSWER_PART_OF(type, pointer, member)                                                      \
    ANSWER_FIELD_IN(ANSWER_POINTED(type, pointer), offsetof(type, pointer) + 1, member,            \
                    .scale = SCALE_WHOLE)

/* The row itself, which is no struct. */
#define ANSWER_ITSELF(type) .field = {ANSWER_FIELD_TYPE(*(type *)0), sizeof(type)}, .get = NULL

#define ANSWER_FIELD_IN(type, via, member, ...)                                                    \
    .field = {ANSWER_FIELD_TYPE(((type *)0)->member), sizeof((type *)0)->member,                   \
              offsetof(type, member), via, __VA_ARGS__},                                           \
    .get = NULL
#define ANSWER_POINTED(type, pointer) __typeof__(*((type *)0)->pointer)

#define ANSWER_FIELD_TYPE(member)                                                                  \
    _Generic(&(member), ANSWER_FIELD_TYPES(double, FIELD_DOUBLE),                                  \
             ANSWER_FIELD_TYPES(int, FIELD_SIGNED), ANSWER_FIELD_TYPES(long, FIELD_SIGNED),        \
             ANSWER_FIELD_TYPES(long long, FIELD_SIGNED),                                          \
             ANSWER_FIELD_TYPES(unsigned char, FIELD_UNSIGNED),                                    \
             ANSWER_FIELD_TYPES(unsigned short, FIELD_UNSIGNED),                                   \
             ANSWER_FIELD_TYPES(unsigned, FIELD_UNSIGNED),                                         \
             ANSWER_FIELD_TYPES(unsigned long, FIELD_UNSIGNED),                                    \
             ANSWER_FIELD_TYPES(unsigned long long, FIELD_UNSIGNED),                               \
             ANSWER_FIELD_TYPES(bool, FIELD_BOOL), ANSWER_FIELD_TYPES(char *, FIELD_TEXT),         \
             ANSWER_FIELD_TYPES(const char *, FIELD_TEXT),                                         \
             ANSWER_FIELD_ARRAYS(char, sizeof(member), FIELD_CHARS),                               \
             ANSWER_FIELD_ARRAYS(double, (sizeof(member) + 7) / sizeof(double), FIELD_SERIES))
#define ANSWER_FIELD_TYPES(type, its_type) type * : its_type, type const * : its_type
#define ANSWER_FIELD_ARRAYS(type, count, its_type)                                                 \
    type(*)[count] : its_type, type const(*)[count] : its_type

struct answer_column {
    const char *key;   /* in JSON and CSV; NULL: it is in neither */
    const char *title; /* in text and Markdown; NULL: it is in neither */
    enum answer_kind kind;
    struct answer_value (*get)(const void *row, const void *context); /* NULL: `field` has it */
    const char *help; /* what it is, for `heaptap help json` */
    unsigned when;    /* which of the section's `has` there must be: else the column is left out */
    unsigned flags;   /* of enum answer_flag */
    int width;        /* text, of ANSWER_FIXED: at least; 0: by kind */
    struct answer_field field;
};

enum answer_shape {
    ANSWER_ROWS, /* JSON: an array of objects */
    ANSWER_LIST, /* one column; JSON: an array of its values */
    ANSWER_PAIRS, /* JSON: an object, of a member for each row: the first column is its key, the second its value */
    ANSWER_RECORD, /* one row: JSON: an object, or, without a key, members of what is around it */
};

enum answer_style {
    ANSWER_FITTED, /* columns as wide as their cells, cut to the terminal */
    ANSWER_GROUPED, /* tables within rows, as pprof's tags: amounts and shares before names, below their row */
    ANSWER_BARRED, /* fields between bars, for programs to split: lines as tables of guest languages have them */
    ANSWER_FIXED, /* as pprof's: lines that come at once, figures in columns of fixed width */
};

enum answer_form_bit {
    ANSWER_IN_TEXT = 1,
    ANSWER_IN_JSON = 2,
    ANSWER_IN_CSV = 4,
    ANSWER_IN_ALL = 7,
    ANSWER_IN_COLUMNS = 8 /* for a page that draws it: see columns_answer */
};

/* Where a row of a tree stands.  Rows are in preorder. */
struct answer_branch {
    uint32_t depth;    /* 0 for a root */
    uint32_t children; /* how many it has, told or not */
};

/* What text has of a table of ANSWER_FIXED besides its cells; NULL for what is usual. */
struct answer_layout {
    const char *heading; /* lines in place of the columns' titles, each ended by a newline */
    const char *bar;     /* between figures and names */
    const char *rule;    /* answer_rule's line */
};

struct answer_table {
    const char *key; /* its member in JSON */
    enum answer_shape shape;
    enum answer_style style;
    unsigned forms; /* that it appears in: of enum answer_form_bit; Markdown goes with text */
    const struct answer_column *columns;
    size_t count;
    const char *help; /* what a row is, for `heaptap help json` */

    /* Of a table within a row: below which row of this table, by its number, a row stands as in a tree, where people read
     * it; ANSWER_NO_ROW for none.  NULL: for none of them. */
    long (*above)(const void *row);

    /* For a table that is a tree: its names are written with the tree's bars before them. */
    struct answer_branch (*branch)(const void *row, const void *context);

    struct answer_layout layout;
};

enum { ANSWER_NO_ROW = -1 };

#define ANSWER_COLUMNS(array) .columns = (array), .count = sizeof(array) / sizeof(array)[0]

/* A table whose columns fit what is in them; of JSON alone. */
#define ANSWER_TABLE(shape, key, forms, columns, help)                                             \
    {                                                                                              \
        key, shape, ANSWER_FITTED, forms, ANSWER_COLUMNS(columns), help                            \
    }
#define ANSWER_JSON(shape, key, columns, help)                                                     \
    ANSWER_TABLE(shape, key, ANSWER_IN_JSON, columns, help)

/* A table that is being said. */
struct answer_section {
    const struct answer_table *table;
    const void *context;    /* of its columns' functions */
    unsigned has;           /* bits that columns ask for in `when` */
    const char *unit;       /* of amounts: "bytes"; NULL for none */
    const char *shown_unit; /* of amounts in text: one for all; NULL for what suits each */
    double whole;           /* that ANSWER_PART's members are parts of */
    double sample_bytes;    /* what a sample stands for, of ANSWER_SAMPLES */
};

/* The value of a row of the section.  To be released. */
struct answer_value answer_value_of(const struct answer_section *section,
                                    const struct answer_column *column, const void *row);

/* Is the column in the section, by its `when`? */
static inline bool answer_has(const struct answer_section *section,
                              const struct answer_column *column)
{
    return (column->when & ~section->has) == 0;
}

/* ---- Charts -------------------------------------------------------------------------- */

/* A point that a chart's line goes through within a step. */
struct answer_point {
    int64_t us;
    double value; /* 0: there is none */
};

/* A quantity by steps of time, to be looked at; its figures are in tables. */
struct answer_chart {
    const char *title;           /* "live" */
    enum answer_kind kind;       /* of the values: ANSWER_BYTES or ANSWER_COUNT */
    const char *per;             /* after each figure: "", "/s" */
    bool is_rate;                /* values are those of whole steps; else of their ends */
    const double *values;        /* by step, from 0 up */
    const double *whole;         /* of which these are a part, drawn above them; NULL for none */
    size_t count;                /* of steps */
    double before, whole_before; /* values where the first step begins, unless it is a rate */
    struct answer_point peak, whole_peak;
    const char *mark;         /* words at the peak; NULL for none */
    const double *low, *high; /* 95 % bounds of the values, by step; NULL where these are exact */
    struct answer_value
        estimate; /* of the peak, with its bounds, where there are bounds: the line goes through samples, whose top is above that */
    int rows;     /* its height in lines of text */
    int64_t from_us, to_us;
    bool has_times; /* these are written below it: of the last of charts above one another */
};

/* Which step a moment is in. */
size_t answer_chart_step(const struct answer_chart *chart, int64_t us);

/* A line of a histogram. */
struct answer_bar {
    const char *label;
    double value;     /* not negative */
    const char *text; /* the value as it is shown */
};

struct answer_axis {
    const char *label;   /* what it measures, and in which unit */
    bool is_logarithmic; /* the least value above 0 is its beginning then */
    bool is_time;        /* in microseconds; else numbers of no unit */
};

/* Bars of one quantity.  Text has their labels; pictures have axes. */
struct answer_histogram {
    const char *title, *about; /* of a picture, and a line below */
    struct answer_axis across, up;
    const double *edges; /* bar i goes from edges[i] to edges[i + 1]; NULL of what is no picture */
    bool zero_first;     /* the first bar is of 0 alone */
    const struct answer_bar *bars;
    size_t count;
};

/* ---- Findings ------------------------------------------------------------------------ */

enum answer_level { ANSWER_HOLDS, ANSWER_DOUBTFUL, ANSWER_BROKEN, ANSWER_REFUSED };

/* A place in the source. */
struct answer_spot {
    const char *name;     /* as reports call it */
    const char *function; /* NULL: not known */
    const char *file;     /* NULL: not known */
    uint32_t line;        /* 0: not known */
};

/* What became of a limit, for programs that judge and show changes of a source. */
struct answer_finding {
    enum answer_level level;
    const char *rule, *help; /* what kind of limit, in a word and in a few: these last for ever */
    const char *subject;     /* the file that was judged */
    const char *part;        /* of it: a test; NULL: all of it */
    const char *limit;       /* "peak <= 20 MB"; NULL: of a part that has none */
    const char *sentence;    /* all of it, for people; in plain form */
    const struct answer_spot *spots; /* that made it so, heaviest first */
    size_t count;
};

/* ---- Saying one ---------------------------------------------------------------------- */

struct answer;

/* A form: what it makes of each piece.  Sections are borrowed until their end, rows and sentences for the call. */
struct answer_form {
    const char *name; /* "json" */
    unsigned bit;     /* which of enum answer_form_bit it is */
    void (*say)(struct answer *answer, const char *sentence); /* NULL: not told */
    void (*begin)(struct answer *answer, const struct answer_section *section);
    void (*row)(struct answer *answer, const void *row);
    void (*end)(struct answer *answer);
    void (*close)(
        struct answer
            *answer); /* what is still to be written; the form's memory but for the answer */
    void (*explain)(struct answer *answer, const char *sentences);          /* NULL: not told */
    void (*rule)(struct answer *answer);                                    /* NULL for none */
    void (*chart)(struct answer *answer, const struct answer_chart *chart); /* NULL: not drawn */
    void (*head)(struct answer *answer, const char *heading);               /* NULL: not told */
    void (*bars)(struct answer *answer,
                 const struct answer_histogram *histogram);                   /* NULL: not drawn */
    void (*fact)(struct answer *answer, const char *label, const char *text); /* NULL: not told */
    void (*title)(struct answer *answer, const char *title); /* NULL: it has none */
    void (*remark)(struct answer *answer, const char *key,
                   const char *sentence);                                      /* NULL: not told */
    void (*find)(struct answer *answer, const struct answer_finding *finding); /* NULL: not told */
    bool is_picture; /* its charts and histograms are fine, and axes say what they show */
};

enum { ANSWER_DEPTH_MAX = 8 };

struct answer {
    const struct answer_form *form;
    FILE *file;  /* borrowed */
    bool failed; /* there was no memory; what has been said is not whole */
    const struct answer_section *open[ANSWER_DEPTH_MAX]; /* sections, outermost first */
    int depth;                                           /* how many */
    int skipped; /* sections open within one that this form doesn't tell, itself included */
};

/* The section is borrowed until its end. */
void answer_begin(struct answer *answer, const struct answer_section *section);
void answer_row(struct answer *answer, const void *row);
void answer_end(struct answer *answer);

/* Between rows that belong together and the next of them: a line, in text. */
void answer_rule(struct answer *answer);

/* A section whose rows are the items of an array. */
void answer_items(struct answer *answer, const struct answer_section *section, const void *items,
                  size_t count, size_t size);
#define ANSWER_ITEMS(answer, section, items, count)                                                \
    answer_items(answer, section, items, count, sizeof *(items))

/* A section with one row: a record. */
void answer_record(struct answer *answer, const struct answer_section *section, const void *row);

/* A sentence or a line of them, for forms that people read.  What comes from files in it is in plain form. */
__attribute__((format(printf, 2, 3))) void answer_say(struct answer *answer, const char *format,
                                                      ...);

/* Sentences that belong to the one said before: wrapped to the terminal's width, and indented. */
void answer_explain(struct answer *answer, const char *sentences);

/* A line with a label in front, for forms that people read, where a table would have one row: "Started" and a date.  Without
 * a label, "", it belongs to the fact before; spaces that it begins with say how much further in. */
__attribute__((format(printf, 3, 4))) void answer_fact(struct answer *answer, const char *label,
                                                       const char *format, ...);

/* The chart is borrowed for the call. */
void answer_draw(struct answer *answer, const struct answer_chart *chart);

/* A histogram, borrowed for the call; its figures are in tables. */
void answer_draw_bars(struct answer *answer, const struct answer_histogram *histogram);

/* A finding, borrowed for the call; forms for people have sentences and tables instead. */
void answer_find(struct answer *answer, const struct answer_finding *finding);

/* What the pieces that follow are about, for people.  What comes from files in it is in plain form. */
void answer_head(struct answer *answer, const char *heading);

/* What all of it shows, in a few words: of pictures, which have a heading.  What comes from files in it is in plain form. */
__attribute__((format(printf, 2, 3))) void answer_title(struct answer *answer, const char *format,
                                                        ...);

/* What is missing from all figures of the answer, such as "1 of 2 shards do not answer".  Call it before the answer has anything else. */
void answer_lacks(struct answer *answer, const char *sentence);

/* What else is to be known before any figure of it is believed, such as "t.ctf: the filter leaves nothing of it".  Likewise. */
void answer_remark(struct answer *answer, const char *sentence);

/* Frees the answer.  False when there was no memory. */
bool answer_close(struct answer *answer);

/* The innermost open section; NULL for none. */
static inline const struct answer_section *answer_section(const struct answer *answer)
{
    return answer->depth > 0 ? answer->open[answer->depth - 1] : NULL;
}

/* Would the form tell the table?  For reports that have different ones for different forms. */
static inline bool answer_tells(const struct answer *answer, const struct answer_table *table)
{
    return table->forms & answer->form->bit;
}

/* Is it told in a form for people? */
static inline bool answer_is_read(const struct answer *answer)
{
    return answer->form->bit == ANSWER_IN_TEXT;
}

/* Is it told as a picture? */
static inline bool answer_is_drawn(const struct answer *answer)
{
    return answer->form->is_picture;
}

/* Says each of the lines, which end with newlines. */
void answer_say_lines(struct answer *answer, const struct text *lines);

/* After a value has been put. */
void answer_value_release(struct answer_value *value);

#endif
