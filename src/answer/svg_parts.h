/* What charts and histograms in an SVG document share. */
#ifndef ANSWER_SVG_PARTS_H
#define ANSWER_SVG_PARTS_H

#include <stdio.h>

/* The style sheet that charts and histograms count on, inside the document's root. */
void svg_style(FILE *file);

/* A step of 1, 2 or 5 times a power of ten that cuts `span` into about `ticks` pieces. */
double svg_tick_step(double span, int ticks);

/* An element of a text in plain form; `more` is attributes, "" for none. */
void svg_text(FILE *file, const char *class, double x, double y, const char *more,
              const char *text);

#endif
