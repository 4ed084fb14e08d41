/* What frames are called: the symbols of a report, numbered densely in the order in which they are
 * asked for.  A symbol is a function, a file or a place in the source, as coarse as the report
 * wants. */
#ifndef PROFILE_SYMBOLS_H
#define PROFILE_SYMBOLS_H

#include "base/map.h"
#include "base/names.h"
#include "heaptap/trace.h"

#define SYMBOL_NONE UINT32_MAX

struct wrappers;
struct library_calls;

/* Where descriptions of frames come from.  Equal strings must be equal pointers, and live as long
 * as the symbols. */
struct frame_source {
    /* Outermost caller first, the innermost inlined function last; `*count` is 0 where nothing is
     * known.  Borrowed until the next call. */
    const struct heaptap_location *(*locations)(void *context, uint32_t frame, size_t *count);
    uint64_t (*code)(void *context, uint32_t frame);
    uint32_t frame_count;
    void *context;
    /* The path of the program or library that holds the frame; NULL where nobody knows.  The
     * function itself may be NULL. */
    const char *(*module)(void *context, uint32_t frame);
    const char *program; /* the path of the program itself; NULL where nobody knows */
    /* Of several processes the paths of their programs, by number, as of model_program_of.  The function itself
     * may be NULL. */
    const char *(*program_of)(void *context, size_t number);
    const struct wrappers
        *wrappers; /* of allocators, by their shape (profile/wrappers.h); NULL for none */
    const struct library_calls
        *calls; /* what functions without a name call (profile/library_calls.h); NULL for none */
    bool
        is_nameless_runtime; /* code without a name is the runtime's: OCaml's caml_curry and its kin */
    bool
        tells_codes; /* what has neither a name nor a module, such as code made at run time, is told by its address wherever it is shown:
                         of traces of native programs.  In profiles it is all one, as pprof has it */
    bool no_inlines; /* whoever asks by frame_source_locations gets the outermost location alone */
};

/* The locations of a frame, as `source->locations` says them. */
static inline const struct heaptap_location *
frame_source_locations(const struct frame_source *source, uint32_t frame, size_t *count)
{
    const struct heaptap_location *locations = source->locations(source->context, frame, count);
    if (source->no_inlines && *count > 1)
        *count = 1;
    return locations;
}

enum symbol_grain {
    GRAIN_NAME,     /* a function's name, whatever its file */
    GRAIN_FILE,     /* a file */
    GRAIN_FUNCTION, /* a function in its file */
    GRAIN_LINE,     /* a line of a function */
    GRAIN_PLACE,    /* a line and its characters */
    GRAIN_ADDRESS,  /* a line of a function at one address */
};

/* The function with a name that one without calls (profile/library_calls.h). */
struct symbol_call {
    const char *
        function; /* NULL where it has no name either; borrowed from the source of frames, as is the file */
    const char *
        file; /* its source, or the path of its library; NULL where nobody knows; both NULL where none is called, or the caller has a name */
    double share;    /* of all that comes through the caller, what comes through it */
    bool has_others; /* the caller's figures are in good part those of other calls */
};

struct symbol {
    const char *function; /* NULL for GRAIN_FILE */
    const char *file;     /* NULL for GRAIN_NAME, and where nothing is known */
    uint32_t line;        /* 0 unless the grain tells them */
    uint32_t start_char, end_char;
    uint64_t address;   /* 0 unless the grain tells it */
    const char *module; /* where nothing else is known, and the frames are told by module; else NULL
                         */
    uint32_t next;      /* another of the same hash, or SYMBOL_NONE */
    struct symbol_call
        call; /* of a place where blocks are allocated; no part of what it is told by */
};

struct symbols {
    enum symbol_grain grain;
    struct map by_hash; /* -> number of the newest symbol of that hash */
    struct symbol *items;
    size_t count, capacity;
    struct names made; /* names for frames of which nothing is known */
};

void symbols_init(struct symbols *symbols, enum symbol_grain grain);
void symbols_release(struct symbols *symbols);

/* The number of the symbol at `location`, perhaps a new one; SYMBOL_NONE when there is no memory.
 */
uint32_t symbols_number(struct symbols *symbols, const struct heaptap_location *location);

/* The same by parts, for what is no location of a trace; NULL parts allowed. */
uint32_t symbols_number_of(struct symbols *symbols, const char *function, const char *file);

/* The symbol "0x1f" of a code that nothing is known of. */
uint32_t symbols_number_of_code(struct symbols *symbols, uint64_t code);

/* What a symbol is called in one word: function, or file. */
static inline const char *symbol_name(const struct symbol *symbol)
{
    return symbol->function ? symbol->function : symbol->file ? symbol->file : "";
}

/* The symbols of frames, found when first asked for: those of a frame's locations, outermost first;
 * the code where it has none. */
struct frame_symbols {
    const struct frame_source *source;
    struct symbols *symbols;
    bool by_module;  /* frames without a location are told by their modules, not by their codes */
    bool no_inlines; /* of each frame the outermost location alone */
    uint32_t *first; /* by frame: index into `list` of its symbols; SYMBOL_NONE: not found yet */
    uint32_t *list;
    size_t count, capacity;
};

/* `source` and `symbols` are borrowed.  False when there is no memory; then there is nothing to
 * release. */
bool frame_symbols_init(struct frame_symbols *frames, const struct frame_source *source,
                        struct symbols *symbols);
void frame_symbols_release(struct frame_symbols *frames);

/* The slow path of frame_symbols_of: puts those of a frame into the list; false when there is no
 * memory. */
bool frame_symbols_find(struct frame_symbols *frames, uint32_t frame);

/* The symbols of `frame`, at least one, and their number in `*count`; borrowed until the next call.
 * NULL when there is no memory. */
static inline const uint32_t *frame_symbols_of(struct frame_symbols *frames, uint32_t frame,
                                               size_t *count)
{
    if (frames->first[frame] == SYMBOL_NONE && !frame_symbols_find(frames, frame))
        return NULL;
    const uint32_t *entry = frames->list + frames->first[frame];
    *count = entry[0];
    return entry + 1;
}

#endif
