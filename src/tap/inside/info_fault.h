/* What is wrong with the figures of a recording, whatever is written of it: a trace or a profile. */
#ifndef TAP_INSIDE_INFO_FAULT_H
#define TAP_INSIDE_INFO_FAULT_H

#include <stddef.h>
#include <stdint.h>

#include "heaptap/trace.h"

/* A sentence; NULL where nothing is. */
static inline const char *info_fault(const struct heaptap_trace_info *info)
{
    if (!(info->sample_rate > 0 && info->sample_rate <= 1))
        return "the sampling rate of a trace is more than 0 and at most 1";
    if (info->word_bits == 0 || info->word_bits % 8 != 0 || info->word_bits > UINT8_MAX)
        return "the word size of a trace is a multiple of 8 bits, at most 248";
    return NULL;
}

#endif
