/* What the answers of all reports begin with. */
#ifndef REPORT_HEAD_H
#define REPORT_HEAD_H

#include "answer/answer.h"
#include "report/report.h"

/* Every report of sites that leaves out libraries prints their part of a profile: the share of its weight that comes
 * through them. */
double report_hidden_share(const struct library_hidden *hidden, const struct stack_profile *profile,
                           enum stack_weight weight);
/* For people: a sentence, where something is left out that is not 0.0 %. */
void report_say_hidden(struct answer *answer, const struct library_hidden *hidden, double share);
/* The same of a report's selection. */
void report_say_its_hidden(struct answer *answer, const struct report *report);

/* For programs: the file, what is counted, the filter and the totals. */
extern const struct answer_table *const report_head_tables[]; /* ended by NULL */
void report_head(struct answer *answer, const struct report *report);

/* For a head that is not of a struct report: the version of what `heaptap help json` says, of any row. */
struct answer_value report_column_schema(const void *row, const void *context);
#define SCHEMA_COLUMN                                                                              \
    {                                                                                              \
        "schema", NULL, ANSWER_WHOLE, report_column_schema, "the version of these keys"            \
    }

/* Behind a sentence about a file that isn't complete. */
#define REPORT_LACKS_A_PART "; the file lacks a part of what the program did"

/* What `complete` says of a file. */
#define REPORT_COMPLETE_HELP                                                                       \
    "whether all that the program did is in the figures: the file was read to its end, no sample " \
    "was dropped, and recording went on to the program's end"

/* A figure with its bounds of 95 %, of which an exact recording has none. */
struct answer_value report_bounded(const struct report *report, double number,
                                   struct estimate_range range);

/* For people: the lines that pprof's text reports begin with, as far as heaptap knows them. */
void report_say_head(struct answer *answer, const struct report *report);

/* For people: "Filter: ...", where there is one. */
void report_say_filter(struct answer *answer, const struct report *report);

/* "Samples: 10607 of 7.63MB each; 95 % bounds of their sum: 77.54GB to 80.54GB", of a report that is sampled. */
enum { REPORT_SAMPLES_BYTES = 256 };
void report_samples_text(char text[REPORT_SAMPLES_BYTES], const struct report *report);

/* For people: that, where it is so. */
void report_say_samples(struct answer *answer, const struct report *report);

#endif
