/* The page of an SVG document: how wide it is. */
#ifndef ANSWER_SVG_PAGE_H
#define ANSWER_SVG_PAGE_H

enum { SVG_PAGE_WIDTH = 1160 };

#endif
