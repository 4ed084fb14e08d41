/* What is known of the blocks of one origin: figures, the place in the program, the library functions through which it
 * allocates, the type, and the text of the source line where that is at hand.  Rules of languages
 * (report/advice/cause.h) read this and nothing else; evidence_of fills it. */
#ifndef REPORT_SITES_EVIDENCE_H
#define REPORT_SITES_EVIDENCE_H

#include "report/sites/sites.h"
#include "report/advice/source_code.h"
#include "report/sources.h"

enum {
    EVIDENCE_CALLS = 16,
    EVIDENCE_TEXT_BYTES = 1200,
    EVIDENCE_AROUND_BYTES = 400,
    EVIDENCE_BREAKS = 32
};

/* Who reads source files. */
struct evidence_sources {
    /* The lines of a file; false where it is not at hand.  Borrowed as long as the sources. */
    bool (*file)(void *context, const char *name, struct source_file *file);
    void *context;
    /* As in report_sources. */
    bool (*type)(const struct report_type_question *question, struct report_type *type);
};

/* Texts are code: without what is in literals and comments, and on one line. */
struct evidence {
    const struct sites *sites;
    const struct site *figures;             /* of this origin */
    const struct evidence_sources *sources; /* NULL for none */
    uint32_t stack;                         /* the origin's */
    enum source_language language;          /* by the end of the file's name */
    const struct heaptap_location
        *place;       /* the innermost that is the program's own; NULL for none */
    const char *type; /* of a guest language; "" where none is known */
    const char *calls
        [EVIDENCE_CALLS]; /* library functions below the place, the outermost first, each once in a row; of more
                                          the outermost */
    size_t call_count;
    const char *line;                 /* the source line as it is; "" where it is not at hand */
    char code[EVIDENCE_AROUND_BYTES]; /* that line */
    char expression
        [EVIDENCE_TEXT_BYTES]; /* the characters that allocate, which may begin and end on different lines; "" where they
                                             are not known */
    uint16_t
        breaks[EVIDENCE_BREAKS]; /* where lines of the expression end, so many: offsets into it */
    size_t break_count;
    char before
        [EVIDENCE_AROUND_BYTES]; /* what stands in front of them, or of the line where they are not known; the end of it */
    char after[EVIDENCE_AROUND_BYTES]; /* what follows them, or the line */
    const struct heaptap_location *
        caller; /* of the function at the place, of a constructor or clone() the program's own that is none; NULL where there is none */
    char caller_expression[EVIDENCE_AROUND_BYTES]; /* its characters, or its line */
    bool is_maker; /* the function at the place is a constructor or a clone(): its caller decides */
    bool grows;    /* the place does, by its verdict, as whoever asks for causes fills in */
    bool ends_item; /* what follows begins in the first column, or nothing does */
};

/* The source line of a location; "" where it is not at hand. */
const char *evidence_line(const struct evidence_sources *sources, const char *file, size_t number);

/* What origin_key asks again and again.  All but `kinds` is borrowed. */
struct origin_lines {
    const struct model *model;
    const struct filter *filter;
    const struct library_program *program;
    uint8_t *
        kinds; /* by line of the model: 1 the user's own, 2 a library's, 0 not asked yet; NULL: not kept */
};

/* Tells apart the ways in which blocks of a place come: from its characters and through library functions, and, of a constructor or
 * clone(), for which caller.  Equal for stacks of one way. */
uint64_t origin_key(const struct origin_lines *lines, uint32_t stack);

/* Everything is borrowed from the sites and the sources, which may be NULL. */
struct evidence evidence_of(const struct sites *sites, const struct origin *origin,
                            const struct evidence_sources *sources);

/* ---- For rules ----------------------------------------------------------------------- */

/* The line at which this stands, which is within the expression. */
size_t evidence_line_at(const struct evidence *evidence, const char *at);

/* The place and the functions that it is called by, the innermost first; how many there are, at most so many. */
size_t evidence_callers(const struct evidence *evidence, const struct heaptap_location **callers,
                        size_t most);

/* Does the name of one of the calls contain this? */
bool evidence_has_call(const struct evidence *evidence, const char *part);

/* The same of one of several, ended by NULL. */
bool evidence_has_call_of(const struct evidence *evidence, const char *const *parts);

/* Does one of the words, ended by NULL, stand in the text?  Words that begin or end with a letter don't stand within others. */
bool evidence_names(const char *text, const char *const *words);

/* Of the bytes, the part that died at once; in OCaml, without having been promoted, of what was either. */
double evidence_young(const struct evidence *evidence);

/* Of the objects, the part that has the most common size. */
double evidence_alike(const struct evidence *evidence);

/* Has the type of the blocks one of these names, ended by NULL? */
bool evidence_is_type(const struct evidence *evidence, const char *const *types);

/* Do at least 8 blocks replace one that is smaller, and have half of the bytes? */
bool evidence_replaces(const struct evidence *evidence);

/* Are blocks that replace a smaller one the steps of one that grows?  Separate ones whose sizes rise look the same, unless the new one is
 * born before the old one ends, or the text says that it is made larger.  The latter: where neither the text nor that is known, too. */
bool evidence_is_resized(const struct evidence *evidence);
bool evidence_may_be_resized(const struct evidence *evidence);

/* Do its blocks come one after another, so that one could serve for all? */
static inline bool evidence_is_sequence(const struct evidence *evidence)
{
    return !sites_are_crowded(evidence->sites, evidence->figures);
}

/* Bytes of blocks that no other replaced: what is left without the steps of growth.  Below rate 1 a pair is seen where both were
 * sampled; its weight makes up for those that were not.  Where blocks follow each other fast, one that was missed is passed over,
 * and the pair weighs too much: no more is taken to be replaced than if each block had replaced one, as those that were seen. */
double evidence_unreplaced(const struct evidence *evidence);

/* Is the largest block half as large again as the mean, or more?  Where each replaces the one before with a little more, it is
 * twice that; two sizes in turn are no growth. */
bool evidence_grows(const struct evidence *evidence);

/* Bytes of a block, on average. */
double evidence_block_bytes(const struct evidence *evidence);

#endif
