/* Reports of guest heaps as text. */
#ifndef CLI_MEMTRACER_TEXT_H
#define CLI_MEMTRACER_TEXT_H

#include <stdio.h>

#include "cli/memtracer/settings.h"

/* Prints the report of one process; false when there is no memory. */
bool memtracer_print(FILE *to, const struct guest_profile *profile,
                     const struct memtracer_settings *settings);

#endif
