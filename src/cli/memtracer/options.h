/* The options of `heaptap memtracer`, under their own names and under those of the tracer that it
 * matches (--memtracer.Output=json). */
#ifndef CLI_MEMTRACER_OPTIONS_H
#define CLI_MEMTRACER_OPTIONS_H

#include "cli/memtracer/settings.h"

/* Exits after telling what is wrong. */
void memtracer_parse(int argc, char **argv, struct memtracer_settings *settings);

/* What `heaptap --help:memtracer` says. */
void memtracer_print_help(void);

#endif
