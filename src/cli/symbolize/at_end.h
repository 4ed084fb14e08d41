/* Traces whose frames have not been looked up yet: they say so, as a program wrote them by heaptap/native.h, or nobody has finished them: they are
 * still being recorded, or their program went on after `heaptap record`. */
#ifndef CLI_SYMBOLIZE_AT_END_H
#define CLI_SYMBOLIZE_AT_END_H

#include "cli/growing.h"
#include "trace/reader.h"

/* At the end of such a trace its frames get names, as far as the files are there; without a word, as those of profiles do,
 * unless they are not wanted.  One that
 * grows gets the record of that, too.  The end of any other trace is nothing new. */
void symbolize_at_end(struct heaptap_reader *reader, enum trace_growth growth, bool stays_unnamed);

#endif
