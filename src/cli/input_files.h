/* Which files a command reads as one: several that are named, or those in a folder. */
#ifndef CLI_INPUT_FILES_H
#define CLI_INPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "heaptap/status.h"
#include "report/question.h"

/* As a question names them. */
struct input_names {
    const char *path;
    const char *const *more; /* further ones; NULL for none */
    size_t more_count;
    bool is_one;       /* a file, and no folder */
    bool is_known;     /* what they lack has been told */
    bool is_unnamed;   /* addresses stay */
    bool with_moments; /* of a store: its samples keep their time and instance */
};

static inline struct input_names question_files(const struct question *question)
{
    return (struct input_names){.path = question->path,
                                .more = question->more,
                                .more_count = question->more_count,
                                .is_known = question->is_known,
                                .is_unnamed = question->is_unnamed,
                                .with_moments = question->asks_moments};
}

/* The files themselves: a folder stands for the traces in it, by name; where it has none, for the profiles.  A file that is
 * named twice, by another path too, is there once: its blocks would count twice. */
struct input_files {
    const char **paths; /* each lives as long as the command */
    struct input_identity *identities;
    size_t count, capacity, identity_capacity;
    const char *repeated,
        *repeated_as; /* the path of the first that was left out, and that which stayed */
    size_t repeats;
    size_t lost; /* files of a folder of traces that are called like one, and are none */
};

/* Is the regular file at `path` a recording of single blocks, heaptap's own or one of another program? */
bool input_is_trace(const char *path);

/* A note says, once for the command, what was left out.  False with a sentence: a folder can't be read, or has neither traces nor profiles.  Release them in either case. */
bool input_files_find(struct input_files *files, const struct input_names *names,
                      struct heaptap_error *error);
void input_files_release(struct input_files *files);

/* The bytes that they have in all, where all are files that can be read again; else 0. */
uint64_t input_files_bytes(const struct input_names *names);

/* Looks at the file of a name, "-" being standard input; false if there is none. */
bool input_status(const char *path, struct stat *status);

/* A text that is made, and lives as long as the command. */
__attribute__((format(printf, 1, 2))) const char *input_text(const char *format, ...);

#endif
