/* The options that all reports of a model share (report/options.h has their table), as a child of their argp parsers. */
#ifndef CLI_REPORT_OPTIONS_H
#define CLI_REPORT_OPTIONS_H

#include <argp.h>

#include "profile/filter.h"
#include "report/reports.h"

/* The options of a report alone, for a command that takes no file.  The input is a question_of the report.  Good until the next
 * call of this function or report_entry_argp. */
const struct argp *report_options_argp(const struct report_entry *entry);

/* All options of a report of report/reports.h: its own, those that it shares, and its arguments.  The input is a question_of
 * the report.  `extra` is one more parser with an input of its own; NULL for none.  The result is good until the next call. */
const struct argp *report_entry_argp(const struct report_entry *entry, const struct argp *extra,
                                     void *extra_input);

/* Options by what they are about, for a command that has no use for all of them.  The input of each
 * is a struct question. */
extern const struct argp report_filter_argp; /* --filter and clauses as options and arguments; takes
                                                the arguments */
extern const struct argp report_sample_argp; /* --sample */
extern const struct argp report_grain_argp;  /* --granularity */
extern const struct argp report_inlines_argp; /* --no-inlines */

/* Once, before any of them parses: fills their tables from report/options.h and the clauses of filters. */
void report_options_prepare(void);

/* Adds a clause as an option has it: --size='>=1k' is size>=1k; other values are quoted. */
void report_add_clause(struct text *filter, enum filter_word word, const char *value);

#endif
