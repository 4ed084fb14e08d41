/* C++'s operator new and delete. */
#ifndef RECORD_OPERATORS_H
#define RECORD_OPERATORS_H

/* Looks for the program's own.  To be called before recording begins: what cannot be found makes
 * the loader allocate. */
void operators_find(void);

#endif
