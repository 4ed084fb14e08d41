/* The reports of the command line, asked of a file that is shown: the same answers, as JSON.  */
#ifndef PAGE_ANSWER_REPORT_H
#define PAGE_ANSWER_REPORT_H

#include <stdio.h>

#include "answer/json.h"
#include "page/answer.h"

/* Writes the member "reports" into an open object: an array, each with "name", "summary", "needs_blocks",
 * "needs_function", "options" (each with "word", "kind", "value", "help", "values") and "tables" (answer/schema.h).  Those that compare
 * are among them where there is a base, those that read files where these can be read. */
void answer_put_reports(struct json *json, const struct viewer_state *state);

/* Writes the whole answer of request->report.  Where the verdict is not VIEWER_FINE, what has been written is to be thrown
 * away; `error` and `*length` say what is wrong, and how many bytes of the filter are. */
enum viewer_verdict answer_report_put(FILE *file, const struct viewer_state *state,
                                      const struct viewer_request *request, size_t *length,
                                      struct heaptap_error *error);

#endif
