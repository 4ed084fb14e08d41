/* What a browser asks for: the path and the query of a URL, made into one struct, or into a
 * sentence that says what is wrong with them.
 *
 *     /api/answer?report=tree&form=columns&filter=live-at=peak&sample=alloc_objects&nodes=20000
 *
 * Nothing of a URL ever names a file: a path is one of a fixed list. */
#ifndef PAGE_REQUEST_H
#define PAGE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "heaptap/status.h"
#include "report/reports.h"

enum viewer_subject {
    VIEWER_PAGE, /* the page itself, ... */
    VIEWER_SCRIPT,
    VIEWER_STYLE,
    VIEWER_LAYOUT, /* ... the script that lays out graphs, when one is first looked at */
    VIEWER_ICON,
    VIEWER_ABOUT,   /* from here on answers in JSON: what the trace is, how far it is read */
    VIEWER_REPORTS, /* which reports there are, with their options and columns */
    VIEWER_ANSWER,  /* the answer of one of them, as its command gives it with --json */
};

enum { VIEWER_TEXT_MAX = 4096 };
enum { VIEWER_FILES_MAX = 64, VIEWER_OPTIONS_MAX = 16 };

/* How a request is answered, in HTTP's numbers. */
enum viewer_verdict {
    VIEWER_FINE = 200,
    VIEWER_BAD_REQUEST = 400,
    VIEWER_UNKNOWN = 404,
    VIEWER_NO_MEMORY = 500,
    VIEWER_NOT_YET = 503, /* the trace is still being read */
};

/* An option of a report, in report/options.h's words. */
struct viewer_option {
    char word[32], value[128];
};

struct viewer_request {
    enum viewer_subject subject;
    char filter[VIEWER_TEXT_MAX];   /* in the filter language; "" for everything */
    char function[VIEWER_TEXT_MAX]; /* the pattern of a report; "" for none */
    uint32_t file;                  /* which of the files, ... */
    bool of_base;                   /* ... or what they are compared with */
    bool by_column;                 /* columns in place of rows: columns_answer */
    bool against_base;              /* compare with it */

    /* Of VIEWER_ANSWER: which report is asked. */
    const struct report_entry *report;
    struct answer *(*form)(FILE *file); /* NULL: JSON */
    char columns[256]; /* of rows: keys of those that are wanted, with commas between; "" for all */
    struct viewer_option options[VIEWER_OPTIONS_MAX];
    size_t option_count;
};

/* `url` is what stands in the request line: "/path?name=value&...", escaped with % and +.  Unless
 * the verdict is VIEWER_FINE, `error->message` says what is wrong. */
enum viewer_verdict viewer_request_parse(struct viewer_request *request, const char *url,
                                         struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
