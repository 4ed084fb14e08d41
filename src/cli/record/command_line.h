/* The options of `heaptap record`, and which of them go together. */
#ifndef CLI_RECORD_COMMAND_LINE_H
#define CLI_RECORD_COMMAND_LINE_H

#include "cli/parse.h"

/* Of a struct record_settings. */
extern const struct question_option record_rows[];
extern const struct command_line record_line;

#endif
