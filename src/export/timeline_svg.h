/* Live bytes and allocation over time, as one SVG document. */
#ifndef EXPORT_TIMELINE_SVG_H
#define EXPORT_TIMELINE_SVG_H

#include <stdio.h>

#include "profile/series.h"

struct timeline_svg_options {
    const char *title, *subtitle;
    bool objects; /* instead of bytes */
};

/* `series` as an area, and `whole` (NULL, or of the same shape) as a line above it. */
void timeline_svg_print(FILE *file, const struct series *series, const struct series *whole,
                        const struct timeline_svg_options *options);

enum { TIMELINE_SVG_STEPS = 480 };

#endif
