/* The reading half of the codec for source locations, one for each domain. */
#ifndef TRACE_LOCATION_DECODER_H
#define TRACE_LOCATION_DECODER_H

#include "trace/frames.h"

struct location_decoder;

/* What decoding a location event came to. */
enum location_result { LOCATION_DONE, LOCATION_CUT, LOCATION_NO_MEMORY };

struct location_decoder *location_decoder_new(void);
void location_decoder_free(struct location_decoder *decoder);

/* Decodes the fields of a location event at `*at` and tells `frames`; `*at` moves behind it.
 * LOCATION_CUT where it would go on past `end`.  `*conflict` is set as by frames_describe. */
enum location_result location_decoder_decode(struct location_decoder *decoder,
                                             struct frames *frames, const uint8_t **at,
                                             const uint8_t *end, bool *conflict);

#endif
