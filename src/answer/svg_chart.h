/* A chart of an answer in an SVG document. */
#ifndef ANSWER_SVG_CHART_H
#define ANSWER_SVG_CHART_H

#include <stdio.h>

#include "answer/answer.h"

/* As wide as the page; `top` is in the document's units.  Returns the height that it takes. */
double svg_chart_put(FILE *file, const struct answer_chart *chart, double top);

#endif
