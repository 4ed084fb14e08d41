/* Sizes and lifetimes of blocks as a page of charts: one self-contained SVG document. */
#ifndef EXPORT_STATS_SVG_H
#define EXPORT_STATS_SVG_H

#include <stdio.h>

#include "analyze/stats_report.h"

void stats_svg_print(FILE *file, const struct stats_report *report);

#endif
