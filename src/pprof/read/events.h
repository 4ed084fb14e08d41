/* The events that one of heaptap's pprof profiles holds (docs/pprof-events.md), given back one by one, as a
 * trace's reader gives them. */
#ifndef PPROF_READ_EVENTS_H
#define PPROF_READ_EVENTS_H

#include "pprof/read/profile.h"

struct pprof_events_reader;

/* Does the profile hold events? */
bool pprof_has_events(const struct model *model);

/* `model` is borrowed.  On success `*reader` is the caller's. */
enum heaptap_status pprof_events_open(struct pprof_events_reader **reader,
                                      const struct model *model,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void pprof_events_close(struct pprof_events_reader *reader);

/* Both borrowed until the reader is closed. */
const struct heaptap_trace_info *pprof_events_info(const struct pprof_events_reader *reader);
const struct heaptap_metadata *pprof_events_metadata(const struct pprof_events_reader *reader,
                                                     size_t *count);

/* The next event, in the order of the trace's file; HEAPTAP_END after the last.  Frames of its
 * stack are numbers of the profile's locations. */
enum heaptap_status pprof_events_next(struct pprof_events_reader *reader,
                                      struct heaptap_event *event,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The code of a location. */
uint64_t pprof_events_code(const struct pprof_events_reader *reader, uint32_t location);

/* What a code means, as heaptap_describe has it. */
size_t pprof_events_describe(void *reader, uint64_t code, struct heaptap_location *locations,
                             size_t max);

#endif
