#ifndef NAMES_H
#define NAMES_H
/* One number for each name. */
int name_number(const char *text);
int name_count(void);
#endif
