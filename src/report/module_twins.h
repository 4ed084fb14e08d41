/* Modules of two files that are the same in both: their programs, whatever these are called, and libraries of one name, in whatever
 * folders they lie; of several with one name, those whose folders have one name, too, and so on.  A function of which no source file is known has its module's path in place of one; by this it is the same
 * function in two builds. */
#ifndef REPORT_MODULE_TWINS_H
#define REPORT_MODULE_TWINS_H

#include <stdbool.h>

#include "base/names.h"
#include "profile/symbols.h"
#include "report/only_texts.h"

/* The modules of one file.  Zeroed, it has none. */
struct module_twins {
    struct names names; /* of all texts here */
    const char *program;
    struct map paths; /* of all modules, by where their text lies here */
    struct only_texts
        by_tail; /* the path with an end of whole names: its file, that in its folder, ... */
};

/* Adds the modules of a file's frames.  False when there is no memory; release it in either case. */
bool module_twins_add(struct module_twins *twins, const struct frame_source *source);
bool module_twins_add_path(struct module_twins *twins, const char *path);
void module_twins_release(struct module_twins *twins);

/* Is that path one of them? */
bool module_twins_have(struct module_twins *twins, const char *path);

/* The path that a module of `from` has in `to`: `path` itself where it has none there.  Borrowed. */
const char *module_twins_of(struct module_twins *to, struct module_twins *from, const char *path);

#endif
