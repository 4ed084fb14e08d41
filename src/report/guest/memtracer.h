/* memtracer: what the lines of a program in a guest language allocate, from the reports that its heaps left. */
#ifndef REPORT_GUEST_MEMTRACER_H
#define REPORT_GUEST_MEMTRACER_H

#include "report/guest/guest_table.h"
#include "answer/answer.h"
#include "report/options.h"

enum memtracer_rows {
    MEMTRACER_LINES,     /* one for each line and type */
    MEMTRACER_FUNCTIONS, /* one for each function, with what it calls */
    MEMTRACER_TYPES,     /* one for each type */
    MEMTRACER_CALLS,     /* a tree: functions below those that call them */
};

struct memtracer_question {
    enum memtracer_rows rows;
    struct guest_limits limits;
    bool has_format;  /* rows or a form were asked for */
    bool stacks;      /* lines have their stacks below them, where these were kept */
    long stack_limit; /* calls shown of a stack; 0: all */
    bool is_wide;     /* people read all figures */
};

extern const struct question_option memtracer_options[];
extern const struct memtracer_question memtracer_usual;

/* A question's own options. */
static inline const struct memtracer_question *memtracer_own(const struct question *question)
{
    return (const struct memtracer_question *)question->own;
}

/* A process, and whether it was still running when its report was read. */
struct memtracer_process {
    const struct guest_profile *profile;
    bool is_running;
};

extern const struct answer_table *const memtracer_tables[];

/* The first process is the program itself.  False when there is no memory. */
bool memtracer_put(struct answer *answer, const struct memtracer_question *question,
                   const struct memtracer_process *processes, size_t count);

#endif
