/* Text inside XML. */
#ifndef ANSWER_XML_H
#define ANSWER_XML_H

#include <stdio.h>

/* Writes text that can stand in an element or a quoted attribute.  It is
 * shown plainly (base/plain.h). */
void xml_put_text(FILE *file, const char *text);

/* The same of what is in plain form already. */
void xml_put_plain(FILE *file, const char *text);

#endif
