/* Text inside XML. */
#ifndef EXPORT_XML_H
#define EXPORT_XML_H

#include <stdio.h>

/* Writes text that can stand in an element or a quoted attribute.  What isn't UTF-8, and characters
 * that XML 1.0 has no place for, become U+FFFD. */
void xml_put_text(FILE *file, const char *text);

/* The same on one line: tabs and line ends become spaces. */
void xml_put_line(FILE *file, const char *text);

#endif
