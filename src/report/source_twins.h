/* Functions of two files that are the same in both, though their source file was moved or renamed between them.  A function is the same
 * where it has the same name and file; where it has one file alone in each; or where its file's name, whatever the folder, is that of one
 * file alone in each; of several with one name, that with as many of the last folders as it takes.  Roots, which are variables in files, go by the same rule. */
#ifndef REPORT_SOURCE_TWINS_H
#define REPORT_SOURCE_TWINS_H

#include "report/module_twins.h"

/* The functions of one file.  Zeroed, it has none. */
struct source_twins {
    bool
        by_name; /* of both files: for lines and source files, of which a function that has moved tells nothing; only files of one name are the same */
    struct module_twins
        files;        /* source files, by their paths and names; its texts are all that is here */
    struct map pairs; /* functions in their files */
    struct only_texts by_function; /* the file of a function */
};

/* False when there is no memory; release it in either case. */
bool source_twins_add(struct source_twins *twins, const char *function, const char *file);

/* The same of all frames; what has its module's path in place of a source file is left out. */
bool source_twins_add_frames(struct source_twins *twins, const struct frame_source *source);
void source_twins_release(struct source_twins *twins);

/* The file in which a function of `from` is in `to`: `file` itself where nothing tells another.  Borrowed. */
const char *source_twins_of(struct source_twins *to, struct source_twins *from,
                            const char *function, const char *file);

#endif
