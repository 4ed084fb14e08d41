/* Events as text, one a line, in several dialects. */
#ifndef FORMAT_EXPORT_EVENT_TEXT_H
#define FORMAT_EXPORT_EVENT_TEXT_H

#include "heaptap/trace.h"

/* MEMTRACE     as memtrace's dump_trace writes them: every location of the stack as
 *              Function@file:line:start-end, an unknown frame as $code
 * ALLOC_STATS  as the ocaml-alloc-stats notebooks read them: time, id, kind (a, A and AE: a minor,
 *              major and external allocation; P, C: promotion, collection), length
 * CSV          RFC 4180 with a row of titles; the stack is one column of function names, outermost
 *              first, joined by semicolons
 * JSON_LINES   an object a line, the stack as an array of locations */
enum event_text_format {
    EVENT_TEXT_MEMTRACE,
    EVENT_TEXT_ALLOC_STATS,
    EVENT_TEXT_CSV,
    EVENT_TEXT_JSON_LINES,
    EVENT_TEXT_CSV_NUMBERS, /* CSV with numbers in place of stacks, which event_text_stacks has */
};

struct event_text;

/* Text of the events of `reader` (borrowed), which decodes stacks unless the format is ALLOC_STATS,
 * goes to `sink` in large pieces.  NULL when there is no memory. */
struct event_text *event_text_new(enum event_text_format format, struct heaptap_reader *reader,
                                  struct heaptap_sink sink);

/* Writes an event; every allocation of the reader must come by, in order, as stacks build on each
 * other.  0, or the errno with which the sink or the memory first failed. */
int event_text_put(struct event_text *text, const struct heaptap_event *event);

/* Of EVENT_TEXT_CSV_NUMBERS: the stacks that were met since the last call, as CSV, each once.  `*size`
 * bytes, borrowed until the next event. */
const char *event_text_stacks(struct event_text *text, size_t *size);

/* Hands the rest to the sink; 0 or an errno as above. */
int event_text_finish(struct event_text *text);

void event_text_free(struct event_text *text);

#endif
