/* Histograms as charts in an SVG document. */
#ifndef EXPORT_SVG_CHART_H
#define EXPORT_SVG_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "analyze/histogram.h"

/* How the numbers of an axis read. */
enum svg_unit {
    SVG_COUNT,        /* 950, 1.5 k */
    SVG_MICROSECONDS, /* 20 us, 1.5 ms, 3 s */
};

struct svg_axis {
    const char *label; /* what it measures, and in which unit */
    bool logarithmic;
    enum svg_unit unit;
};

struct svg_chart {
    double left, top, width, height; /* of all of it, in the document's units */
    const char *title;
    const char *subtitle;
    struct svg_axis across, up; /* values, weights */
    const struct histogram *histogram;
    bool zero_first; /* the first bin stands for 0 alone */
};

/* The style sheet that charts count on, inside the document's root. */
void svg_chart_style(FILE *file);

void svg_chart_print(FILE *file, const struct svg_chart *chart);

#endif
