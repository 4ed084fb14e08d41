/* The views of the page that no report of the command line tells: a tree in columns, a timeline of any part of the run, and how
 * sizes and lifetimes spread. */
#ifndef VIEWER_ANSWER_VIEWS_H
#define VIEWER_ANSWER_VIEWS_H

#include "export/json.h"
#include "report/report.h"
#include "viewer/request.h"

/* Writes members into an object that is open, of a report that is selected, and of its base where there is one; of trees both
 * together.  Unless the verdict is VIEWER_FINE, `error` says what is wrong. */
enum viewer_verdict answer_view_put(struct json *json, const struct viewer_request *request,
                                    const struct report *report, struct heaptap_error *error);

#endif
