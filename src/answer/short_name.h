/* Names of functions where there is little room: without what demanglers write beside the name. */
#ifndef ANSWER_SHORT_NAME_H
#define ANSWER_SHORT_NAME_H

#include <stdbool.h>

/* The name of a function of C++ or Rust without return type and parameters, and without the arguments of the standard
 * libraries' templates: "std::vector::push_back", "app::Pool<std::map>::grow".  malloc'ed; NULL where there is nothing to leave out, where names are
 * to stay as they are, or without memory. */
char *short_name(const char *name);

/* From now on, names are shown whole, however much room they take: --full-names. */
void short_name_turn_off(void);
bool short_name_is_off(void);

#endif
