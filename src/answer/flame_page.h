/* The page of a picture whose frames stand below one another: callers above their callees, each as wide as its part of the
 * whole.  It can be read in anything that draws SVG; in a browser, a script inside it zooms and searches.
 *
 * Each frame is an svg element of its own: its place and width are parts of the whole's width, so the drawing follows the
 * window, and its name is clipped without a script. */
#ifndef ANSWER_FLAME_PAGE_H
#define ANSWER_FLAME_PAGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { FLAME_COLOURS = 7 }; /* those of the page's functions */

struct flame_place {
    double begin, width; /* parts of the whole */
    size_t depth;        /* 0 for that of all */
    int colour;          /* below FLAME_COLOURS; -1 for grey */
};

struct flame_page {
    FILE *file;
    size_t rows; /* of frames */
    size_t top;  /* where they begin */
};

/* Everything up to the first frame, of a page that has its file and rows.  The texts are in plain form; the lines of `about` end
 * with newlines but for the last, and it may be NULL. */
void flame_page_begin(struct flame_page *page, const char *title, const char *about);

/* A frame: what is told of it is written between the two, as XML text whose first line is its name.  `style` is an attribute of
 * its shape, "" for none. */
void flame_frame_begin(FILE *file, const struct flame_place *place);
void flame_frame_end(FILE *file, const char *style, const char *name);

/* After the last frame; `note` is XML, NULL for none. */
void flame_page_end(const struct flame_page *page, const char *note);

/* The colour that a text has everywhere. */
int flame_colour(const char *text);

#endif
